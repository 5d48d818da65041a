"""Sends itself signals that it does not take, as many as one user may.

open: root without namespaces, user without namespaces
"""

def leave():
    while True:
        call("sigqueue", os.getpid(), signal.SIGRTMIN, None)

def look():
    return call("sigqueue", os.getpid(), signal.SIGRTMIN, None)
