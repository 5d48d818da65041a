"""Processes that are not our children, held by descriptor: no number can be reused under our hands."""

from __future__ import annotations

import contextlib
import select
import signal
from pathlib import Path


def pid_of(pidfd: int) -> int:
    """Return the pid of a process in this process's eyes; 0 when it is dead."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        if line.startswith("Pid:"):
            return max(0, int(line[4:]))
    return 0


def has_ended(pidfd: int, seconds: float) -> bool:
    """Wait until a process has ended; tell whether it has, after at most so many seconds."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def kill(pidfd: int) -> None:
    """Kill a process, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
