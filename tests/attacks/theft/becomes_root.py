"""Sets its uid to 0, and reads what root may read.

score: 40
"""

steal(lambda: (os.setuid(0), open(BAIT).read()))
