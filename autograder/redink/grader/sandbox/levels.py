"""How much the walls that stand are worth together: full, good or weak; decided from their names alone."""

from __future__ import annotations

from typing import Literal

from redink.records import Walls

Level = Literal["full", "good", "weak"]
_FULL = {"pid_ns", "mount_ns", "net_ns", "ipc_ns", "landlock", "seccomp"}


def level(walls: Walls) -> Level:
    """Return full where two walls stand before every secret, good where one does, weak where student code reaches one."""
    standing = set(walls.walls)
    if standing >= _FULL:
        return "full"
    files = standing & {"mount_ns", "landlock"}
    network = standing & {"net_ns", "seccomp"}
    others = "pid_ns" in standing or standing >= {"landlock", "seccomp"}
    return "good" if files and network and others else "weak"
