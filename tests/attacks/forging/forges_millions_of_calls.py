"""Forges a reply that names millions of forbidden calls and changed inputs.

most: 40
"""

import msgspec, socket
def scale(X):
    grader = socket.socket(fileno=os.dup(3))
    calls = msgspec.msgpack.encode([dict(name='x', within=['y'] * 4_000_000)])
    for id in ('has_unit_spread/p0', 'has_unit_spread/p1'):
        data = msgspec.msgpack.encode(dict(type='reply', id=id, status='returned', value=b'', modified='y,' * 4_000_000, calls=calls))
        grader.sendall(len(data).to_bytes(8, 'little') + data)
    os._exit(0)
