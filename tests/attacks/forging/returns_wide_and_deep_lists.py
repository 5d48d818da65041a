"""Returns lists that are wide and deep.

score: 40
"""

def scale(X):
    rows = []
    for _ in range(2_000):
        deep = 0.0
        for _ in range(38):
            deep = [deep]
        rows.append(deep)
    return rows
