"""Returns lists of lists of lists.

score: 40
"""


def scale(X):
    return [[[0.0] * 50 for _ in range(100)] for _ in range(100)]
