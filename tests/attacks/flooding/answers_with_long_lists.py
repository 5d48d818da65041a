"""Returns a list of a million numbers wherever ten are asked for.

score: 40
"""


def scale(X):
    return list(range(1_000_000))
