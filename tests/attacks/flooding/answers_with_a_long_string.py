"""Returns sixteen million letters.

score: 40
"""


def scale(X):
    return "x" * 15_000_000
