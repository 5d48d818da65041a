"""Sends itself signals that it never takes, and waits: one user may have only so many.

score: 40
"""

import ctypes, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
libc = ctypes.CDLL(None)
count = 0
while libc.sigqueue(os.getpid(), signal.SIGRTMIN, None) == 0 and count < 200_000:
    count += 1
time.sleep(2)
