"""Returns a thousand million rows of nothing.

score: 40
"""

def scale(X):
    return np.zeros((10**9, 0))
