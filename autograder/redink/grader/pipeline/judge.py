"""Stage 4: judge every check of a question from what was seen. Pure, and remembered under its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from redink.assignment.spec import Question
from redink.grader.answer_key.key import Part
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.budget import OVERRUN, Budget
from redink.grader.digests import digest
from redink.grader.evidence.evidence import Evidence
from redink.judging import forbidding, in_place, verdicts
from redink.judging.answers import Answer
from redink.judging.diagnosing import Asked
from redink.judging.feedback import Feedback, forbidden_feedback, give_feedback, unjudged_feedback
from redink.judging.in_place import Changes
from redink.judging.relying import relies_on
from redink.records import NOT_WRITTEN, CellRun, ForbiddenCall, Record, Verdict

_RIGHT = Verdict(verdict="passed")


class Judged(Record, frozen=True):
    """A check's outcome, and which of its trials passed."""

    feedback: Feedback
    passed: dict[str, bool]  # by trial id
    final: bool = False  # it failed by more than its answers, which no earlier error excuses
    changes: Changes = Changes()


class Memory:
    """Judgements made before, and those made now; a cache, by a key of everything that a judgement depends on."""

    def __init__(self, known: Mapping[str, bytes] | None = None) -> None:
        self.known = {} if known is None else known
        self.new: dict[str, bytes] = {}

    def find(self, key: str) -> Judged | None:
        """Return an earlier judgement."""
        data = self.known.get(key)
        return None if data is None else msgspec.msgpack.decode(data, type=Judged)

    def keep(self, key: str, judged: Judged) -> Judged:
        """Remember a judgement."""
        self.new[key] = msgspec.msgpack.encode(judged)
        return judged


class JudgedQuestion(NamedTuple):
    """The checks of a question by id, and the one that was charged for a change in place, if one was."""

    checks: dict[str, Judged]
    in_place: str | None = None


def judge(
    key: OpenKey, question: Question, evidence: Evidence, memory: Memory, budget: Budget, charged: Sequence[str] = ()
) -> JudgedQuestion:
    """Judge all checks of a question; one whose answers cost more to judge than they may has failed.

    `charged` names the questions that it uses and that were charged for a change in place, nearest first.
    """
    breaches = _breaches(key, question, evidence, budget) if question.forbids else {}
    parts = key.parts(question.id)
    judged = {part.check: _judge_check(key, part, evidence, memory, breaches, budget) for part in parts}
    if not any(one.changes.seen for one in judged.values()):
        return JudgedQuestion(judged)
    looked = [
        in_place.Looked(
            part.check, part.visibility, part.weight, judged[part.check].feedback, judged[part.check].changes
        )
        for part in parts
    ]
    first = in_place.first_changed(looked)
    earlier = _charged_earlier(key, question, evidence, charged, budget) if first and charged else None
    paying = None if earlier else first
    told = in_place.settle(looked, first, earlier)
    return JudgedQuestion(
        {
            id: msgspec.structs.replace(one, feedback=told[id], final=one.final or id == paying)
            for id, one in judged.items()
        },
        paying,
    )


def _charged_earlier(
    key: OpenKey, question: Question, evidence: Evidence, charged: Sequence[str], budget: Budget
) -> str | None:
    """Find the question that has paid for a change in place already: one that the notebook's code relies on here."""
    sources = [cell.source for cell in evidence.sources]
    try:
        with budget.step():
            return next((id for id in charged if relies_on(sources, question.asks, key.spec.question(id).asks)), None)
    except OVERRUN:
        return None


def _breaches(key: OpenKey, question: Question, evidence: Evidence, budget: Budget) -> dict[str, str]:
    """Say for each function of a question which forbidden name it uses, by its source or by what was seen.

    What cannot be read within the budget counts as forbidden, or it would be the way around.
    """
    published: list[ForbiddenCall] = []
    secret: list[ForbiddenCall] = []
    for part in key.parts(question.id):
        for trial, calls in zip(part.trials, evidence.forbidden_calls(part.check), strict=True):
            (published if trial.published else secret).extend(calls)
    seen = forbidding.breaches_seen(published, secret, question.asks, question.forbids, key.spec.all_asked())
    try:
        with budget.step():
            return seen | forbidding.breaches(evidence.readable_sources, question.asks, question.forbids)
    except OVERRUN:
        return dict.fromkeys(question.asks, "the cells that define it take too long to read")


def judgement_key(key: OpenKey, part: Part, evidence: Evidence) -> str:
    """Return a key of all that a verdict on one check depends on, apart from a forbidden name."""
    expected = key.key.expected_digests[part.check]
    return digest(
        part.judged_by, part.check, part.visibility, expected, evidence.digests[part.check], evidence.failures
    )


def _judge_check(
    key: OpenKey, part: Part, evidence: Evidence, memory: Memory, breaches: dict[str, str], budget: Budget
) -> Judged:
    check = key.checks[part.check]
    if breaches and (breach := check.first_of(breaches)):
        return _failed(part, forbidden_feedback(check, breach))
    name = judgement_key(key, part, evidence)
    if (known := memory.find(name)) is not None:
        return known
    try:
        with budget.step():
            judged = _from_answers(key, part, evidence)
    except OVERRUN as error:
        return _failed(part, unjudged_feedback(check, error))
    return memory.keep(name, judged)


def _failed(part: Part, feedback: Feedback) -> Judged:
    return Judged(feedback=feedback, passed={trial.id: False for trial in part.trials}, final=True)


def _from_answers(key: OpenKey, part: Part, evidence: Evidence) -> Judged:
    check, asked = key.checks[part.check], key.asked(part.check)
    answers = evidence.answers(part.check, key.most_parts(part.check))
    rows = []
    for trial, answer, wanted in zip(part.trials, answers, asked, strict=True):
        verdict = (
            _RIGHT if _is_expected(answer, wanted) else verdicts.judge(check, answer, wanted.expected, wanted.inputs)
        )
        rows.append((trial, answer, wanted.expected, _explained(verdict, evidence.failed)))
    return Judged(
        feedback=give_feedback(check, part.visibility, rows),
        passed={row[0].id: row[3].verdict == "passed" for row in rows},
        changes=in_place.find_changes(check, part.visibility, (row[:2] for row in rows)),
    )


def _is_expected(answer: Answer, wanted: Asked) -> bool:
    """Tell whether an answer is the reference's own, byte for byte: that was judged when the key was made."""
    return answer.status == "returned" and answer.data == wanted.data and answer.modified == wanted.modified


def _explained(verdict: Verdict, failed: tuple[CellRun, ...]) -> Verdict:
    """Where a function is missing, name the cells that may have been meant to define it."""
    if verdict.verdict != "not_run" or verdict.message == NOT_WRITTEN or not failed:
        return verdict
    cells = ", ".join(f"cell {cell.index} ({_short(cell.error)})" for cell in failed[:3])
    return Verdict(verdict="not_run", message=f"{verdict.message}; these cells failed: {cells}")


def _short(error: str) -> str:
    """Keep the kind of an error: its text is the student's own and may say anything."""
    return error.split(":")[0].split(" (")[0][:60] or "stopped"
