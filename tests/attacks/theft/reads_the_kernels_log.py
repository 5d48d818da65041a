"""Reads the kernel's log.

score: 40
"""

import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result
steal(lambda: must(libc.klogctl(3, ctypes.create_string_buffer(100), 100)) and open('/dev/kmsg').read(1))
