"""Mounts the course over its own folder.

score: 40
"""

import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result
steal(lambda: must(libc.mount(COURSE.encode(), b'.', None, 4096, None)))
