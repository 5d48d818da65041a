"""Returns an integer that Python will not write.

score: 40
"""


def scale(X):
    return 10**4299 * 7
