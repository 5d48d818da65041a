"""Points for public checks, as a student's own machine can tell them: a question's points, shared by weight."""

from __future__ import annotations

from fractions import Fraction

from redink.records import CheckResult, QuestionResult
from redink.student.homework import QuestionReport


def score_report(report: QuestionReport) -> QuestionResult:
    """Make the result of a question of which only the public checks are known."""
    weights = {id: Fraction(weight).limit_denominator(1000) for id, weight in report.weights.items()}
    whole = sum(weights.values())
    results = []
    for id, feedback in zip(report.checks, report.feedback, strict=True):
        share = weights[id] / whole if whole else Fraction(0)
        points = round(float(Fraction(report.question.points) * share), 2)
        results.append(
            CheckResult(
                id=id,
                visibility="public",
                verdict=feedback.outcome,
                score=points if feedback.passed else 0.0,
                max_score=points,
                message=feedback.text,
                notes=feedback.notes,
            )
        )
    earned = report.question.points if report.passed and whole else sum(one.score for one in results)
    return QuestionResult(
        id=report.question.id,
        title=report.question.title,
        tier=report.question.tier,
        score=round(float(earned), 2),
        max_score=float(report.question.points),
        hint=report.hint,
        checks=tuple(results),
        in_place=report.in_place,
    )
