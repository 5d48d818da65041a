"""Sleeps in every call, each within its own limit.

most: 40
says: waited too long: 10 s
"""

import time
def scale(X):
    time.sleep(2)
    return X
def centre(X):
    time.sleep(2)
    return X - X.mean(axis=0)
