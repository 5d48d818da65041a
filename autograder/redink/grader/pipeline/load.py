"""Stage 2: read what was handed in. The file is data; one that cannot be read has a `reason`, and raises nothing."""

from __future__ import annotations

import hashlib

from redink.errors import SubmissionError, in_one_sentence
from redink.grader.pipeline.collect import Found
from redink.records import Record, SubmissionId
from redink.texts import clean


class Submission(Record, frozen=True):
    """One submission as it was handed in; `reason` says why it cannot be graded."""

    name: SubmissionId
    data: bytes = b""
    reason: str | None = None


def load(found: Found) -> Submission:
    """Read one file."""
    reason, data = found.problem, b""
    if reason is None:
        try:
            data = found.tree.read(found.place)
        except SubmissionError as error:
            reason = f"{found.file} {error}"
        except Exception as error:  # noqa: BLE001 - whatever one file does, it does to itself
            reason = f"{found.file} cannot be read: {clean(in_one_sentence(error))}"
    sha256 = hashlib.sha256(data).hexdigest() if reason is None else ""
    return Submission(name=SubmissionId(id=found.id, file=found.file, sha256=sha256), data=data, reason=reason)
