"""Reads a private file of the grader's that lies elsewhere.

score: 40
"""

steal(lambda: open(BAIT).read())
