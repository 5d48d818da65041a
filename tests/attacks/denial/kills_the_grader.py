"""Kills the grader.

score: 40
"""

import signal
steal(lambda: os.kill(GRADER, signal.SIGUSR1))
