"""Stage 5: say what a wrong answer shows, once the errors of earlier questions are carried forward (carry.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from redink.assignment.spec import Question
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.evidence.evidence import Evidence
from redink.grader.pipeline.carry import Earlier, carry
from redink.grader.pipeline.judge import Judged
from redink.judging.answers import Answer
from redink.judging.diagnosing import Asked, is_silent
from redink.judging.explaining import find_hint
from redink.judging.feedback import Feedback
from redink.judging.mistakes import fingerprint
from redink.judging.verdicts import is_untried, same
from redink.records import Hint, Record


class Diagnosis(Record, frozen=True):
    """A question's checks as they count in the end, what they show, and the name of a mistake that no bank knows."""

    feedback: dict[str, Feedback]  # by check id
    hint: Hint | None = None
    mistake: str = ""  # equal for students whose wrong answers are equal
    untried: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)  # checks, and what they should borrow


def diagnose(
    key: OpenKey, question: Question, evidence: Evidence, judged: Mapping[str, Judged], earlier: Earlier
) -> Diagnosis:
    """Diagnose one question."""
    carried = carry(key, question, evidence, judged, earlier)
    if all(one.passed for one in carried.feedback.values()):
        return Diagnosis(feedback=carried.feedback)
    asked = [one for part in key.parts(question.id) for one in key.asked(part.check)]
    answers = [
        one for part in key.parts(question.id) for one in evidence.answers(part.check, key.most_parts(part.check))
    ]
    seen = {one.id: answer for one, answer in zip(asked, answers, strict=True)}
    failing = (one for one in judged.values() if not one.feedback.passed)
    wrong = {trial for one in failing for trial, passed in one.passed.items() if not passed}
    bank = key.bank(question.id)
    hint = None if carried.tangled else find_hint(asked, seen, wrong, bank, sound=earlier.sound)
    mistake = "" if hint is not None and hint.misconception else _unknown(asked, seen)
    return Diagnosis(feedback=carried.feedback, hint=hint, mistake=mistake, untried=carried.untried)


def _unknown(asked: Sequence[Asked], seen: Mapping[str, Answer]) -> str:
    """Name an unknown mistake by its answers; none, if nothing was answered or only the way to the answer was forbidden.

    What could not be tried here says nothing, and is left out.
    """
    tried = [one for one in asked if not is_untried(seen[one.id])]
    if all(is_silent(answer) or (answer.status == "returned" and _is_blank(answer.value)) for answer in seen.values()):
        return ""
    right = (Answer("returned", one.expected) for one in tried)
    if all(same(one.check, seen[one.id], wanted, one.inputs) for one, wanted in zip(tried, right, strict=True)):
        return ""
    return fingerprint((one.check, seen[one.id], one.expected, one.inputs) for one in tried)


def _is_blank(value: Any) -> bool:
    """Tell whether an answer is None, or holds nothing else: a concept question as it was handed out, an empty function."""
    if isinstance(value, list | dict):
        items = value.values() if isinstance(value, dict) else value
        return bool(value) and all(map(_is_blank, items))
    return value is None
