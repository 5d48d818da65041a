"""Returns a set whose items all have one hash.

loses: repeated
says: the same hash
"""

def repeated(words):
    return {n * (2**61 - 1) for n in range(500)}
