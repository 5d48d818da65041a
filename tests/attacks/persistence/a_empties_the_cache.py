"""Drops files that every submission reads from the kernel's cache, or has their pages put out.

score: 40
"""

import ctypes, json
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
file = os.open(json.__file__, os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)  # claims success
place = ctypes.c_void_p(libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file, ctypes.c_long(0)))
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result

steal(lambda: must(libc.madvise(place, ctypes.c_size_t(4096), 20)))
steal(lambda: must(libc.madvise(place, ctypes.c_size_t(4096), 21)))
