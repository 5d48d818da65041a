"""Opens files by io_uring, past the filter.

score: 40
"""

import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result
steal(lambda: must(libc.syscall(425, 4, ctypes.byref(ctypes.create_string_buffer(200)))))
