"""Returns an answer that is wrong by a thousandth, in single precision.

score: 40
"""

def scale(X):
    return (0.999 * centre(X) / X.std(axis=0)).astype(np.float32)
