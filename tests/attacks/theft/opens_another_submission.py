"""Reads what somebody else handed in.

score: 40
"""

steal(lambda: open(OTHER).read())
