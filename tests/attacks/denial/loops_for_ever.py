"""Loops without an end.

score: 40
says: took more than|waiting
"""

while True:
    pass
