"""Kills everybody it can.

score: 40
"""

import signal
os.kill(-1, signal.SIGKILL)
