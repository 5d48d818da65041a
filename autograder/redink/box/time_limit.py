"""Limits on time: CPU time decides, wall time is the backstop.

ITIMER_PROF counts the CPU time of this process, user and system, in all threads. When it runs out its signal raises
`OverTime` in the student's code, and again every tenth of a second, since a bare `except` may swallow it. Code that
never comes back to the interpreter is killed by the grader.
"""

from __future__ import annotations

import signal
from types import FrameType, TracebackType

from redink.errors import OverTime

_AGAIN = 0.1


class TimeLimit:
    """Raises `OverTime` in the block that it guards."""

    def __init__(self, cpu: float, wall: float = 0.0) -> None:
        """Take seconds of CPU time, and of wall time; 0 stands for no limit on the latter."""
        self.cpu = cpu
        self.wall = wall
        self.sentence = ""
        self._armed = False

    def __enter__(self) -> TimeLimit:
        self._armed = True
        signal.signal(signal.SIGPROF, self._rings)
        signal.signal(signal.SIGALRM, self._rings)
        signal.setitimer(signal.ITIMER_PROF, self.cpu, _AGAIN)
        signal.setitimer(signal.ITIMER_REAL, self.wall, 10 * _AGAIN)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.disarm()

    def disarm(self) -> None:
        """Stop both clocks."""
        self._armed = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _rings(self, number: int, frame: FrameType | None) -> None:
        if not self._armed:
            return
        if not self.sentence:
            self.sentence = out_of_cpu(self.cpu) if number == signal.SIGPROF else out_of_wall(self.wall)
        raise OverTime(self.sentence)


def out_of_cpu(seconds: float) -> str:
    """Say that CPU time ran out."""
    return f"took more than {seconds:g} s of CPU time"


def out_of_wall(seconds: float) -> str:
    """Say that wall time ran out."""
    return f"had not ended after {seconds:g} s of waiting"
