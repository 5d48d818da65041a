"""The walls around a child, each put up where the machine has it, and named in the result.

This is the first level: an own process with a clean environment and no foreign descriptors. Namespaces, Landlock, seccomp
and cgroups are named as missing, so that a result never claims more than stood.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from pathlib import Path

from redink.records import Limits, Walls

STANDING = (
    "own_process",
    "no_new_privs",
    "rlimits",
    "empty_environment",
    "no_inherited_descriptors",
    "die_with_parent",
)
MISSING = ("user_ns", "pid_ns", "mount_ns", "net_ns", "ipc_ns", "uts_ns", "landlock", "seccomp", "own_uid", "cgroup")

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
_LARGEST_FILE = 256 * 1024 * 1024
_libc = ctypes.CDLL(None, use_errno=True)


def shield_the_zygote() -> None:
    """Let no child read or write the zygote's memory, and let orphans of children come to the zygote."""
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Die when the parent does, also if it already has."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def close_from(lowest: int) -> None:
    """Close every descriptor from `lowest` on."""
    try:
        closed = _libc.close_range(ctypes.c_uint(lowest), ctypes.c_uint(0xFFFFFFFF), ctypes.c_int(0)) == 0
    except AttributeError:  # a C library older than 2.34
        closed = False
    if not closed:
        os.closerange(lowest, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def raise_walls() -> Walls:
    """Wall this process in, before anything of the student is read; say what stands and what is missing."""
    _prctl(_PR_SET_DUMPABLE, 1)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, _LARGEST_FILE)
    return Walls(walls=STANDING, missing=MISSING)


def limit_resources(limits: Limits) -> None:
    """Set the limits that depend on the submission: the last word on CPU time, and memory."""
    _limit(resource.RLIMIT_CPU, int(limits.total_cpu) + 5)
    pages = int(Path("/proc/self/statm").read_text().split()[5])
    _limit(resource.RLIMIT_DATA, pages * resource.getpagesize() + limits.memory_mb * 1024 * 1024)


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}, {value})")
