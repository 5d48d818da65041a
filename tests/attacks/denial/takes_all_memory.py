"""Takes 50 GB of memory.

score: 40
says: MemoryError|took more than|waiting|used more than
"""

hoard = []
while True:
    hoard.append(np.ones(10_000_000))
