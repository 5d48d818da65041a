"""The grader's end of a box channel: untrusted frames, with a deadline on every one."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct

from redink.box import protocol
from redink.grader.sandbox.meter import Lost, Waiting
from redink.grader.sandbox.pidfds import pid_of
from redink.records import Limits, Record

_LENGTH = struct.Struct("<Q")
_ASIDE = 64 * 1024  # bytes that a frame may hold beside a value or an output
DISTURBED = "disturbed its connection to the grader"


class Channel:
    """Sends messages to one child and reads what it sends."""

    def __init__(self, sock: socket.socket, pidfd: int, limits: Limits) -> None:
        self._sock = sock
        self._pidfd = pidfd
        self._largest = max(limits.value_bytes, 4 * limits.output_bytes) + _ASIDE
        self._buffer = bytearray()
        sock.setblocking(False)
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self._poll.register(pidfd, select.POLLIN)

    @property
    def pid(self) -> int:
        """The child's pid; 0 when it is dead."""
        return pid_of(self._pidfd)

    def send(self, message: Record, deadline: Waiting) -> None:
        """Write one frame; a child that does not read it in time is lost."""
        payload = protocol.pack(message)
        left = memoryview(_LENGTH.pack(len(payload)) + payload)
        while left:
            try:
                left = left[self._sock.send(left) :]
            except BlockingIOError:
                self._await_room(deadline.pause())
            except OSError as error:
                raise Lost from error

    def receive(self, deadline: Waiting) -> bytes:
        """Read one frame, or raise `Lost`."""
        while True:
            if len(self._buffer) >= _LENGTH.size:
                (length,) = _LENGTH.unpack_from(self._buffer)
                if length > self._largest:
                    raise Lost(DISTURBED)
                end = _LENGTH.size + length
                if len(self._buffer) >= end:
                    frame = bytes(memoryview(self._buffer)[_LENGTH.size : end])
                    del self._buffer[:end]
                    return frame
            self._read_some(deadline.pause())

    def message(self, deadline: Waiting) -> protocol.FromBox:
        """Read one untrusted message, or raise `Lost`."""
        frame = self.receive(deadline)
        try:
            return protocol.from_box(frame)
        except Exception as error:  # msgspec, the recursion limit and memory may all complain about a stranger's bytes
            raise Lost(DISTURBED) from error

    def close(self) -> None:
        """Close both descriptors."""
        self._sock.close()
        with contextlib.suppress(OSError):
            os.close(self._pidfd)

    def await_death(self) -> None:
        """Wait a moment for a child whose socket is closed: it is most likely about to be dead."""
        with contextlib.suppress(OSError):
            self._poll.unregister(self._sock)
            self._poll.poll(1000)

    def _await_room(self, pause: float) -> None:
        """Wait a moment until the child reads, or is dead, which the next write will say."""
        room = select.poll()
        room.register(self._sock, select.POLLOUT)
        room.poll(pause * 1000 + 1)

    def _read_some(self, pause: float) -> None:
        ready = [fd for fd, _ in self._poll.poll(pause * 1000 + 1)]
        if self._sock.fileno() in ready:
            try:
                part = self._sock.recv(1 << 18)
            except BlockingIOError:
                return
            except OSError as error:
                raise Lost from error
            if not part:
                raise Lost
            self._buffer += part
        elif ready:
            raise Lost
