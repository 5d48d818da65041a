"""Takes memory that no limit of a process counts.

score: 40
says: used more than 400 MB of memory|Error|took more than|waiting
"""

import mmap, time
hoard = []
while True:
    hoard.append(mmap.mmap(-1, 100_000_000))
    hoard[-1].write(b"x" * 100_000_000)
