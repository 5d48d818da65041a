"""The grader's end of a box channel: frames from a stranger, with a deadline on every one.

Used by the grader alone; it stands here because both ends of a channel should be read together.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import time
from pathlib import Path

from redink import wire
from redink.box import protocol
from redink.box.processes import Member, family, memory_of, written_by
from redink.box.time_limit import out_of_cpu, out_of_wall
from redink.records import Limits, Record

_LENGTH = struct.Struct("<Q")
_QUICK = 0.05  # most frames are here by then, and cost no look into /proc
_ASIDE = 64 * 1024  # what a frame may hold beside a value or an output
_SENDING = 60.0
_SPARE = 16  # processes of the box itself, and some, so that the kernel says no first where it can


class Lost(Exception):  # noqa: N818 - an outcome, not an error of ours
    """Nothing sensible will come any more; its text says why, or is empty when the child's end will say it."""


class Late(Lost):
    """The time limit was passed by code that does not let itself be interrupted."""


class Exhausted(Lost):
    """The CPU time of the whole submission is used up."""


class Greedy(Lost):
    """The submission's processes together took more memory, or became more, than allowed."""


def out_of_memory(limits: Limits) -> str:
    """Say that memory ran out."""
    return f"used more than {limits.memory_mb} MB of memory"


class Meter:
    """Measures from outside what one submission uses: CPU time, memory and processes, over all its children."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.ended = 0.0  # what finished children used
        self._zygote = 0
        self._before = 0.0
        self._inherited = self._ours = 0
        self._earliest = time.monotonic() + limits.total_cpu / (os.cpu_count() or 1)

    def follow(self, zygote: int) -> None:
        """Count from here for a new child of this zygote."""
        self._zygote = zygote
        members = family(zygote)
        self._before = sum(member.cpu for member in members)
        self._inherited = max((written_by(member.pid) for member in members), default=0)  # what every fork shares
        self._ours = len(members)

    def read(self) -> float:
        """Give the CPU seconds of the current child's family; raise when the submission has used all it may."""
        members = family(self._zygote)
        self._weigh(members)
        used = sum(member.cpu for member in members) - self._before
        if self.ended + used > self.limits.total_cpu:
            raise Exhausted(f"the submission used up its {self.limits.total_cpu:g} s of CPU time")
        return used

    def _weigh(self, members: list[Member]) -> None:
        """Raise when there are too many processes, or they take too much; shared memory is told apart only on suspicion."""
        if len(members) - self._ours > self.limits.processes + _SPARE:
            raise Greedy(f"ran more than {self.limits.processes} processes at a time")
        allowed = self.limits.memory_mb * 1024 * 1024
        suspected = sum(max(0, member.resident - self._inherited) for member in members)
        if suspected > allowed and memory_of(members) - self._inherited > allowed:
            raise Greedy(out_of_memory(self.limits))

    def check_total(self) -> None:
        """Read, but not before so much CPU time can have been used at all, nor too often."""
        now = time.monotonic()
        if now >= self._earliest:
            self._earliest = now + _QUICK
            self.read()


class Allowance:
    """How long the grader waits for one frame: the soft limit inside the box, and some more."""

    def __init__(self, meter: Meter, cpu: float) -> None:
        self._meter = meter
        self._cpu = cpu
        self._wall = cpu * meter.limits.wall_factor
        self._started = time.monotonic()
        self._base: float | None = None
        self._next = self._started + _QUICK

    def pause(self) -> float:
        """Give the seconds until the next look at the clocks; raise `Late` when the time is over."""
        now = time.monotonic()
        if now < self._next:
            return self._next - now
        if now - self._started > self._wall + 2.0:
            raise Late(out_of_wall(self._wall))
        read = self._meter.read()
        if self._base is None:
            self._base = read
        left = 1.25 * self._cpu + 0.25 - (read - self._base)
        if left < 0:
            raise Late(out_of_cpu(self._cpu))
        step = min(max(left, 0.02), 0.15)
        self._next = now + step
        return step


class Patience:
    """A plain wall-clock deadline, for what takes no student's time."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def pause(self) -> float:
        """Give the seconds left; raise `Late` when there are none."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise Late("the box was silent")
        return left


class Channel:
    """Speaks with one child."""

    def __init__(self, sock: socket.socket, pidfd: int, limits: Limits) -> None:
        self._sock = sock
        self._pidfd = pidfd
        self._largest = max(limits.value_bytes, 4 * limits.output_bytes) + _ASIDE
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self._poll.register(pidfd, select.POLLIN)

    @property
    def pid(self) -> int:
        """The child's pid in this process's eyes; 0 when it is dead."""
        for line in Path(f"/proc/self/fdinfo/{self._pidfd}").read_text().splitlines():
            if line.startswith("Pid:"):
                return max(0, int(line[4:]))
        return 0

    def send(self, message: Record) -> None:
        """Write one frame; a child that does not read it is lost."""
        self._sock.settimeout(_SENDING)
        try:
            wire.send(self._sock, protocol.pack(message))
        except OSError as error:
            raise Lost from error
        finally:
            self._sock.setblocking(False)

    def receive(self, deadline: Allowance | Patience) -> bytes:
        """Read one frame, or raise `Lost`."""
        while True:
            if len(self._buffer) >= _LENGTH.size:
                (length,) = _LENGTH.unpack_from(self._buffer)
                if length > self._largest:
                    raise Lost("disturbed its connection to the grader")
                end = _LENGTH.size + length
                if len(self._buffer) >= end:
                    frame = bytes(memoryview(self._buffer)[_LENGTH.size : end])
                    del self._buffer[:end]
                    return frame
            self._read_some(deadline.pause())

    def message(self, deadline: Allowance) -> protocol.FromBox:
        """Read one message of a stranger, or raise `Lost`."""
        frame = self.receive(deadline)
        try:
            return protocol.from_box(frame)
        except Exception as error:  # msgspec, the recursion limit and memory may all complain about a stranger's bytes
            raise Lost("disturbed its connection to the grader") from error

    def close(self) -> None:
        """Give both descriptors back."""
        self._sock.close()
        with contextlib.suppress(OSError):
            os.close(self._pidfd)

    def await_death(self) -> None:
        """Wait a moment for a child whose socket is closed: it is most likely about to be dead."""
        with contextlib.suppress(OSError):
            self._poll.unregister(self._sock)
            self._poll.poll(1000)

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
