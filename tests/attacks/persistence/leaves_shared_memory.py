"""Leaves shared memory and message queues in the kernel.

score: 40
"""

import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result

steal(lambda: must(libc.shmget(7, 4096, 0o1666)))
steal(lambda: must(libc.msgget(7, 0o1666)))
steal(lambda: must(libc.semget(7, 1, 0o1666)))
