"""Tells the kernel how long what is written to a file will live.

wall: seccomp
"""

F_GET_RW_HINT, F_SET_RW_HINT = 1035, 1036

def leave():
    fcntl.fcntl(file, F_SET_RW_HINT, struct.pack("Q", 4))

def look():
    return fcntl.fcntl(file, F_GET_RW_HINT, bytes(8))
