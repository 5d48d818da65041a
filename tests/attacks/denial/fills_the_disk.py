"""Writes one file without an end.

score: 40
says: OSError
"""

with open("big", "wb") as file:
    while True:
        file.write(b"x" * 1_000_000)
