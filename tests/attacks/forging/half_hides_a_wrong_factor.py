"""Returns an answer that is wrong by a hundredth, in half precision.

score: 40
says: too coarse
"""

def scale(X):
    return (0.992 * centre(X) / X.std(axis=0)).astype(np.float16)
