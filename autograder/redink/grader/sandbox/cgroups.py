"""A control group of the kernel around each submission, where one was delegated: exact limits on a whole family.

The other limits count for each process (memory) or for each user (processes), and a watchdog adds up. A control group of
version 2 counts what everything inside it takes together, scratch files in memory included, and is asked by the kernel at
every page and every fork. It needs a group that somebody has delegated: one that we may write to and that passes the
controllers of memory and pids on to groups inside it, such as root has on a machine with systemd, or an ordinary user
below `systemd-run --user --scope`. The grader makes the groups, and puts a child in before it has anything of the student.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from pathlib import Path

from redink.records import Limits

_CONTROLLERS = {"memory", "pids"}
_MEGABYTE = 1024 * 1024
_OURS_MB, _OURS_PIDS = 64, 8  # for the box itself
_NAME = "redink-box-"
_EMPTYING = 2.0  # seconds until a group whose processes were killed must be empty
_number = itertools.count(1)


def place() -> Path | None:
    """Find the nearest group, from our own upwards, in which we may make limited groups; None where none was delegated."""
    try:
        return delegated(Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text())
    except OSError:
        return None


def delegated(membership: str, mounts: str) -> Path | None:
    """Find it, from what /proc says about our group and about what is mounted where."""
    own = next((line[3:] for line in membership.splitlines() if line.startswith("0::/")), None)
    for fields, kind in (line.split(" - ", 1) for line in mounts.splitlines() if " - " in line):
        if own is None or not kind.startswith("cgroup2 "):
            continue
        shown, top = fields.split()[3:5]
        if own != shown and not own.startswith(shown.rstrip("/") + "/"):
            continue
        here = Path(top, os.path.relpath(own, shown))
        return next((one for one in (here, *here.parents) if one.is_relative_to(top) and _gives(one)), None)
    return None


def _gives(group: Path) -> bool:
    """Tell whether groups that we make in this one would have the controllers, and whether we could fill them."""
    try:
        passed_on = (group / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False
    return set(passed_on) >= _CONTROLLERS and os.access(group, os.W_OK) and os.access(group / "cgroup.procs", os.W_OK)


class ControlGroup:
    """The group of one submission's child and of everything that it starts."""

    def __init__(self, parent: Path, limits: Limits) -> None:
        """Make it and set its limits; raise OSError where the kernel refuses."""
        self._path = parent / f"{_NAME}{os.getpid()}-{next(_number)}"
        memory = (limits.memory_mb + limits.disk_mb + _OURS_MB) * _MEGABYTE  # the scratch is memory too
        self._path.mkdir()
        try:
            self._set("memory.max", memory)
            with contextlib.suppress(OSError):  # there is none on a kernel without swap
                self._set("memory.swap.max", 0)
            self._set("memory.oom.group", 1)  # all or nobody: half a submission is of no use
            self._set("pids.max", limits.processes + _OURS_PIDS)
        except OSError:
            self.remove()
            raise

    def add(self, pid: int) -> None:
        """Put a process in; what it starts from now on is inside too."""
        if pid <= 0:  # to the kernel, 0 would be ourselves
            raise ProcessLookupError
        self._set("cgroup.procs", pid)

    def ran_out_of_memory(self) -> bool:
        """Tell whether the kernel has killed somebody inside because memory ran out."""
        with contextlib.suppress(OSError, ValueError):
            events = dict(line.split() for line in (self._path / "memory.events").read_text().splitlines())
            return int(events.get("oom_kill", 0)) > 0
        return False

    def remove(self) -> None:
        """Kill what may still be inside, and take the group away."""
        until = time.monotonic() + _EMPTYING
        while not _removed(self._path) and time.monotonic() < until:
            with contextlib.suppress(OSError):
                self._set("cgroup.kill", 1)
            time.sleep(0.01)

    def _set(self, file: str, value: int) -> None:
        (self._path / file).write_text(str(value))


def sweep(parent: Path) -> None:
    """Remove the empty groups of graders that have ended."""
    for group in parent.glob(f"{_NAME}*"):
        owner = group.name.removeprefix(_NAME).partition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            _removed(group)


def _removed(group: Path) -> bool:
    try:
        group.rmdir()  # the kernel refuses while anybody is inside
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
