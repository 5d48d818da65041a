"""The folder of one template or zygote: made, distinguished from abandoned ones, and removed, whatever is in it.

The log in it is locked for as long as a process of ours has it open, and the kernel frees the lock when the last
one dies, however it died. So a folder whose lock is free, and in which no process works, belonged to a grader that was
killed, and the next one to start clears it away.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from typing import BinaryIO

_PREFIX = "redink-box-"
_LOG = "log"
_YOUNG = 60.0  # seconds in which a folder may not have its locked log yet


def make() -> tuple[Path, BinaryIO]:
    """Make a folder, and open its log, locked for whoever inherits it."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    log = (folder / _LOG).open("wb")
    fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return folder, log


def last_line(folder: Path) -> str:
    """Return the last line of the log."""
    with contextlib.suppress(OSError):
        return (folder / _LOG).read_text(errors="replace").strip().rpartition("\n")[2]
    return ""


def sweep() -> None:
    """Remove the folders of ours that no living process holds."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_ours(folder) and not _is_held(folder) and not _is_in_use(folder):
                remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder, also one whose parts are locked, or thousands of folders deep; raise OSError if it stays."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        subprocess.run(["/bin/chmod", "-R", "u+rwx", str(folder)], check=False, stderr=subprocess.DEVNULL)  # noqa: S603
        subprocess.run(["/bin/rm", "-rf", str(folder)], check=False, stderr=subprocess.DEVNULL)  # noqa: S603
        if folder.exists():
            raise


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
