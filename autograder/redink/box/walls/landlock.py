"""The wall against files: after it, this process and its children reach only what was named, whatever their uid."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from contextlib import suppress

from redink.box.walls import kernel

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_LOOK = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL


def version() -> int:
    """Return the kernel's version of Landlock; 0 without it."""
    try:
        return kernel.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    except OSError:
        return 0


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def restrict(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Allow reading below some paths, anything below others, and nothing else; needs no_new_privs."""
    abi = version()
    every = (1 << (13 + (abi >= 2) + (abi >= 3))) - 1 | (_IOCTL if abi >= 5 else 0)
    wanted = _Ruleset(every, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = kernel.syscall(_CREATE, ctypes.byref(wanted), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for path in readable:
            _allow(ruleset, path, _LOOK)
        for path in writable:
            _allow(ruleset, path, every)
        kernel.syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    with suppress(FileNotFoundError, PermissionError):
        at = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not os.path.isdir(path):  # noqa: PTH112 - pathlib costs a child page faults
                rights &= _OF_FILES
            rule = _Beneath(rights, at)
            kernel.syscall(_ADD, ctypes.c_int(ruleset), ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint32(0))
        finally:
            os.close(at)
