"""Observations of gradebooks that were written before they belonged to submissions.

They are stored under hashes of what was run: the key of the run, then `when`, inputs, and the key of the trial before.
The migration found the key of each submission's run, so the others follow from the answer key.
"""

from __future__ import annotations

from collections.abc import Set

import msgspec

from redink.grader.answer_key.key import AnswerKey, Part
from redink.grader.digests import digest
from redink.grader.evidence.packing import pack_observations
from redink.grader.store.gradebook import Gradebook
from redink.records import Observation


def old_contents(book: Gradebook, key: AnswerKey, submission: int, checks: Set[str]) -> dict[str, bytes]:
    """Find what these checks saw of a submission, packed; a check of which a trial is missing is left out."""
    run = book.old_run_key(submission)
    if run is None:
        return {}
    found: dict[str, bytes] = {}
    for part in key.parts:
        if part.check in checks:
            keys = _old_keys(run, part)
            rows = book.old_observations(keys)
            if all(one in rows for one in keys):
                seen = [msgspec.msgpack.decode(rows[one], type=Observation) for one in keys]
                found[part.check] = pack_observations(seen)
    return found


def _old_keys(run: str, part: Part) -> list[str]:
    keys: list[str] = []
    for request in part.requests:
        keys.append(digest(run, request.when, request.inputs, keys[-1] if keys else ""))
    return keys
