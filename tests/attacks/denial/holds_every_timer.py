"""Takes over every signal handler and timer.

score: 40
says: took more than|waiting
"""

import signal
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.setitimer(signal.ITIMER_PROF, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
while True:
    pass
