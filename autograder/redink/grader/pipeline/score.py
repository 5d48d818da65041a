"""Stage 6: turn verdicts into points. Points come only by positive proof."""

from __future__ import annotations

from fractions import Fraction

from redink.assignment.spec import FULL_MARKS, Question
from redink.grader.answer_key.make import Paper
from redink.grader.pipeline.diagnose import Diagnosis
from redink.grader.pipeline.load import Submission
from redink.grader.pipeline.observe import Seen
from redink.records import CheckResult, QuestionResult, Result, State, Walls


def score(paper: Paper, submission: Submission, seen: Seen, diagnosis: Diagnosis) -> Result:
    """Make the result of a submission that was observed and judged."""
    questions = tuple(_question(paper, question, diagnosis) for question in paper.assignment.spec.questions)
    counted = ("core", "extra") if paper.assignment.spec.bonus else ("core",)
    total = sum(question.score for question in questions if question.tier in counted)
    return Result(
        assignment=paper.assignment.slug,
        version=paper.assignment.version,
        secret=paper.secret,
        submission=submission.name,
        state="graded",
        reason=None,
        score=round(total, 2),
        max_score=FULL_MARKS,
        questions=questions,
        cells=seen.run.cells,
        box=seen.run.box,
        cpu_seconds=seen.run.cpu_seconds,
        wall_seconds=seen.run.wall_seconds,
    )


def without_grade(paper: Paper, submission: Submission, state: State, reason: str) -> Result:
    """Make the result of a submission that could not be observed: `ungradable` is a zero, `internal_error` is none."""
    return Result(
        assignment=paper.assignment.slug,
        version=paper.assignment.version,
        secret=paper.secret,
        submission=submission.name,
        state=state,
        reason=reason,
        score=0.0,
        max_score=FULL_MARKS,
        questions=(),
        cells=(),
        box=Walls(),
        cpu_seconds=0.0,
        wall_seconds=0.0,
    )


def _question(paper: Paper, question: Question, diagnosis: Diagnosis) -> QuestionResult:
    checks = [check for check in paper.assignment.checks if check.question == question.id]
    weights = sum(Fraction(check.weight).limit_denominator(1000) for check in checks)
    results = []
    earned = Fraction(0)
    for check in checks:
        share = Fraction(question.points) * Fraction(check.weight).limit_denominator(1000) / weights
        told = diagnosis.told[check.id]
        earned += share if told.passed else 0
        results.append(
            CheckResult(
                id=check.id,
                visibility=paper.assignment.visibility(check),
                verdict=told.outcome,
                score=_points(share) if told.passed else 0.0,
                max_score=_points(share),
                message=told.text,
                notes=told.notes,
            )
        )
    return QuestionResult(
        id=question.id,
        title=question.title,
        tier=question.tier,
        score=_points(earned),
        max_score=float(question.points),
        hint=diagnosis.hints.get(question.id),
        checks=tuple(results),
    )


def _points(exact: Fraction) -> float:
    return round(float(exact), 2)
