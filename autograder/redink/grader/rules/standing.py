"""What a student has in an assignment today: what the checks gave, what a person set, what lateness took, the grade.

A pure function of stored results and course.toml, so a changed rule changes every grade at once and nothing is lost. In this
order: checks that were voided count as passed; overrides of questions replace what the checks gave; extras are added, as
far as they count; lateness is taken off, unless the platform does that; an override of the whole replaces all of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from redink.grader.rules.course_rules import CourseRules
from redink.grader.rules.decisions import Extension, Override, Void
from redink.grader.rules.lateness import Lateness, lateness
from redink.records import QuestionResult, Record, Result

Kind = Literal["graded", "ungradable", "not_graded", "missing"]


class Attempt(Record, frozen=True):
    """One attempt of a student, and its newest result if it has one."""

    number: int
    file: str
    sha256: str
    source: str
    handed_in: datetime | None = None
    marked_late: bool | None = None
    collected_at: str = ""
    flags: tuple[str, ...] = ()
    result: Result | None = None
    submission: int = 0  # its id in the gradebook
    by: str = ""  # who handed it in
    group: tuple[str, ...] = ()  # everybody who handed it in, if several did


class QuestionStanding(Record, frozen=True):
    """A question as it counts, beside what the checks gave."""

    id: str
    tier: Literal["core", "extra"]
    checked: float
    score: float
    max_score: float
    override: Override | None = None
    voided: tuple[str, ...] = ()


class Standing(Record, frozen=True):
    """What one student has in one assignment today."""

    student: str
    kind: Kind
    attempts: int
    attempt: Attempt | None  # the one that counts
    questions: tuple[QuestionStanding, ...]
    checked: float  # what the checks gave
    earned: float  # with voided checks, overrides and extras
    late: Lateness
    taken: float  # by lateness, in points
    override: Override | None  # of the whole
    grade: float | None  # None: there is none
    max_score: float

    @property
    def reason(self) -> str | None:
        """Why it has no points, if it could not be graded."""
        return self.attempt.result.reason if self.attempt and self.attempt.result else None


class Decided(Record, frozen=True):
    """What people decided about one student in one assignment."""

    extension: Extension | None = None
    overrides: tuple[Override, ...] = ()


def settle(
    rules: CourseRules,
    slug: str,
    student: str,
    attempts: Sequence[Attempt],
    decided: Decided,
    voids: Sequence[Void],
    *,
    full_marks: float,
    slip_days: int,
) -> Standing:
    """Work out the standing of one student, who has so many slip days left."""
    all_of_them = [
        _standing(rules, slug, student, one, len(attempts), decided, voids, full_marks, slip_days) for one in attempts
    ]
    graded = [one for one in all_of_them if one.attempt and one.attempt.result]
    if not all_of_them:
        return _standing(rules, slug, student, None, 0, decided, voids, full_marks, slip_days)
    if not graded or rules.of(slug).counts == "last":
        return all_of_them[-1]
    return max(graded, key=lambda one: -math.inf if one.grade is None else one.grade)  # the earliest of equal ones


def settle_course(
    rules: CourseRules,
    student: str,
    attempts: Mapping[str, Sequence[Attempt]],
    decided: Mapping[str, Decided],
    voids: Mapping[str, Sequence[Void]],
    *,
    full_marks: Mapping[str, float],
) -> dict[str, Standing]:
    """Work out the standings of one student in all assignments; slip days are spent in the order of due dates."""
    left = rules.slip_days
    found = {}
    due = rules.by_due_date()
    for slug in [*due, *sorted(set(attempts) - set(due))]:
        found[slug] = settle(
            rules,
            slug,
            student,
            attempts.get(slug, ()),
            decided.get(slug, Decided()),
            voids.get(slug, ()),
            full_marks=full_marks.get(slug, 100.0),
            slip_days=left,
        )
        left -= found[slug].late.slip_days
    return found


def _standing(
    rules: CourseRules,
    slug: str,
    student: str,
    attempt: Attempt | None,
    attempts: int,
    decided: Decided,
    voids: Sequence[Void],
    full_marks: float,
    slip_days: int,
) -> Standing:
    result = attempt.result if attempt else None
    questions = _questions(result, decided.overrides, voids)
    whole = next((one for one in reversed(decided.overrides) if not one.question), None)
    late = lateness(
        rules,
        slug,
        handed_in=attempt.handed_in if attempt else None,
        marked_late=attempt.marked_late if attempt else None,
        extension=decided.extension.until if decided.extension else None,
        slip_days=slip_days,
    )
    earned = _earned(rules, slug, result, questions)
    taken = 0.0
    if rules.lateness == "redink":
        taken = min(earned, late.penalty / 100 * full_marks)
    grade = whole.score if whole else earned - taken if result else None
    return Standing(
        student=student,
        kind=_kind(attempt, result),
        attempts=attempts,
        attempt=attempt,
        questions=questions,
        checked=result.score if result else 0.0,
        earned=earned,
        late=late,
        taken=taken,
        override=whole,
        grade=None if grade is None else _rounded(grade),
        max_score=full_marks,
    )


def _kind(attempt: Attempt | None, result: Result | None) -> Kind:
    if attempt is None:
        return "missing"
    if result is None:
        return "not_graded"
    return "ungradable" if result.state == "ungradable" else "graded"


def _questions(
    result: Result | None, overrides: Sequence[Override], voids: Sequence[Void]
) -> tuple[QuestionStanding, ...]:
    if result is None:
        return ()
    set_to = {one.question: one for one in overrides if one.question}
    void = {one.check for one in voids}
    return tuple(_question(one, set_to.get(one.id), void) for one in result.questions)


def _question(question: QuestionResult, override: Override | None, void: set[str]) -> QuestionStanding:
    voided = tuple(one.id for one in question.checks if one.id in void)
    given = math.fsum(one.max_score - one.score for one in question.checks if one.id in void)
    return QuestionStanding(
        id=question.id,
        tier=question.tier,
        checked=question.score,
        score=override.score if override else min(question.max_score, _rounded(question.score + given)),
        max_score=question.max_score,
        override=override,
        voided=voided,
    )


def _earned(rules: CourseRules, slug: str, result: Result | None, questions: Sequence[QuestionStanding]) -> float:
    """Add up what counts; whether extras do is said in course.toml, and otherwise in assignment.toml."""
    if result is None or not questions:
        return 0.0
    these = rules.of(slug)
    core = math.fsum(one.score for one in questions if one.tier == "core")
    extra = math.fsum(one.score for one in questions if one.tier == "extra")
    counted = these.extras if these.extras is not None else _extras_counted(result)
    cap = math.inf if these.extras_cap is None else these.extras_cap
    return _rounded(core + (min(extra, cap) if counted else 0.0))


def _extras_counted(result: Result) -> bool:
    """Tell whether a result's own score holds its extras, as assignment.toml said when it was graded."""
    core = math.fsum(one.score for one in result.questions if one.tier == "core")
    return result.score > core + 1e-6


def _rounded(points: float) -> float:
    """Return points as they are shown and exported: to a hundredth."""
    return round(points + 0.0, 2)
