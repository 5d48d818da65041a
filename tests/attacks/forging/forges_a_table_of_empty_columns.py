"""Sends a DataFrame of 100,000 columns without rows, past the encoder.

most: 40
"""

import sys
import msgspec
columns = [[str(n), []] for n in range(100_000)]
data = msgspec.msgpack.encode(msgspec.msgpack.Ext(9, msgspec.msgpack.encode([False, [None], [], columns])))
def scale(X):
    frame = sys._getframe()
    while frame:
        wire = frame.f_globals.get("wire")
        if wire is not None:
            wire.encode = lambda value, **how: data
        frame = frame.f_back
    return X
