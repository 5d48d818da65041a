"""Locks a byte of a file.

wall: seccomp
"""

LOCK = struct.Struct("hhqqi4x")

def leave():
    fcntl.lockf(file, fcntl.LOCK_SH, 1, 5)

def look():
    return LOCK.unpack(fcntl.fcntl(file, fcntl.F_GETLK, LOCK.pack(fcntl.F_WRLCK, 0, 0, 0, 0)))[0]
