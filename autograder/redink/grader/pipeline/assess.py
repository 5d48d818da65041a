"""Judge → diagnose → score, for one submission: the one way from what was seen to points.

Grading, re-judging and verifying all use it. It is a pure function of the answer key and the evidence. A question whose
basis (rules, expected values, observations, earlier misconceptions and changes in place) is the one of an earlier
assessment keeps its outcome, and so does one of which something has not been seen.
"""

from __future__ import annotations

from collections.abc import Mapping

from redink.assignment.spec import Question
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.digests import digest
from redink.grader.evidence.evidence import Evidence
from redink.grader.pipeline.budget import OVERRUN, UNLIMITED, Budget
from redink.grader.pipeline.diagnose import Diagnosis, diagnose
from redink.grader.pipeline.judge import Judged, Memory, judge
from redink.grader.pipeline.score import score, total
from redink.records import Assessment, QuestionResult


def assess(
    key: OpenKey,
    evidence: Evidence,
    memory: Memory,
    before: Assessment | None = None,
    budget: Budget = UNLIMITED,
) -> Assessment:
    """Judge, diagnose and score all questions, in order, so that an error found early can be carried forward."""
    earlier = {} if before is None else {one.id: one for one in before.questions}
    results: dict[str, QuestionResult] = {}
    bases: dict[str, str] = {}
    mistakes: dict[str, str] = {}
    for question in key.spec.questions:
        found = _misconceptions(key, question, results)
        charged = [used for used in key.spec.all_used(question) if results[used].in_place]
        if before is not None and _is_unseen(key, question, evidence):
            basis = before.bases.get(question.id, "")
        else:
            basis = _basis(key, question, evidence, found, charged)
        if before is not None and question.id in earlier and before.bases.get(question.id, "") == basis:
            results[question.id] = earlier[question.id]
            mistake = before.mistakes.get(question.id, "")
        else:
            judged = judge(key, question, evidence, memory, budget, charged)
            diagnosis = _diagnose(key, question, evidence, judged.checks, found, budget)
            results[question.id] = score(key, question, diagnosis, judged.in_place)
            mistake = diagnosis.mistake
        bases[question.id] = basis
        if mistake:
            mistakes[question.id] = mistake
    questions = tuple(results.values())
    return Assessment(score=total(key.spec, questions), questions=questions, bases=bases, mistakes=mistakes)


def _diagnose(
    key: OpenKey,
    question: Question,
    evidence: Evidence,
    judged: Mapping[str, Judged],
    found: list[str],
    budget: Budget,
) -> Diagnosis:
    """Diagnose a question; answers that cost more to compare than they may have no hint."""
    try:
        with budget.step():
            return diagnose(key, question, evidence, judged, found)
    except OVERRUN:
        return Diagnosis(feedback={id: one.feedback for id, one in judged.items()})


def _misconceptions(key: OpenKey, question: Question, results: Mapping[str, QuestionResult]) -> list[str]:
    """Name the misconceptions found in the questions that this one uses, nearest first."""
    hints = (results[used].hint for used in key.spec.all_used(question))
    return [hint.misconception for hint in hints if hint is not None]


def _is_unseen(key: OpenKey, question: Question, evidence: Evidence) -> bool:
    """Tell whether some check of a question has seen nothing; its outcome is then the earlier one."""
    return any(part.check not in evidence.digests for part in key.parts(question.id))


def _basis(key: OpenKey, question: Question, evidence: Evidence, found: list[str], charged: list[str]) -> str:
    seen = (evidence.digests[part.check] for part in key.parts(question.id))
    reads_source = bool(question.forbids or found or charged)  # for forbidden names, and what uses an earlier function
    searched = digest(evidence.sources_digest, *sorted(key.spec.all_asked())) if reads_source else ""
    return digest(
        key.question_digest(question), searched, evidence.failures, *seen, *found, "changed in place", *charged
    )
