"""Gradescope's results.json: from a result alone, or from a submission as Gradescope's container has it.

There a submission is graded once, when it is handed in, often long before the due date. So hidden checks run at once, and
Gradescope keeps what they say until it may be shown. A score that depends on secret inputs would be an oracle too; until
then students see the public checks on published inputs, run by themselves, and no points.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from redink.errors import CourseError
from redink.grader.ci.grading import GradedBy, grade_repository, published_only
from redink.grader.ci.outcome import CiOutcome, told
from redink.records import CheckResult, QuestionResult, Record, Result
from redink.texts import clean, clean_lines

Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
_LONGEST = 8000
_LATER = {
    "after_due_date": "Points, and what hidden checks say, are shown after the due date.",
    "hidden": "Points, and what hidden checks say, are not shown yet.",
}


class _Dates(Record, frozen=True, forbid_unknown_fields=False):
    due_date: datetime | None = None
    late_due_date: datetime | None = None


class _SubmissionMetadata(Record, frozen=True, forbid_unknown_fields=False):
    """All that is read of submission_metadata.json."""

    assignment: _Dates


class Showing(Record, frozen=True):
    """When Gradescope shows what is hidden, and whether it holds back everything that secret inputs decide."""

    hidden: Visibility
    later: bool


def when_to_show(course: datetime | None, gradescope: datetime | None, now: datetime) -> Showing:
    """Decide from the two times at which everybody's time is over; hidden results show when both are over, not before."""
    later = now < max((one for one in (course, gradescope) if one), default=now)
    if course and now < course and (gradescope is None or gradescope < course):
        return Showing(hidden="hidden", later=later)  # Gradescope itself would show it too early
    return Showing(hidden="after_due_date" if gradescope else "after_published", later=later)


def submission_results(
    path: Path, grader: GradedBy, outcome: CiOutcome, metadata: Path, *, allow_weak: bool = False
) -> dict[str, Any]:
    """Return the content of results.json for a submission that was graded with hidden checks, in Gradescope's container."""
    showing = when_to_show(grader.shown_from, _last_date(metadata), datetime.now(UTC))
    if not showing.later or outcome.result.state != "graded":
        return gradescope_results(outcome.result, hidden=showing.hidden)
    by = published_only(grader, "hidden checks are shown later")
    (public,) = grade_repository(path, [by], of_the_course=True, allow_weak=allow_weak)
    made = gradescope_results(outcome.result, hidden=showing.hidden)
    now = [_without_points(test) for test in _tests(public.result, "hidden")]
    later = [{**test, "visibility": showing.hidden} for test in made["tests"]]
    return {**made, "output": _LATER[showing.hidden], "tests": [*now, *later]}


def gradescope_results(result: Result, *, hidden: Visibility = "after_published") -> dict[str, Any]:
    """Return the content of results.json; `hidden` is the visibility of hidden checks.

    A submission that could not be graded through our fault has no score, so Gradescope shows an error and not a zero.
    """
    told: dict[str, Any] = {
        "output": clean(result.reason or "", 1000),
        "output_format": "text",
        "test_output_format": "text",
        "stdout_visibility": "hidden",
        "execution_time": result.wall_seconds,
        "tests": list(_tests(result, hidden)),
    }
    return told if result.state == "internal_error" else {"score": result.score, **told}


def _last_date(metadata: Path) -> datetime | None:
    """Return when nobody may hand in any more, by Gradescope."""
    try:
        dates = msgspec.json.decode(metadata.read_bytes(), type=_SubmissionMetadata).assignment
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CourseError(f"{metadata} is not what Gradescope writes beside a submission: {error}") from error
    known = [one for one in (dates.due_date, dates.late_due_date) if one is not None]
    return max((one if one.tzinfo else one.replace(tzinfo=UTC) for one in known), default=None)


def _tests(result: Result, hidden: Visibility) -> Iterator[dict[str, Any]]:
    for at, question in enumerate(result.questions, start=1):
        for place, check in enumerate(question.checks, start=1):
            visibility = "visible" if check.visibility == "public" else hidden
            yield _test(question, check, f"{at}.{place}", visibility)


def _test(question: QuestionResult, check: CheckResult, number: str, visibility: str) -> dict[str, Any]:
    hint = f"\nHint: {question.hint.text}" if question.hint and check.verdict != "passed" else ""
    made: dict[str, Any] = {
        "number": number,
        "name": f"{clean(question.title)}: {check.id}",
        "score": check.score,
        "max_score": check.max_score,
        "output": clean_lines(f"{check.message}{hint}", _LONGEST),
        "visibility": visibility,
    }
    state = told(check)
    return made if state == "skipped" else {**made, "status": state}


def _without_points(test: dict[str, Any]) -> dict[str, Any]:
    """Return a test on published inputs as students see it at once; its number belongs to the one that counts."""
    kept = {name: value for name, value in test.items() if name not in ("score", "max_score", "number")}
    return {**kept, "name": f"{test['name']} (published inputs)"}
