"""Returns an iterator without an end.

score: 40
"""

import itertools
def scale(X):
    return itertools.count()
