"""Locks a byte of a file for whoever shares its description.

wall: seccomp
"""

LOCK = struct.Struct("hhqqi4x")
F_OFD_GETLK, F_OFD_SETLK = 36, 37

def leave():
    fcntl.fcntl(file, F_OFD_SETLK, LOCK.pack(fcntl.F_RDLCK, 0, 5, 1, 0))

def look():
    return LOCK.unpack(fcntl.fcntl(file, F_OFD_GETLK, LOCK.pack(fcntl.F_WRLCK, 0, 0, 0, 0)))[0]
