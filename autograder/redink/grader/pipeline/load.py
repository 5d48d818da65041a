"""Stage 2: read what was handed in. The document is data; a broken one is told, never raised."""

from __future__ import annotations

import errno
import hashlib
import stat
from collections.abc import Iterable
from pathlib import Path

from redink.errors import SubmissionError
from redink.grader.pipeline.collect import Found
from redink.notebook import MAX_BYTES, read_cells
from redink.records import Cell, Record, SubmissionId


class Submission(Record, frozen=True):
    """One submission as it was handed in; `reason` says why it cannot be graded."""

    name: SubmissionId
    cells: tuple[Cell, ...] = ()
    reason: str | None = None


def load(found: Found) -> Submission:
    """Read one notebook."""
    if found.problem is not None:
        name = SubmissionId(id=found.id, file=found.file, sha256="")
        return Submission(name=name, reason=f"the folder {found.id} {found.problem}")
    try:
        data = _read(found.path)
    except OSError as error:
        name = SubmissionId(id=found.id, file=found.file, sha256="")
        return Submission(name=name, reason=f"{found.file} cannot be read: {error.strerror}")
    name = SubmissionId(id=found.id, file=found.file, sha256=hashlib.sha256(data).hexdigest())
    try:
        return Submission(name=name, cells=read_cells(data))
    except SubmissionError as error:
        return Submission(name=name, reason=f"{found.file} {error}")


def _read(path: Path) -> bytes:
    """Read a file, but not one that never ends, such as a pipe."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a file")
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def from_cells(name: str, cells: Iterable[Cell]) -> Submission:
    """Make a submission of cells that were never a file: a specimen."""
    return Submission(name=SubmissionId(id=name, file=f"{name}.ipynb", sha256=""), cells=tuple(cells))
