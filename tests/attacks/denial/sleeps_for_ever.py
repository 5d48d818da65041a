"""Sleeps.

score: 40
says: waiting
"""

import time
time.sleep(10_000)
