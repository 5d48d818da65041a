"""What passes between `redink export` and a format: the class and what was asked for, then a file and an account of it.

A format is any object with a name and a method `export`; other packages add theirs as entry points of `redink.export`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

import msgspec

from redink.grader.course import Course
from redink.grader.desk.standings import ClassStandings
from redink.records import Record

By = Literal["question", "topic"]


class Order(Record, frozen=True):
    """What is to be exported, and how."""

    course: Course
    known: ClassStandings
    title: str  # of the assignment
    others: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=dict
    )  # what other assignments of the course are called
    into: Path | None = None  # the teacher's own file
    column: str = ""
    by: By = "question"
    missing_is_zero: bool = False
    above_maximum: bool = False


class FilledCell(Record, frozen=True):
    """A grade in a file: whose it is, what stood there, and what stands there now."""

    student: str
    old: str
    new: str


class LeftCell(Record, frozen=True):
    """A student whose cell was not written, and why."""

    student: str
    why: str


class CappedScore(Record, frozen=True):
    """A score above the platform's maximum, which is written instead."""

    student: str
    score: float  # on the platform's scale


class ExportAccount(Record, frozen=True):
    """What an export did, for a person and for programs; students are named by their ids, and `names` says who they are."""

    assignment: str
    format: str
    lateness: Literal["before", "after"]  # whether the scores are those before lateness
    to: str = ""
    column: str = ""
    maximum: float | None = None  # of the platform
    factor: float = 1.0  # from our points to the platform's
    filled: tuple[FilledCell, ...] = ()
    blank: tuple[LeftCell, ...] = ()  # no grade: missing, not graded
    kept: tuple[LeftCell, ...] = ()  # something stood there that is not ours to replace
    capped: tuple[CappedScore, ...] = ()
    overridden: tuple[str, ...] = ()
    nobodys: tuple[str, ...] = ()  # rows that belong to nobody of ours
    absent: tuple[str, ...] = ()  # students without a grade who have no row
    left: tuple[str, ...] = ()  # students with a grade who are neither in the file nor in the roster
    told: tuple[str, ...] = ()  # what else an instructor should know
    names: dict[str, str] = msgspec.field(default_factory=dict)


class Export(Record, frozen=True):
    """A file to write, where it goes unless told otherwise, and the account of it."""

    data: bytes
    name: str  # of the file
    account: ExportAccount


class GradeFormat(Protocol):
    """Something that grades can be exported as."""

    name: str

    def export(self, order: Order) -> Export:
        """Make the file; `CourseError` says why that is not possible, and then nothing is written."""
        ...
