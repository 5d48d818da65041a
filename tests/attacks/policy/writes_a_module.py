"""Calls the forbidden function in a module that it writes.

score: 40
says: asks you to do without
"""

with open("mine.py", "w") as file:
    file.write("import numpy\ndef spread(X):\n    return numpy.std(X, axis=0)")
import mine

def scale(X):
    return centre(X) / mine.spread(X)
