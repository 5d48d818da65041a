"""What all trees have in common: names that stand for something, and regular files that can be read.

A tree knows no students and no notebooks. Names are as the disk or the archive has them, so they may hold anything
(`texts.file_name` writes them down). Whatever is not a regular file can be listed, and reading it says what it is.
"""

from __future__ import annotations

from typing import Protocol

from redink.errors import SubmissionError
from redink.files import Kind
from redink.records import Record

MOST_ENTRIES = 50_000  # in an archive, or directly in one folder

Place = tuple[str, ...]  # the names that lead to something, from the top


class Entry(Record, frozen=True):
    """Something in a folder: its name, and what it is."""

    name: str
    kind: Kind


def too_many(most: int) -> SubmissionError:
    """Return the error for a folder that holds more than so many files."""
    return SubmissionError(f"holds more than {most} files")


class Tree(Protocol):
    """A folder on disk or in an archive, with all that lies below it."""

    def entries(self, folder: Place = (), most: int = MOST_ENTRIES) -> list[Entry]:
        """List what lies directly in a folder, in the order of names; `SubmissionError` says why it cannot be listed."""

    def read(self, file: Place) -> bytes:
        """Read a file of at most `notebook.MAX_BYTES`; `SubmissionError` says why that is not possible."""

    def position(self, file: Place) -> int:
        """Tell where a file stands: files are read fastest in this order."""

    def size(self, file: Place) -> int:
        """Return how many bytes are unpacked to read a file; 0 where nothing is, or where it is refused."""
