"""Raises what no handler expects.

score: 40
"""

class Odd(BaseException):
    def __str__(self): raise Odd
def scale(X):
    raise Odd
