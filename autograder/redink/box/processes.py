"""Families of processes, as /proc shows them: who descends from whom, what they used, and how to end them."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE = os.sysconf("SC_PAGESIZE") if hasattr(os, "sysconf") else 4096
_MOST = 5000
_ROUNDS = 1000
_DYING = 10.0  # seconds that a killed process may take to die
NO_ROOM = 71  # the exit code that stands for: no further process could be started


def children_of(pid: int) -> list[int]:
    """Return the direct children of all threads of a process; none if it is gone."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - half the cost of iterdir, and this is the hot path
            with contextlib.suppress(OSError):
                found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    return found


class Member(NamedTuple):
    """One process of a family: the CPU seconds of it and of those it has waited for, and its bytes in memory."""

    pid: int
    cpu: float
    resident: int


def family(pid: int) -> list[Member]:
    """Look at a process and all its living descendants, up to a number that no submission may have."""
    found: list[Member] = []
    waiting = [pid]
    while waiting and len(found) < _MOST:
        pid = waiting.pop()
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found.append(Member(pid, sum(map(int, fields[11:15])) / _TICKS, int(fields[21]) * _PAGE))
        waiting += children_of(pid)
    return found


def cpu_of_family(pid: int) -> float:
    """Add up the CPU seconds of a process, of the children it has waited for, and of all living descendants."""
    return sum(member.cpu for member in family(pid))


def threads_of_family(pid: int) -> int:
    """Count the threads of a process and of all living descendants: what the kernel's limit on processes counts."""
    count = 0
    for member in family(pid):
        with contextlib.suppress(OSError):
            count += len(os.listdir(f"/proc/{member.pid}/task"))  # noqa: PTH208 - as in children_of
    return count


def memory_of(members: Iterable[Member]) -> int:
    """Add up the bytes that processes have written, what they share counted once; this costs milliseconds."""
    return sum(_kilobytes(f"/proc/{one.pid}/smaps_rollup", ("Pss_Anon:", "Pss_Shmem:")) for one in members) * 1024


def written_by(pid: int) -> int:
    """Return the bytes that one process has written or inherited."""
    return _kilobytes(f"/proc/{pid}/status", ("RssAnon:", "RssShmem:")) * 1024


def _kilobytes(file: str, fields: tuple[str, ...]) -> int:
    with contextlib.suppress(OSError):
        return sum(int(line.split()[1]) for line in Path(file).read_text().splitlines() if line.startswith(fields))
    return 0


def kill(pid: int) -> None:
    """Kill one process, if it is still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_children_of(pid: int) -> None:
    """Kill the direct children of a process whose pid is known to be its own."""
    for child in children_of(pid):
        kill(child)


def stop_descendants_of(pid: int) -> set[int]:
    """Stop everything that has descended from a process, so that none can fork away or end meanwhile; return the pids."""
    stopped: set[int] = set()
    for _ in range(_ROUNDS):
        found = {member.pid for member in family(pid)} - {pid}
        if found <= stopped:
            break
        for one in found - stopped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGSTOP)
        stopped |= found
    return stopped


def kill_descendants_of(pid: int) -> None:
    """Kill everything that has descended from a process."""
    for one in stop_descendants_of(pid):
        kill(one)


def kill_and_await(pids: Iterable[int]) -> None:
    """Kill processes and wait, for a bounded time, until they are dead; who waits for them does it later."""
    dying = select.poll()
    held = []
    for pid in pids:
        with contextlib.suppress(OSError):
            held.append(os.pidfd_open(pid))
            kill(pid)
    for pidfd in held:
        dying.register(pidfd, select.POLLIN)
    until = time.monotonic() + _DYING
    while held and (dead := dying.poll(max(0.0, until - time.monotonic()) * 1000)):
        for pidfd, _ in dead:
            dying.unregister(pidfd)
            held.remove(pidfd)
            os.close(pidfd)
    for pidfd in held:
        os.close(pidfd)


def sweep() -> float:
    """Kill and reap every descendant of this subreaper; return the CPU seconds of those that ended, and of theirs."""
    used = 0.0
    while True:
        if children_of(os.getpid()):
            kill_descendants_of(os.getpid())
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return used
        used += usage.ru_utime + usage.ru_stime


def was_killed(code: int) -> bool:
    """Tell whether an exit code is that of a process which somebody ended: itself, the kernel or an administrator."""
    return -code in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)


def how_it_ended(code: int) -> str:
    """Describe an exit code in words; a negative one is a signal's number."""
    if code == NO_ROOM:
        return "left no room for another process"
    if code >= 0:
        return f"ended the process (exit code {code})"
    if code == -signal.SIGKILL:
        return "ended the process (killed; perhaps it used too much memory)"
    try:
        name = (signal.strsignal(-code) or "").lower()
    except ValueError:
        name = ""
    return f"ended the process ({name or f'signal {-code}'})"
