"""Swallows every interruption and then answers.

score: 40
says: took more than|waiting
"""

def scale(X):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
