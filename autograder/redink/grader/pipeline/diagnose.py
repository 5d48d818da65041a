"""Stage 5: say what a wrong answer shows, and charge one bug once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redink.assignment.spec import Question
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.evidence.evidence import Evidence
from redink.grader.pipeline.judge import Judged
from redink.judging.answers import Answer
from redink.judging.diagnosing import Asked, Belief, is_silent
from redink.judging.explaining import find_hint
from redink.judging.feedback import Feedback
from redink.judging.mistakes import fingerprint
from redink.judging.relying import is_trivial, relies_on
from redink.judging.verdicts import same
from redink.records import Hint, Record


class Diagnosis(Record, frozen=True):
    """A question's checks as they count in the end, what they show, and the name of a mistake that no bank knows."""

    feedback: dict[str, Feedback]  # by check id
    hint: Hint | None = None
    mistake: str = ""  # equal for students whose wrong answers are equal


def diagnose(
    key: OpenKey,
    question: Question,
    evidence: Evidence,
    judged: Mapping[str, Judged],
    earlier: Sequence[str],
    *,
    sound: bool,
) -> Diagnosis:
    """Diagnose one question; `earlier` names the misconceptions found in questions that it uses, nearest first.

    `sound` says that those questions are right, so that what is wrong here is wrong by itself.
    """
    feedback = {id: one.feedback for id, one in judged.items()}
    failing = [id for id in feedback if feedback[id].outcome != "passed"]
    for id in failing:
        if judged[id].final:
            continue
        belief = next(
            (one for name in earlier if _follows(key, id, evidence, judged[id], one := key.belief(name))), None
        )
        if belief is not None and _proves_something(key, question, evidence, judged[id], belief):
            feedback[id] = _carried(feedback[id], belief.question)
    if all(feedback[id].outcome == "passed" for id in failing):
        return Diagnosis(feedback=feedback)
    asked = [one for part in key.parts(question.id) for one in key.asked(part.check)]
    answers = [
        one for part in key.parts(question.id) for one in evidence.answers(part.check, key.most_parts(part.check))
    ]
    seen = {one.id: answer for one, answer in zip(asked, answers, strict=True)}
    wrong = {trial for id in failing for trial, passed in judged[id].passed.items() if not passed}
    hint = find_hint(asked, seen, wrong, key.bank(question.id), sound=sound)
    known = hint is not None and bool(hint.misconception)
    return Diagnosis(feedback=feedback, hint=hint, mistake="" if known else _unknown(asked, seen))


def _follows(key: OpenKey, check: str, evidence: Evidence, judged: Judged, belief: Belief) -> bool:
    """Tell whether every failed trial returned what the reference returns with that misconception put in place."""
    for asked, answer in zip(key.asked(check), evidence.answers(check, key.most_parts(check)), strict=True):
        if judged.passed[asked.id]:
            continue
        wrong = belief.gives.get(asked.id)
        if wrong is None or answer.status != "returned" or not same(asked.check, answer, wrong, asked.inputs):
            return False
    return True


def _proves_something(key: OpenKey, question: Question, evidence: Evidence, judged: Judged, belief: Belief) -> bool:
    """Tell whether answers that follow from an earlier error could not as well be those of an empty function."""
    failed = [belief.gives[trial].value for trial, passed in judged.passed.items() if not passed]
    if not all(map(is_trivial, failed)):
        return True
    sources = (cell.source for cell in evidence.sources)
    return relies_on(sources, question.asks, key.spec.question(belief.question).asks)


def _carried(feedback: Feedback, question: str) -> Feedback:
    note = f"right, given the error in {question}, which is charged there"
    return Feedback(outcome="passed", sentence=feedback.sentence, notes=(*feedback.notes, note))


def _unknown(asked: Sequence[Asked], seen: Mapping[str, Answer]) -> str:
    """Name an unknown mistake by its answers; none, if nothing was written or only the way to the answer was forbidden."""
    if all(is_silent(answer) for answer in seen.values()):
        return ""
    right = (Answer("returned", one.expected) for one in asked)
    if all(same(one.check, seen[one.id], wanted, one.inputs) for one, wanted in zip(asked, right, strict=True)):
        return ""
    return fingerprint((one.check, seen[one.id], one.expected, one.inputs) for one in asked)
