"""Reads from every descriptor that it did not open.

score: 40
"""

for fd in range(5, 1024):
    try:
        os.fstat(fd)
    except OSError:
        continue
    steal(lambda: fd)
