"""Locks a file as a whole.

wall: seccomp
"""

def leave():
    fcntl.flock(file, fcntl.LOCK_EX)

def look():
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
