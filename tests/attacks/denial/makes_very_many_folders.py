"""Makes folders until its time is over, for somebody else to remove.

score: 40
says: took more than|waiting|OSError
"""

for number in range(10**9):
    os.mkdir(f"folder{number}")
