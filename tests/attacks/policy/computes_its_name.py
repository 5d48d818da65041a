"""Writes the name of the forbidden function in two halves.

score: 40
says: asks you to do without
"""

def scale(X):
    return centre(X) / getattr(np, "st" + "d")(X, axis=0)
