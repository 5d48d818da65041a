"""Points for public checks, as a student's own machine can tell them: a question's points, shared by weight."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from types import MappingProxyType

from redink.assignment.sharing import rounded_points, share_points
from redink.records import CheckResult, QuestionResult
from redink.student.homework import Homework, QuestionReport

_TIERS = MappingProxyType({"core": "public", "extra": "extra"})


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


def total_line(reports: Sequence[QuestionReport]) -> str:
    """Sum up the public points of all questions in one line, and say what is graded later."""
    checked = {
        tier: [score_report(one) for one in reports if not one.graded_later and one.question.tier == tier]
        for tier in _TIERS
    }
    parts = [f"{_sum(results)} {name} points" for (tier, name) in _TIERS.items() if (results := checked[tier])]
    later = [f"{one.question.id} ({one.question.points:g} points)" for one in reports if one.graded_later]
    parts += [f"{', '.join(later)} after the deadline"] if later else []
    return "; ".join([*parts, hidden_of(reports)])


def hidden_of(reports: Sequence[QuestionReport]) -> str:
    """Say how many hidden checks follow to all of these questions, where that is known."""
    counts = [one.hidden for one in reports if one.hidden is not None]
    return hidden_ones(sum(counts)) if counts else "hidden checks follow"


def hidden_ones(count: int) -> str:
    """Say how many hidden checks follow."""
    return f"{count or 'no'} hidden check{' follows' if count == 1 else 's follow'}"


def _sum(results: Sequence[QuestionResult]) -> str:
    score, most = (math.fsum(values) for values in zip(*((one.score, one.max_score) for one in results), strict=True))
    return f"{round(score, 2):g} of {round(most, 2):g}"


def last_line(homework: Homework, report: QuestionReport, reports: Iterable[QuestionReport]) -> str:
    """Say how many hidden checks a question has beside these, and how far the assignment is by what was checked so far."""
    shared = "; they share its points" if report.hidden and not report.graded_later else ""
    hidden = "" if report.hidden is None else f"{hidden_ones(report.hidden)} when it is graded{shared}.".capitalize()
    return " ".join(part for part in (hidden, _progress(homework, reports)) if part)


def _progress(homework: Homework, reports: Iterable[QuestionReport]) -> str:
    weighted = {check.question for check in homework.checks if check.weight}
    core = [one for one in homework.spec.questions if one.tier == "core" and one.id in weighted]
    if len(core) < 2:
        return ""
    score = math.fsum(score_report(one).score for one in reports if one.question in core)
    most = math.fsum(one.points for one in core)
    done = f"{round(score, 2):g} of {most:g} points"
    return f"Your total, of the questions checked so far: {done}. check() runs all questions."
