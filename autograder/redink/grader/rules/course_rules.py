"""What course.toml says: time zone, roster, due dates, lateness, attempts, extras. All of it is optional."""

from __future__ import annotations

import math
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from redink.errors import CourseError
from redink.grader.rules.wrong_keys import wrong_key
from redink.records import Record
from redink.suggesting import unknown_name

FILE = "course.toml"
Counts = Literal["last", "best"] | None  # which attempt; None: nothing is said of it


class AssignmentRules(Record, frozen=True, omit_defaults=True):
    """The rules of one assignment; what is left out is as in `[defaults]`, and otherwise as written here."""

    due: datetime | None = None  # without an offset: local time of the course
    grace_minutes: float | None = None
    penalty_per_day: float | None = None  # percent of the full marks, for each day begun
    penalty_cap: float | None = None  # percent
    counts: Counts = None
    groups: bool | None = None  # what one of a group of the roster hands in is everybody's in it
    extras: bool | None = None
    extras_cap: float | None = None  # points

    def over(self, other: AssignmentRules) -> AssignmentRules:
        """Return these rules, with those of another where these say nothing."""
        mine = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        return msgspec.structs.replace(other, **mine)


_WITHOUT_RULES = AssignmentRules(
    grace_minutes=0.0, penalty_per_day=0.0, penalty_cap=100.0, counts="last", groups=False, extras_cap=math.inf
)


class CourseRules(Record, frozen=True):
    """The whole of course.toml."""

    name: str = ""
    timezone: str = "UTC"
    roster: str = ""  # a CSV file, from the course root
    lateness: Literal["redink", "platform"] = "redink"  # who deducts for it
    slip_days: int = 0  # that a student may be late without a penalty, over all assignments
    defaults: AssignmentRules = AssignmentRules()
    assignments: dict[str, AssignmentRules] = msgspec.field(default_factory=dict)

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the course."""
        return ZoneInfo(self.timezone)

    def of(self, slug: str) -> AssignmentRules:
        """Return the rules of an assignment, every one of them decided but `due` and `extras`."""
        return self.assignments.get(slug, AssignmentRules()).over(self.defaults.over(_WITHOUT_RULES))

    def due(self, slug: str) -> datetime | None:
        """Return when an assignment is due, in UTC."""
        due = self.of(slug).due
        return None if due is None else local_time(due, self.zone)

    def by_due_date(self) -> list[str]:
        """List the assignments that are due at some time, in that order."""
        dates = {slug: due for slug in self.assignments if (due := self.due(slug)) is not None}
        return sorted(dates, key=lambda slug: (dates[slug], slug))


def local_time(moment: datetime, zone: ZoneInfo) -> datetime:
    """Return a moment in UTC; one without an offset is the clock's of a zone, and the later one if that shows it twice.

    Times of a zone are not added to and compared: Python does that by the clock, whatever the clock was set to between.
    """
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=zone, fold=1)).astimezone(UTC)


def believable(moment: datetime) -> datetime | None:
    """Return a time that a stranger wrote, or None for one that no clock has shown: not every zone can write those."""
    return moment if 1980 <= moment.year < 2200 else None


def days_later(moment: datetime, days: int, zone: ZoneInfo) -> datetime:
    """Return the same time of day some days later, however long the days between are."""
    there = moment.astimezone(zone).replace(tzinfo=None) + timedelta(days=days)
    return local_time(there, zone)


def read_rules(root: Path, slugs: Collection[str]) -> CourseRules:
    """Read course.toml of a course with these assignments; without one, nothing is ever late."""
    path = root / FILE
    try:
        rules = msgspec.toml.decode(path.read_bytes(), type=CourseRules)
    except FileNotFoundError:
        return CourseRules()
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError) as error:
        of_assignment = any(place in str(error) for place in ("$.defaults", "$.assignments"))
        keys = (AssignmentRules if of_assignment else CourseRules).__struct_fields__
        raise CourseError(wrong_key(path, str(error), keys)) from error
    _check(rules, path, slugs)
    return rules


def _check(rules: CourseRules, path: Path, slugs: Collection[str]) -> None:
    try:
        _ = rules.zone
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise CourseError(f"{path}: there is no time zone {rules.timezone!r}; write one as Europe/Berlin") from None
    if unknown := sorted(set(rules.assignments) - set(slugs)):
        raise unknown_name("assignment", unknown[0], sorted(slugs), f"for {path}")
    if rules.slip_days < 0:
        raise CourseError(f"{path}: slip_days is {rules.slip_days}; it is a number from 0 upwards")
    if rules.defaults.due is not None:
        raise CourseError(f"{path}: a due date belongs to an assignment: [assignments.perceptron], not [defaults]")
    for where, one in {"defaults": rules.defaults, **rules.assignments}.items():
        for name in ("grace_minutes", "penalty_per_day", "penalty_cap", "extras_cap"):
            value = getattr(one, name)
            if value is not None and not 0 <= value < math.inf:
                raise CourseError(f"{path}: {name} of {where} is {value:g}; it is a number from 0 upwards")
