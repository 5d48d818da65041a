"""Locks a file that every submission reads, where another could feel it.

score: 40
"""

import fcntl, json, struct

def feels(command):
    with open(json.__file__) as one, open(json.__file__) as other:
        command(one)
        try:
            command(other)
        except BlockingIOError:
            return True
    raise RuntimeError("no effect")

steal(lambda: feels(lambda file: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)))
steal(lambda: fcntl.fcntl(open(json.__file__), fcntl.F_SETLEASE, fcntl.F_RDLCK))
