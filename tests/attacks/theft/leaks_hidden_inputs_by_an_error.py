"""Tells the inputs of hidden checks in an exception.

score: 40
never: LEAK
"""

def scale(X):
    raise ValueError("LEAK " + repr(X.tolist()))
