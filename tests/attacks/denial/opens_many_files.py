"""Opens files until it gets no more.

score: 40
says: Too many open files
"""

hoard = [open('/dev/null') for _ in range(100_000)]
