"""Sends descriptors that nobody takes, as many as one user may.

wall: seccomp
open: user
"""

def leave():
    global here, there
    here, there = socket.socketpair()
    while True:
        socket.send_fds(here, [b"x"], [0] * 100)

def look():
    here, there = socket.socketpair()
    return socket.send_fds(here, [b"x"], [0])
