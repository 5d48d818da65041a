"""Fills files in memory that have no name.

score: 40
says: PermissionError
"""

for _ in range(100):
    fd = os.memfd_create("hoard")
    os.write(fd, b"x" * 10_000_000)
