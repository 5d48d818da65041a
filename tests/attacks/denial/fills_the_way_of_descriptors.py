"""Sends itself descriptors that it never takes, and waits: one user may have only so many under way.

score: 40
"""

import socket, time
here, there = socket.socketpair()
try:
    while True:
        socket.send_fds(here, [b"x"], [0] * 100)
except OSError:
    time.sleep(2)
