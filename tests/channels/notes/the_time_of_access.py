"""Reads a file that nobody has read for long.

open: root without namespaces, user without namespaces
"""

def leave():
    file.read()

def look():
    return os.stat(SHARED).st_atime_ns
