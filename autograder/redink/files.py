"""Reading a file that somebody handed in: a regular file of bounded size, or a sentence that says what else it is; and
writing one of ours whole or not at all.

Nothing here waits for a pipe or wakes a device: what a name stands for is looked at before it is opened, and once more
after that, by the descriptor, since it may have been replaced in between.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

from redink.errors import SubmissionError
from redink.notebook import MAX_BYTES, too_large

Kind = Literal["file", "folder", "link", "pipe", "socket", "device", "refused"]  # refused: for a reason that is told

_KINDS: dict[int, Kind] = {
    stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket",
}  # fmt: skip
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # Windows lacks one, others the other

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def read_file(path: Path | str, *, folder: int | None = None, follow: bool = True) -> bytes:
    """Read a notebook's file, below the descriptor of a folder; `SubmissionError` says why that is not possible."""
    try:
        refuse_unless_file(kind_of(os.stat(path, dir_fd=folder, follow_symlinks=follow).st_mode))
        flags = _FLAGS if follow else _FLAGS | os.O_NOFOLLOW
        with os.fdopen(os.open(path, flags, dir_fd=folder), "rb") as file:
            seen = os.fstat(file.fileno())
            refuse_unless_file(kind_of(seen.st_mode))
            data = b"" if seen.st_size > MAX_BYTES else file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}") from error
    if max(seen.st_size, len(data)) > MAX_BYTES:
        raise too_large(max(seen.st_size, len(data)))
    return data


def kind_of(mode: int) -> Kind:
    """Name the kind of file that a mode describes."""
    return _KINDS.get(stat.S_IFMT(mode), "device")


def refuse_unless_file(kind: Kind) -> None:
    """Raise the sentence for what is not a file."""
    if kind == "link":
        raise SubmissionError("is a link, and links are not followed")
    if kind != "file":
        raise SubmissionError(f"is a {kind}, not a file")


def write_whole(path: Path, data: bytes, *, private: bool = False, durable: bool = False) -> None:
    """Write a file that appears whole or not at all; a device or a pipe is written to, and never replaced.

    What an interrupted one leaves has a name of its own beside it, which the next one writes over. `private`: for its owner
    alone. `durable`: also a power cut leaves the old or the new one.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    path = path.resolve()  # a link stays a link
    part = path.with_name(f".{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, _NEW, 0o600 if private else 0o666), "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
