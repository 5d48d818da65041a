"""Searches the keyrings of its user.

score: 40
"""

import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result
steal(lambda: must(libc.syscall({'x86_64': 250, 'aarch64': 219}[os.uname().machine], 0, -4, 1)))
