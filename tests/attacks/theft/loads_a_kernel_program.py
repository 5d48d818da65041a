"""Loads a program into the kernel with bpf.

score: 40
"""

import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result
steal(lambda: must(libc.syscall({'x86_64': 321, 'aarch64': 280}[os.uname().machine], 5, 0, 0)))
