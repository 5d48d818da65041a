"""Messages over a socket: eight bytes of length, checked before anything is read, and that many bytes."""

from __future__ import annotations

import socket
import struct

from redink.errors import WireError

MAX_FRAME = 64 * 1024 * 1024
_LENGTH = struct.Struct("<Q")


def send(sock: socket.socket, payload: bytes) -> None:
    """Write one frame."""
    sock.sendall(_LENGTH.pack(len(payload)) + payload)


def receive(sock: socket.socket, limit: int = MAX_FRAME) -> bytes:
    """Read one frame; `EOFError` when the other side closed, `WireError` when it claims more than `limit`."""
    (length,) = _LENGTH.unpack(_exactly(sock, _LENGTH.size))
    if length > limit:
        raise WireError(f"what came back claims {length} bytes; {limit} are allowed")
    return _exactly(sock, length)


def _exactly(sock: socket.socket, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = sock.recv(min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
