"""A folder on disk: opened once, and everything below it by descriptors, so that no link leads out of it."""

from __future__ import annotations

import contextlib
import itertools
import os
import weakref
from collections.abc import Iterator
from pathlib import Path

from redink.errors import SubmissionError
from redink.files import Kind, kind_of, read_file, refuse_unless_file
from redink.grader.intake.tree import MOST_ENTRIES, Entry, Place, too_many

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PIECE = 1 << 20  # bytes that are copied at once


class Folder:
    """A folder on disk, as a `Tree`; its own path may be a link, for whoever named it meant that."""

    def __init__(self, path: Path) -> None:
        self._top = os.open(path, _FLAGS)
        weakref.finalize(self, os.close, self._top)

    def entries(self, folder: Place = (), most: int = MOST_ENTRIES) -> list[Entry]:
        """List what lies directly in a folder."""
        with self._opened(folder) as descriptor, os.scandir(descriptor) as found:
            entries = [Entry(name=one.name, kind=_kind(one)) for one in itertools.islice(found, most + 1)]
        if len(entries) > most:
            raise too_many(most)
        return sorted(entries, key=lambda one: one.name)

    def read(self, file: Place) -> bytes:
        """Read a file."""
        with self._opened(file[:-1]) as descriptor:
            return read_file(file[-1], folder=descriptor, follow=False)

    def copy(self, file: Place, to: Path, most: int) -> int:
        """Copy a file of at most so many bytes, and return how many it has; `SubmissionError` says why not."""
        with self._opened(file[:-1]) as descriptor:
            source = os.open(file[-1], _FILE, dir_fd=descriptor)
        with os.fdopen(source, "rb") as reading, to.open("xb") as writing:
            refuse_unless_file(kind_of(os.fstat(source).st_mode))
            while piece := reading.read(min(_PIECE, most + 1 - writing.tell())):
                writing.write(piece)
            size = writing.tell()
        if size > most:
            raise SubmissionError("is too large")
        return size

    def position(self, file: Place) -> int:
        """Return the same for all: a disk has no order."""
        return 0

    def size(self, file: Place) -> int:
        """Return 0: nothing is unpacked."""
        return 0

    @contextlib.contextmanager
    def _opened(self, folder: Place) -> Iterator[int]:
        """Open a folder, one name after the other."""
        descriptor = os.dup(self._top)
        try:
            for name in folder:
                below = os.open(name, _FLAGS | os.O_NOFOLLOW, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
            yield descriptor
        finally:
            os.close(descriptor)


def _kind(entry: os.DirEntry[str]) -> Kind:
    """Name what an entry is, from the folder itself where it says so: looking at each costs a large class some time."""
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    if entry.is_file(follow_symlinks=False):
        return "file"
    return kind_of(entry.stat(follow_symlinks=False).st_mode)
