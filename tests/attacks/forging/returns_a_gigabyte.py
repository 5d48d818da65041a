"""Returns more than may be returned.

score: 40
"""

def scale(X):
    return np.zeros(20_000_000)
