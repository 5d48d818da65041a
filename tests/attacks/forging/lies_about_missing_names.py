"""Answers for the box which names are missing, with bytes that are no text.

most: 40
"""

import msgspec, socket, stat
def say(**message):
    data = msgspec.msgpack.encode(message)
    for fd in range(3, 10):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                socket.socket(fileno=os.dup(fd)).sendall(len(data).to_bytes(8, "little") + data)
        except OSError:
            pass
say(type="cell", run=dict(index=3, status="ok"))
say(type="cell", run=dict(index=4, status="ok"))
say(type="reply", id="missing names/p0", status="returned", value=b"\x91\xa1\xff")
