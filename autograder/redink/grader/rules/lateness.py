"""How late an attempt is, and what that takes. Days are those of the course's clock: with daylight saving, 23 to 25 hours.

An attempt is late when it came after the due time (or the student's extension, if that is later) and the grace period.
Every day begun counts, and the grace period holds at the end of each: with a grace of 15 minutes, 24 hours and 10 minutes
are one day. Slip days are spent first; each further day takes a share of the full marks, up to a cap.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from redink.grader.rules.course_rules import AssignmentRules, CourseRules, days_later
from redink.records import Record

_MOST_DAYS = 3660  # nobody is ten years late; times before 1970 and after 2100 are mistakes of a platform


class Lateness(Record, frozen=True):
    """How late one attempt is, and what it costs."""

    due: datetime | None = None  # for this student, with an extension if there is one
    extended: bool = False
    days: int = 0  # begun, after the grace period
    slip_days: int = 0  # of these, forgiven
    penalty: float = 0.0  # percent of the full marks
    unknown: bool = False  # the platform says that it was late, and nobody says by how much

    @property
    def late(self) -> bool:
        """Whether it came too late at all."""
        return self.days > 0 or self.unknown


def lateness(
    rules: CourseRules,
    slug: str,
    *,
    handed_in: datetime | None,
    marked_late: bool | None,
    extension: datetime | None,
    slip_days: int,
) -> Lateness:
    """Work out how late an attempt is, for a student who has so many slip days left."""
    due = rules.due(slug)
    extended = extension is not None and (due is None or extension > due)
    until = extension if extended else due
    if handed_in is None:
        return Lateness(due=until, extended=extended, unknown=bool(marked_late) and not extended)
    days = 0 if until is None else days_late(rules, slug, until, handed_in)
    forgiven = min(days, slip_days)
    return Lateness(
        due=until,
        extended=extended,
        days=days,
        slip_days=forgiven,
        penalty=_penalty(rules.of(slug), days - forgiven),
    )


def days_late(rules: CourseRules, slug: str, until: datetime, handed_in: datetime) -> int:
    """Count the days begun between the end of an attempt's time and its handing in."""
    grace = timedelta(minutes=rules.of(slug).grace_minutes or 0.0)
    guess = max(0, min(_MOST_DAYS, (handed_in - until).days - 1))  # a day may have 25 hours
    days = guess
    while days < _MOST_DAYS and handed_in > days_later(until, days, rules.zone) + grace:
        days += 1
    return days


def _penalty(rules: AssignmentRules, days: int) -> float:
    return min((rules.penalty_per_day or 0.0) * days, rules.penalty_cap or 0.0)
