"""Stops itself, and is silent.

score: 40
says: waiting
"""

import signal
os.kill(os.getpid(), signal.SIGSTOP)
