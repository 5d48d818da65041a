"""System calls that Python has no name for, through the C library; each raises `OSError` when the kernel refuses."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Final

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000

MS_RDONLY: Final = 1
MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_PRIVATE: Final = 1 << 18

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_CAPBSET_DROP: Final = 24
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38

_MOUNT_SETATTR, _MNT_DETACH = 442, 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_CAPABILITY_VERSION_3 = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library that returns -1 and sets errno on failure."""
    try:
        function = getattr(_libc, name)
    except AttributeError:
        raise OSError(38, f"{name}: this C library has no such function") from None
    result = function(*arguments)
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return int(result)


def syscall(number: int, *arguments: object) -> int:
    """Make a system call by number; only for those that have one number on every machine (424 and above)."""
    return call("syscall", ctypes.c_long(number), *arguments)


def prctl(option: int, value: object = 0, pointer: object = 0) -> int:
    """Change something about this process."""
    words = [ctypes.c_ulong(word) if isinstance(word, int) else word for word in (value, pointer, 0, 0)]
    return call("prctl", ctypes.c_int(option), *words)


def unshare(flags: int) -> None:
    """Leave some namespaces for fresh ones."""
    call("unshare", ctypes.c_int(flags))


def setns(fd: int, kind: int) -> None:
    """Go (back) to a namespace."""
    call("setns", ctypes.c_int(fd), ctypes.c_int(kind))


def mount(source: str | None, target: str, kind: str | None = None, flags: int = 0, options: str | None = None) -> None:
    """Mount something."""
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind, options)]
    call("mount", words[0], words[1], words[2], ctypes.c_ulong(flags), words[3])


def read_only(tree: str) -> None:
    """Make all mounts from here on read-only, without set-uid programs; flags that cannot be changed stay."""
    wanted = _Attributes(MS_RDONLY | MS_NOSUID, 0, 0, 0)
    syscall(_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(tree), _AT_RECURSIVE, ctypes.byref(wanted), ctypes.sizeof(wanted))


def change_root(tree: str) -> None:
    """Make a tree the root, and detach everything outside it."""
    os.chdir(tree)
    call("pivot_root", b".", b".")  # the old root is now mounted over the new one, and is taken off
    call("umount2", b".", ctypes.c_int(_MNT_DETACH))
    os.chdir("/")


def drop_capabilities() -> None:
    """Keep no capability of any kind."""
    nothing = (ctypes.c_uint32 * 6)()
    call("capset", ctypes.byref(_Header(_CAPABILITY_VERSION_3, 0)), ctypes.byref(nothing))


def bound_capabilities() -> None:
    """Make sure that no program executed from here on can gain a capability."""
    for number in range(int(Path("/proc/sys/kernel/cap_last_cap").read_text()) + 1):
        prctl(PR_CAPBSET_DROP, number)
