"""Stage 2: read what was handed in. The file is data; one that cannot be read has a `reason`, and raises nothing."""

from __future__ import annotations

import errno
import hashlib
import stat
from pathlib import Path

from redink.grader.pipeline.collect import Found
from redink.notebook import MAX_BYTES
from redink.records import Record, SubmissionId


class Submission(Record, frozen=True):
    """One submission as it was handed in; `reason` says why it cannot be graded."""

    name: SubmissionId
    data: bytes = b""
    reason: str | None = None


def load(found: Found) -> Submission:
    """Read one file."""
    if found.problem is not None:
        name = SubmissionId(id=found.id, file=found.file, sha256="")
        return Submission(name=name, reason=f"the folder {found.id} {found.problem}")
    try:
        data = _read(found.path)
    except OSError as error:
        name = SubmissionId(id=found.id, file=found.file, sha256="")
        return Submission(name=name, reason=f"{found.file} cannot be read: {error.strerror}")
    name = SubmissionId(id=found.id, file=found.file, sha256=hashlib.sha256(data).hexdigest())
    return Submission(name=name, data=data)


def _read(path: Path) -> bytes:
    """Read a file, but not one that never ends, such as a pipe."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a file")
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)
