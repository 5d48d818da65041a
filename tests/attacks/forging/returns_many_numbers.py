"""Returns lists of as many numbers as may cross.

score: 40
"""

def scale(X):
    return [0.0] * 400_000
