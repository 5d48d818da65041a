"""Watches a file that every submission reads.

score: 40
"""

import ctypes, fcntl, json
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result

steal(lambda: must(libc.inotify_init()))
steal(lambda: must(libc.inotify_init1(0)))
steal(lambda: fcntl.fcntl(os.open(os.path.dirname(json.__file__), os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS))
