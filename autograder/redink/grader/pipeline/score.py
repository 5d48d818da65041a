"""Stage 6: turn verdicts into points. Only `passed` earns any."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from redink.assignment.sharing import rounded_points, share_points
from redink.assignment.spec import Question, Spec
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.pipeline.diagnose import Diagnosis
from redink.records import CheckResult, QuestionResult


def score(key: OpenKey, question: Question, diagnosis: Diagnosis, in_place: str | None = None) -> QuestionResult:
    """Make the result of one question; `in_place` names the check that was charged for a change in place."""
    parts = key.parts(question.id)
    shares = share_points(question.points, [part.weight for part in parts])
    results = []
    earned = Fraction(0)
    for part, share in zip(parts, shares, strict=True):
        feedback = diagnosis.feedback[part.check]
        passed = feedback.outcome == "passed"
        earned += share if passed else 0
        results.append(
            CheckResult(
                id=part.check,
                visibility=part.visibility,
                verdict=feedback.outcome,
                score=rounded_points(share) if passed else 0.0,
                max_score=rounded_points(share),
                message=feedback.text,
                notes=feedback.notes,
            )
        )
    return QuestionResult(
        id=question.id,
        title=question.title,
        tier=question.tier,
        score=rounded_points(earned),
        max_score=float(question.points),
        hint=diagnosis.hint,
        checks=tuple(results),
        in_place=in_place,
    )


def total(spec: Spec, questions: Iterable[QuestionResult]) -> float:
    """Add up the questions that count."""
    counted = ("core", "extra") if spec.bonus else ("core",)
    return round(sum(question.score for question in questions if question.tier in counted), 2)
