"""Starts as many processes as it may; another looks how many it may start itself."""

def leave():
    for _ in range(200):
        if not os.fork():
            signal.pause()

def look():
    count = 0
    while count < 40:
        made = os.fork()
        if not made:
            signal.pause()
        count += 1
    return count
