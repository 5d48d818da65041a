"""Stage 2: read what was handed in. The file is data; one that cannot be read has a `reason`, and raises nothing."""

from __future__ import annotations

import hashlib

from redink.errors import SubmissionError, in_one_sentence
from redink.grader.intake.scripts import SCRIPT, read_script
from redink.grader.pipeline.collect import Found
from redink.grader.store.collected import HandIn
from redink.notebook import write_cells
from redink.records import Record, SubmissionId
from redink.texts import clean


class Submission(Record, frozen=True):
    """One submission as it was handed in; `reason` says why it cannot be graded.

    `attempt` is its id in the gradebook, if it was collected before; otherwise `handed` is what is to be kept of it.
    """

    name: SubmissionId
    data: bytes = b""
    reason: str | None = None
    attempt: int = 0
    handed: HandIn | None = None


def load(found: Found) -> Submission:
    """Read one file."""
    reason, handed_in, data = found.problem, b"", b""
    if reason is None:
        try:
            handed_in = found.tree.read(found.place)
            data = as_notebook(found.file, handed_in)
        except SubmissionError as error:
            reason = f"{found.file} {error}"
        except Exception as error:  # noqa: BLE001 - whatever one file does, it does to itself
            reason = f"{found.file} cannot be read: {clean(in_one_sentence(error))}"
    sha256 = hashlib.sha256(handed_in).hexdigest() if reason is None else ""
    return Submission(
        name=SubmissionId(id=found.id, file=found.file, sha256=sha256),
        data=data,
        reason=reason,
        attempt=found.submission,
        handed=found.handed,
    )


def as_notebook(name: str, data: bytes) -> bytes:
    """Return a notebook's bytes as they are, and a script as a notebook; `SubmissionError` says why that is not possible."""
    return write_cells(read_script(data)) if name.lower().endswith(SCRIPT) else data
