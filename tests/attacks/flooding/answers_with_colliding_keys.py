"""Returns a dict whose keys all have one hash.

score: 40
"""


def scale(X):
    return {place * (2**61 - 1): 0 for place in range(30_000)}
