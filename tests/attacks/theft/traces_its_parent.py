"""Attaches to its parent as a debugger.

score: 40
"""

import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result
steal(lambda: must(libc.ptrace(16, os.getppid() or 1, 0, 0)))
