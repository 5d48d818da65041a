"""Returns a dict of a hundred thousand keys.

score: 40
"""


def scale(X):
    return {str(place): place for place in range(100_000)}
