"""Drops a file from the kernel's cache; another asks which of its pages are in memory.

wall: seccomp
"""

def leave():
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

again = leave

def look():
    file.read()
    time.sleep(0.2)
    pages = (ctypes.c_ubyte * (SIZE // 4096))()
    call("mincore", mapped(), ctypes.c_size_t(SIZE), pages)
    return pages[SIZE // 8192] & 1
