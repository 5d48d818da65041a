"""Takes a lease on a file.

wall: seccomp
"""

def leave():
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)

def look():
    return fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
