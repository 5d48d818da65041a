"""Messages over a socket: eight bytes of length, checked before anything is read, and that many bytes."""

from __future__ import annotations

import socket
import struct

from redink.errors import WireError

MAX_FRAME = 64 * 1024 * 1024
_LENGTH = struct.Struct("<Q")
_COPIED = 1 << 16  # a small frame is copied behind its length, since a second call costs more


def send(sock: socket.socket, payload: bytes) -> None:
    """Write one frame."""
    length = _LENGTH.pack(len(payload))
    if len(payload) < _COPIED:
        sock.sendall(length + payload)
    else:
        sock.sendall(length)
        sock.sendall(payload)


def receive(sock: socket.socket, limit: int = MAX_FRAME) -> bytes:
    """Read one frame; `EOFError` when the other side closed, `WireError` when it claims more than `limit`."""
    (length,) = _LENGTH.unpack(_exactly(sock, _LENGTH.size))
    if length > limit:
        raise WireError(f"what came back claims {length} bytes; {limit} are allowed")
    return _exactly(sock, length)


def _exactly(sock: socket.socket, count: int) -> bytes:
    whole = bytearray(count)
    view = memoryview(whole)
    while view:
        got = sock.recv_into(view)
        if not got:
            raise EOFError
        view = view[got:]
    return bytes(whole)
