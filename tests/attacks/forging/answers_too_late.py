"""Sleeps past every limit.

score: 40
says: waiting
"""

import time
def scale(X):
    time.sleep(1000)
    return centre(X) / X.std(axis=0)
