"""Returns an object whose type is named after the input.

score: 40
"""

def scale(X):
    return type(repr(X.tolist()), (), {})()
