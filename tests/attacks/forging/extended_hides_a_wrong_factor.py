"""Returns a wrong answer as long doubles.

score: 40
"""

def scale(X):
    return (0.992 * centre(X) / X.std(axis=0)).astype(np.longdouble)
