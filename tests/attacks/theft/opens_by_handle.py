"""Opens files by handle, past all paths.

score: 40
"""

import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result
steal(lambda: must(libc.open_by_handle_at(-100, b'\0' * 100, 0)))
