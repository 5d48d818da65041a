"""Drops a file from the kernel's cache; another reads it without waiting.

wall: seccomp
"""

def leave():
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

again = leave

def look():
    file.read()
    time.sleep(0.2)
    return os.preadv(file.fileno(), [bytearray(4096)], SIZE // 2, os.RWF_NOWAIT)
