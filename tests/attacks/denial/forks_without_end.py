"""A fork bomb.

score: 40
says: took more than|ran more than|ended the process|used up|waiting
"""

while True:
    try:
        os.fork()
    except OSError:
        pass
