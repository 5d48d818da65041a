"""Drops a file from the kernel's cache; another asks how many of its pages are there.

wall: seccomp
"""

CACHESTAT = 451

def leave():
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

again = leave

def look():
    file.read()
    time.sleep(0.2)
    span, found = (ctypes.c_uint64 * 2)(0, SIZE), (ctypes.c_uint64 * 5)()
    call("syscall", CACHESTAT, file.fileno(), span, found, 0)
    return found[0]
