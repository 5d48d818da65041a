"""Stops the process that made it.

score: 40
"""

import signal
for pid in {os.getppid(), 1} - {0}:
    try:
        os.kill(pid, signal.SIGSTOP)
    except OSError:
        pass
