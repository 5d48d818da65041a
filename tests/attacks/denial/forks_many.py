"""Starts as many sleeping processes as it gets.

score: 40
says: BlockingIOError|ran more than
"""

import time
for _ in range(500):
    if os.fork() == 0:
        time.sleep(1000)
time.sleep(1000)
