"""The turnstile: where the kernel does not count a box's processes by themselves, each new one asks the zygote first.

The kernel's own limit counts all processes of a user. In a user namespace, or under a uid of its own, a box is alone with
it; without either, a limit tight enough to stop a fork bomb would be filled by the neighbours, and one that is not lets
the bomb fill the machine. So the seccomp filter holds every call that makes a process or a thread until the zygote, which
alone has the other end, says yes or no. When the zygote closes its end nothing in the box can fork any more, and what is
there can be killed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import socket
import struct
import time

from redink.box import processes
from redink.box.walls import kernel, seccomp

_RECEIVE, _SEND, _GO_ON = 0xC0502100, 0xC0182101, 1
_LENGTH, _QUESTION, _ANSWER = 80, struct.Struct("<QI"), struct.Struct("<QqiI")
_AGAIN = 0.05  # seconds before a full box is counted again
_ON_THEIR_WAY = 0.5  # seconds that a fork may take


def available() -> bool:
    """Try, in a throw-away process, whether the kernel gives a filter with a listener: it gives only one to a family."""
    attempt = os.fork()
    if not attempt:
        code = 1
        try:
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
            seccomp.listen(seccomp.NOTHING_REFUSED)
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(attempt, 0)[1] == 0


def hand_over(listener: int, gate: int) -> None:
    """Pass the listener to the zygote, and close it here."""
    with socket.socket(fileno=gate) as way:
        socket.send_fds(way, [b"!"], [listener])
    os.close(listener)


class Turnstile:
    """The zygote's end: lets pass as many as one submission may have at a time."""

    def __init__(self, allowed: int) -> None:
        """Open a way to a child that is about to be forked, by which its listener will come."""
        self._way, self.gate = socket.socketpair()
        self._listener: int | None = None
        self._allowed = allowed
        self._room = 0
        self._next = 0.0
        self._forking: dict[int, float] = {}  # threads that were let pass, and since when

    def fileno(self) -> int:
        """Return the descriptor to wait for; -1 when nothing will come any more."""
        return self._way.fileno() if self._listener is None else self._listener

    def turn(self) -> None:
        """Take what has arrived: the listener itself, or a question."""
        if self._listener is None:
            _, descriptors, _, _ = socket.recv_fds(self._way, 1, 1)
            self._way.close()
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
                self._listener = descriptor
        elif _asks(self._listener):
            self._answer(self._listener)
        else:
            self.close()

    def close(self) -> None:
        """Refuse everybody from now on: every further fork fails."""
        self.gate.close()
        self._way.close()
        if self._listener is not None:
            os.close(self._listener)
            self._listener = None

    def _answer(self, listener: int) -> None:
        question = bytearray(_LENGTH)
        with contextlib.suppress(FileNotFoundError):  # who asked was killed meanwhile
            fcntl.ioctl(listener, _RECEIVE, question)
            number, thread = _QUESTION.unpack_from(question)
            answer = (number, 0, 0, _GO_ON) if self._may_pass(thread) else (number, 0, -errno.EAGAIN, 0)
            fcntl.ioctl(listener, _SEND, _ANSWER.pack(*answer))

    def _may_pass(self, asker: int) -> bool:
        """Count those who are let in; when the room is used up, look how many are still there."""
        now = time.monotonic()
        self._forking.pop(asker, None)  # who asks again has done what it was allowed before
        if self._room == 0 and now >= self._next:
            self._room = max(0, self._allowed - self._count(now))
            if self._room == 0:
                self._next = now + _AGAIN
        if self._room == 0:
            return False
        self._room -= 1
        self._forking[asker] = now
        return True

    def _count(self, now: float) -> int:
        """Count those who are there, and those who may be on their way: a fork that was just allowed is not seen yet."""
        self._forking = {one: since for one, since in self._forking.items() if now - since < _ON_THEIR_WAY}
        return processes.threads_of_family(os.getpid()) - 1 + len(self._forking)


def _asks(listener: int) -> bool:
    """Tell whether a question is there; if not, everybody is gone."""
    events = select.poll()
    events.register(listener, select.POLLIN)
    return any(what & select.POLLIN for _, what in events.poll(0))
