"""Returns lists nested 100,000 deep.

score: 40
"""

def scale(X):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep
