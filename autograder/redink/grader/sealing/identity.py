"""The identity that opens a sealed key: from a file, or from the environment, where it may not stay.

`del os.environ[…]` would leave it in `/proc/PID/environ`, which shows what a program was started with. So the program
starts itself once more without the variable, and the identity passes through a file that exists in memory alone.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from redink.errors import CourseError
from redink.grader.private import keep_private
from redink.grader.sealing.age import SECRET, new_pair

VARIABLE = "REDINK_IDENTITY"
_DESCRIPTOR = "REDINK_IDENTITY_DESCRIPTOR"
_MOST = 1 << 16


def new_identity(path: Path) -> str:
    """Write a new identity for its owner alone, as age-keygen does, and return its recipient; never over a file."""
    identity, recipient = new_pair()
    text = f"# created: {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}\n# public key: {recipient}\n{identity}\n"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise CourseError(f"{path} exists; an identity is never written over another file") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return recipient


def take_identity(file: Path | None) -> tuple[str, ...]:
    """Return the identities, from a file or else from the environment; from then on nobody can look into this process.

    Where the environment has one, the program starts again without it, and this function returns in that second life.
    """
    if sys.platform != "linux":
        raise CourseError(
            "a sealed key is opened on Linux alone: elsewhere there is no box to keep it from student code"
        )
    if VARIABLE in os.environ:
        _start_again(os.environ[VARIABLE])
    keep_private()
    told = _handed_over()
    if file is not None:
        told = _read(file)
    elif told is None:
        raise CourseError(f"an identity is needed to open it: --identity FILE, or its text in {VARIABLE}")
    found = tuple(line.strip() for line in told.splitlines() if line.strip().upper().startswith(SECRET))
    if not found:
        raise CourseError(f"the identity holds no line that begins with {SECRET}")
    return found


def _start_again(identity: str) -> NoReturn:
    descriptor = os.memfd_create("identity", 0)
    os.write(descriptor, identity.encode()[:_MOST])
    kept = {name: value for name, value in os.environ.items() if name != VARIABLE}
    command = [sys.executable, *sys.orig_argv[1:]]
    os.execve(sys.executable, command, {**kept, _DESCRIPTOR: str(descriptor)})  # noqa: S606 - our own command again


def _handed_over() -> str | None:
    """Read what the first life passed on, and close it: no process that is started from here has it."""
    told = os.environ.pop(_DESCRIPTOR, None)
    if told is None:
        return None
    try:
        with os.fdopen(int(told), "rb") as file:
            file.seek(0)
            return file.read(_MOST).decode()
    except (OSError, ValueError) as error:
        raise CourseError(f"{_DESCRIPTOR} is set by Redink alone; unset it") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")[:_MOST]
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"the identity {path} cannot be read: {error}") from error
