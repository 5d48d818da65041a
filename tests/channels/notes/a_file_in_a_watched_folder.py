"""Reads a file in a folder that another watches.

wall: seccomp
"""

def leave():
    pass

def again():
    open(SHARED, "rb").read(1)

def look():
    fcntl.fcntl(os.open(os.path.dirname(SHARED), os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    return signal.sigtimedwait([signal.SIGIO], 2) is not None
