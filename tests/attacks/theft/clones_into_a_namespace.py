"""Makes a namespace with clone instead of unshare.

score: 40
"""

import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result
steal(lambda: must(libc.syscall({'x86_64': 56, 'aarch64': 220}[os.uname().machine], 0x10000011, 0, 0, 0, 0)) or os._exit(0))
