"""Returns infinities.

score: 40
"""

def scale(X):
    return np.full(X.shape, np.inf)
