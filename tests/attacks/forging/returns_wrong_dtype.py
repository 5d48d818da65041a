"""Returns numbers as text.

score: 40
"""

def scale(X):
    return (centre(X) / X.std(axis=0)).astype(str)
