"""Returns arrays without elements, all of which agree.

score: 40
"""

def scale(X):
    return X[:0]
