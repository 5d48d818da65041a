"""Returns arrays that are empty, with a billion rows.

score: 40
"""


def scale(X):
    return np.zeros((10**9, 0))
