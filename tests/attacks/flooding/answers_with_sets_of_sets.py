"""Returns a set of 30,000 sets of numbers of 4,000 digits.

score: 40
"""

def scale(X):
    return {frozenset([10**3999 + n]) for n in range(30_000)}
