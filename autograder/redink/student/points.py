"""Points for public checks, as a student's own machine can tell them: a question's points, shared by weight."""

from __future__ import annotations

from fractions import Fraction

from redink.assignment.sharing import rounded_points, share_points
from redink.records import CheckResult, QuestionResult
from redink.student.homework import QuestionReport


def score_report(report: QuestionReport) -> QuestionResult:
    """Make the result of a question of which only the public checks are known."""
    shares = share_points(report.question.points, [report.weights[id] for id in report.checks])
    results = []
    for id, feedback, share in zip(report.checks, report.feedback, shares, strict=True):
        points = rounded_points(share)
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
    earned = sum(share for share, feedback in zip(shares, report.feedback, strict=True) if feedback.passed)
    return QuestionResult(
        id=report.question.id,
        title=report.question.title,
        tier=report.question.tier,
        score=rounded_points(Fraction(earned)),
        max_score=float(report.question.points),
        hint=report.hint,
        checks=tuple(results),
        in_place=report.in_place,
    )
