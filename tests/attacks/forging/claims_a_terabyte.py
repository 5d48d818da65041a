"""Claims to send a terabyte.

score: 40
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

def scale(X):
    say((1 << 40).to_bytes(8, "little") + b"x" * 1000)
    return X
