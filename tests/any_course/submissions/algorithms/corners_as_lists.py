"""Returns a list of two tuples.

loses: corners
says: Expected a tuple of 2, got a list of 2
"""

def corners(points):
    a, b = zip(*points)
    return [(min(a), min(b)), (max(a), max(b))]
