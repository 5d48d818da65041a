"""How many CPUs this process may use: what it is bound to, and the share that its control groups leave it.

A container on a machine with 64 cores may have the time of two; `os.cpu_count()` says 64 there. Each group, from our own
up to the root, may have a quota: in version 2 `cpu.max` holds "quota period" in microseconds, or "max"; in version 1
`cpu.cfs_quota_us` is -1 without a limit.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")


def usable_cpus(cgroup_root: Path = CGROUPS, membership: Path = MEMBERSHIP) -> int:
    """Return how many CPUs this process can keep busy, at least 1; a part of one counts as one."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([bound, *(math.ceil(quota) for quota in _quotas(cgroup_root, membership))]))


def _quotas(root: Path, membership: Path) -> Iterator[float]:
    """Find the quotas, in CPUs, of our groups and of all groups above them."""
    for group in _groups(root, membership):
        limits = _numbers(group / "cpu.max")
        limits = limits or [*_numbers(group / "cpu.cfs_quota_us"), *_numbers(group / "cpu.cfs_period_us")]
        if len(limits) == 2 and min(limits) > 0:
            yield limits[0] / limits[1]


def _groups(root: Path, membership: Path) -> Iterator[Path]:
    """List our groups and those above; a container often sees its own group as the root, under another name."""
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for _, controllers, own in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        if controllers and "cpu" not in controllers.split(","):
            continue
        tops = (root / controllers, root / "cpu") if controllers else (root, root / "unified")
        for top in tops:
            here = top / own.lstrip("/")
            yield from (group for group in (here, *here.parents) if group.is_relative_to(top))


def _numbers(path: Path) -> list[int]:
    try:
        return [int(word) for word in path.read_text(encoding="utf-8").split()]
    except (OSError, ValueError):  # no such file, or "max"
        return []
