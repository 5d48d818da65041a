"""The walls around a child, each put up where the machine has it, and named in the result.

The child puts them up itself, before anything of the student is there, on what its zygote has set up; the last
one takes away the calls by which the others could be taken down.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from pathlib import Path

from redink.box.walls import kernel, landlock, namespaces, seccomp, turnstile
from redink.box.walls.setup import Setup
from redink.records import Limits, Walls

_ALWAYS = (
    "own_process",
    "no_new_privs",
    "no_capabilities",
    "rlimits",
    "empty_environment",
    "no_inherited_descriptors",
    "die_with_parent",
    "memory_watchdog",
)
_MEGABYTE = 1024 * 1024
OURS = 8  # processes and descriptors that the box itself needs
_ADDRESSES = 4096  # megabytes that may be mapped without being used
_SIGNALS = 256  # that may wait; the user namespaces of one user share a far larger number, which no box can fill alone


def shield_the_zygote() -> None:
    """Keep children from reading or writing the zygote's memory, and make the zygote the parent of their orphans."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Die when the parent does, also if it already has; a parent outside this pid namespace has the number 0."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() not in (0, parent):
        os._exit(1)


def close_from(lowest: int) -> None:
    """Close every descriptor from `lowest` on."""
    try:
        kernel.call("close_range", ctypes.c_uint(lowest), ctypes.c_uint(0xFFFFFFFF), ctypes.c_int(0))
    except OSError:  # an old kernel or C library
        os.closerange(lowest, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def raise_walls(setup: Setup, limits: Limits, gate: int | None) -> Walls:
    """Wall this process in and return what stands; its folders must be there, and its descriptors closed."""
    _limit_resources(setup, limits)
    if setup.uid != os.getuid():
        os.setgroups([])
        os.setresgid(setup.gid, setup.gid, setup.gid)
        os.setresuid(setup.uid, setup.uid, setup.uid)
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # its own /proc entries are its own
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if setup.readable is not None:
        landlock.restrict(setup.readable, setup.writable)
    if setup.filter is not None and gate is not None:
        turnstile.hand_over(seccomp.listen(setup.filter), gate)
    elif setup.filter is not None:
        seccomp.install(setup.filter)
    if setup.filter is not None and not setup.uses_namespaces:
        seccomp.install(seccomp.refusing_to_pass_descriptors())
    return Walls(walls=(*_ALWAYS, *setup.standing), missing=setup.missing)


def make_folders(setup: Setup, limits: Limits) -> None:
    """Make the child's home and working folder."""
    if setup.uses_namespaces:
        namespaces.make_folders(setup.uid, setup.gid, limits.disk_mb)
        return
    for name in ("", "home", "work", "tmp"):
        os.mkdir(f"{setup.place}/{name}", 0o700)  # noqa: PTH102 - pathlib costs a child page faults
        if setup.uid != os.getuid():
            os.chown(f"{setup.place}/{name}", setup.uid, setup.gid)


def _limit_resources(setup: Setup, limits: Limits) -> None:
    size, _, _, _, _, data, _ = map(int, Path("/proc/self/statm").read_text().split())
    page = resource.getpagesize()
    memory = limits.memory_mb * _MEGABYTE
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, int(limits.total_cpu) + 5)
    _limit(resource.RLIMIT_FSIZE, limits.disk_mb * _MEGABYTE)
    _limit(resource.RLIMIT_DATA, data * page + memory)
    _limit(resource.RLIMIT_AS, size * page + memory + _ADDRESSES * _MEGABYTE)
    _limit(resource.RLIMIT_NOFILE, limits.open_files + OURS)
    if setup.uses_namespaces:
        _limit(resource.RLIMIT_SIGPENDING, _SIGNALS)
    if setup.uses_namespaces or setup.uid != 0:
        _limit(resource.RLIMIT_NPROC, limits.processes + OURS + setup.crowd)


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))
