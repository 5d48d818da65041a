"""Returns a column whose outer product has no place in memory.

score: 40
"""

def scale(X):
    return np.ones((100_000, 1))
