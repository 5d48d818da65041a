"""Under which keys the observations of a submission are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redink.grader.answer_key.key import AnswerKey
from redink.grader.digests import digest, run_digest
from redink.records import Cell

_FORM = "with counts and errors"  # of what is stored of borrowing; what was stored in another form counts as not there


def observation_keys(key: AnswerKey, to_run: Sequence[Cell]) -> dict[str, str]:
    """Return a key for what each check sees: of the cells, what is called on them, the inputs, files and limits."""
    run = run_digest(to_run, key.data, key.spec.limits)
    return {part.check: digest(run, key.request_digests[part.check]) for part in key.parts}


def borrowed_name(check: str, questions: Sequence[str]) -> str:
    """Name what a check sees of the reference when it borrows a student's functions of these questions."""
    return f"{check} with {', '.join(questions)}"


def borrowed_key(key: AnswerKey, keys: Mapping[str, str], name: str) -> str:
    """Return a key for that: of what the check sees of the student, the reference, and what it borrows; '' if of none."""
    check, _, questions = name.partition(" with ")
    names = [asked for one in questions.split(", ") for asked in functions_of(key, one)]
    return digest(_FORM, keys[check], key.reference_from, *names) if check in keys and names else ""


def functions_of(key: AnswerKey, question: str) -> tuple[str, ...]:
    """Return what a question asks for; nothing, if there is no such question any more."""
    return next((one.asks for one in key.spec.questions if one.id == question), ())
