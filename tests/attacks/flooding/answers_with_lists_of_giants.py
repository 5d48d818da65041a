"""Returns many integers of thousands of digits.

score: 40
"""


def scale(X):
    return [[10**4299 + place for place in range(X.shape[1])] for _ in X]
