"""Prints without an end.

score: 40
says: took more than|waiting
"""

while True:
    print('x' * 1000)
