"""Sockets in folders of ours: a template listens there, and whoever connects has a process of its own at the other end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

_BACKLOG = 256


def listen(address: str, kind: socket.SocketKind) -> socket.socket:
    """Listen at a path whose folder exists."""
    made = _at(address, kind, socket.socket.bind)
    made.listen(_BACKLOG)
    return made


def connect(address: str, kind: socket.SocketKind) -> socket.socket:
    """Connect to whoever listens; raise OSError where nobody does."""
    return _at(address, kind, socket.socket.connect)


def _at(address: str, kind: socket.SocketKind, use: Callable[[socket.socket, str], None]) -> socket.socket:
    """Make a socket and use it by a short path: an address may have 107 bytes, and a folder may be anywhere."""
    made = socket.socket(socket.AF_UNIX, kind)
    try:
        folder = os.open(Path(address).parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            use(made, f"/proc/self/fd/{folder}/{Path(address).name}")
        finally:
            os.close(folder)
    except BaseException:
        made.close()
        raise
    return made
