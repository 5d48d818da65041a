"""Returns a list that holds itself.

score: 40
"""

def scale(X):
    loop = []
    loop.append(loop)
    return loop
