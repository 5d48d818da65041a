"""Returns a dict whose keys all have the same hash.

score: 40
"""

def scale(X):
    return {1 + n * (2**61 - 1): 0.0 for n in range(1500)}
