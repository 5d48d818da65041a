"""How much a submission uses and how long the grader waits for it, both measured from outside the box."""

from __future__ import annotations

import os
import time
from typing import Protocol

from redink.box.processes import Member, family, memory_of, written_by
from redink.box.time_limit import out_of_cpu, out_of_wall
from redink.records import Limits

_QUICK = 0.05  # most frames arrive within these seconds, and cost no look into /proc
_SPARE = 16  # processes of the box itself, and some more, so that the kernel refuses first where it can


class Lost(Exception):  # noqa: N818 - an outcome, not an error of ours
    """Nothing sensible will come any more; its text says why, or is empty when the child's end will say it."""


class Late(Lost):
    """Code that cannot be interrupted has passed its time limit."""


class Exhausted(Lost):
    """The CPU time or the patience that the whole submission may have is used up."""


class Greedy(Lost):
    """The submission's processes together use more memory than allowed, or there are too many of them."""


class Killed(Lost):
    """A process of the submission was killed, and not by us; from outside or by itself, nobody can tell."""


class Waiting(Protocol):
    """Decides how long the grader waits for a frame."""

    def pause(self) -> float:
        """Return the seconds until it should be asked again; raise `Late` when the time is over."""
        ...


def out_of_memory(limits: Limits) -> str:
    """Say that memory ran out."""
    return f"used more than {limits.memory_mb} MB of memory"


def waited_too_long(limits: Limits) -> str:
    """Say that a submission slept or waited away its time."""
    return f"the submission waited too long: {limits.waiting:g} s of sleeping or waiting in all"


class Meter:
    """Measures what one submission uses: CPU time, wall time, memory and processes, over all its children."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.ended = 0.0  # CPU seconds of children that have ended
        self._zygote = 0
        self._before = 0.0
        self._inherited = self._ours = 0
        self._waited = 0.0  # wall seconds of children that have ended
        self._since = time.monotonic()
        self._earliest = self._since + min(limits.waiting, limits.total_cpu / (os.cpu_count() or 1))

    def follow(self, zygote: int) -> None:
        """Count from here on for a new child of this zygote."""
        self._zygote = zygote
        members = family(zygote)
        self._before = sum(member.cpu for member in members)
        self._inherited = max((written_by(member.pid) for member in members), default=0)  # what every fork shares
        self._ours = len(members)

    def start_clock(self) -> None:
        """Count wall time from here on: the child has been told to run, and decides how long that takes."""
        self._since = time.monotonic()

    def stop_clock(self) -> None:
        """Count no more wall time until the next child runs: making and ending children is our own work."""
        self._waited += time.monotonic() - self._since

    def read(self) -> float:
        """Return the CPU seconds of the current child's family; raise when the submission has used all it may."""
        members = family(self._zygote)
        self._check_memory(members)
        used = sum(member.cpu for member in members) - self._before
        if self.ended + used > self.limits.total_cpu:
            raise Exhausted(f"the submission used up its {self.limits.total_cpu:g} s of CPU time")
        if self._waited + time.monotonic() - self._since > self.limits.wall(self.ended + used):
            raise Exhausted(waited_too_long(self.limits))
        return used

    def _check_memory(self, members: list[Member]) -> None:
        """Raise when there are too many processes or they use too much; shared memory is looked at only on suspicion."""
        if len(members) - self._ours > self.limits.processes + _SPARE:
            raise Greedy(f"ran more than {self.limits.processes} processes at a time")
        allowed = self.limits.memory_mb * 1024 * 1024
        suspected = sum(max(0, member.resident - self._inherited) for member in members)
        if suspected > allowed and memory_of(members) - self._inherited > allowed:
            raise Greedy(out_of_memory(self.limits))

    def check_total(self) -> None:
        """Read, but not before so much CPU or wall time can have been used at all, and not too often."""
        now = time.monotonic()
        if now >= self._earliest:
            self._earliest = now + _QUICK
            self.read()


class Allowance:
    """How long the grader waits for one frame of student code: the soft limit inside the box, and some more."""

    def __init__(self, meter: Meter, cpu: float) -> None:
        self._meter = meter
        self._cpu = cpu
        self._wall = cpu * meter.limits.wall_factor
        self._started = time.monotonic()
        self._base: float | None = None
        self._next = self._started + _QUICK

    def pause(self) -> float:
        """Return the seconds until the next look at the clocks; raise `Late` when the time is over."""
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


class Deadline:
    """A plain wall-clock deadline, for steps in which no student code runs."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def pause(self) -> float:
        """Return the seconds left; raise `Late` when there are none."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise Late("the box was silent")
        return left
