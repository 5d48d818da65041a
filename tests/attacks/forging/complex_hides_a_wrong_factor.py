"""Returns a wrong answer as complex numbers of single precision.

score: 40
"""

def scale(X):
    return (0.992 * centre(X) / X.std(axis=0)).astype(np.complex64)
