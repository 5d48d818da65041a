"""The folder of one template or zygote: made, distinguished from abandoned ones, and removed, whatever is in it.

The log in it is locked for as long as a process of ours has it open, and the kernel frees the lock when the last
one dies, however it died. So a folder whose lock is free, and in which no process works, belonged to a grader that was
killed, and the next one to start clears it away.

A submission may leave a million folders, and nobody waits for their end: what is to go is removed by a process of low
priority, which works in the folder it removes. It ends when all is gone, even if whoever started it has ended before.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from typing import BinaryIO

_PREFIX = "redink-box-"
_LOG = "log"
_BOX = "box"
_GONE = "gone-"
_REMOVE = 'nice -n 19 rm -rf -- "$1" || { chmod -R u+rwx -- "$1"; nice -n 19 rm -rf -- "$1"; }'
_YOUNG = 60.0  # seconds in which a folder may not have its locked log yet
_removals: list[subprocess.Popen[bytes]] = []  # those that we have not seen end


def make() -> tuple[Path, BinaryIO]:
    """Make a folder, and open its log, locked for whoever inherits it."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    log = (folder / _LOG).open("wb")
    fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return folder, log


def place_of_child(folder: Path) -> Path:
    """Return where a child of this folder's zygote has its own folders, if it has no mount namespace."""
    return folder / _BOX


def clear(folder: Path) -> None:
    """Take what a child left out of the next one's way, at once; it is removed in the background."""
    away = folder / f"{_GONE}{time.monotonic_ns()}"
    with contextlib.suppress(FileNotFoundError):  # in a mount namespace it is gone already
        place_of_child(folder).rename(away)  # its parent stays the same, so that its own permissions do not matter
        _start_removing(away, at=folder)


def remove(folder: Path, patience: float = 0.0) -> None:
    """Have a folder removed, whatever is in it; wait for that at most so many seconds, the rest is for the next sweep."""
    removal = _start_removing(folder, at=folder) if folder.exists() else None
    if removal is not None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            removal.wait(patience)


def last_line(folder: Path) -> str:
    """Return the last line of the log."""
    with contextlib.suppress(OSError):
        return (folder / _LOG).read_text(errors="replace").strip().rpartition("\n")[2]
    return ""


def sweep() -> None:
    """Have the folders of ours removed that no living process holds."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_ours(folder) and not _is_held(folder) and not _is_in_use(folder):
                remove(folder)


def _start_removing(what: Path, at: Path) -> subprocess.Popen[bytes] | None:
    """Start a process that works in one folder and removes another, also one with locked parts; None if there is no room."""
    _removals[:] = [one for one in _removals if one.poll() is None]
    try:
        removal = subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", _REMOVE, "sh", str(what.absolute())],
            cwd=at, env={"PATH": "/usr/bin:/bin"}, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        return None
    _removals.append(removal)
    return removal


def _is_ours(folder: Path) -> bool:
    """Tell whether this is a folder, this user's, and not a new one."""
    seen = folder.lstat()
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.geteuid() and time.time() - seen.st_mtime > _YOUNG


def _is_in_use(folder: Path) -> bool:
    """Tell whether a process works in a folder or below, whatever has become of the lock."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").readlink().is_relative_to(folder.resolve()):
                return True
    return False


def _is_held(folder: Path) -> bool:
    """Tell whether some process has the log open, and with it the lock; without a log nobody has."""
    try:
        log = os.open(folder / _LOG, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(log)
    return False
