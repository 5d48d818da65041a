"""Takes memory in many processes at once.

score: 40
says: used more than 400 MB of memory
"""

import time
for _ in range(8):
    if os.fork() == 0:
        mine = bytearray(100_000_000)
        mine[::4096] = b"x" * len(mine[::4096])
        time.sleep(1000)
time.sleep(1000)
