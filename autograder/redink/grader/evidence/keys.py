"""Under which keys the observations of a submission are kept."""

from __future__ import annotations

from collections.abc import Sequence

from redink.grader.answer_key.key import AnswerKey
from redink.grader.digests import digest, run_digest
from redink.records import Cell


def observation_keys(key: AnswerKey, to_run: Sequence[Cell]) -> dict[str, str]:
    """Return a key for what each check sees: of the cells, what is called on them, the inputs, files and limits."""
    run = run_digest(to_run, key.data, key.spec.limits)
    return {part.check: digest(run, key.request_digests[part.check]) for part in key.parts}
