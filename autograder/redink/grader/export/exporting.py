"""`export`: everybody's score as a file, written whole or not at all, and never over the file that it was made from."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from redink.assignment.spec import read_spec
from redink.errors import CourseError, RedinkError
from redink.files import write_whole
from redink.grader.course import Course
from redink.grader.desk.standings import find_standings
from redink.grader.export.canvas import CanvasGradebook
from redink.grader.export.formats import By, ExportAccount, GradeFormat, Order
from redink.grader.export.gradescope import GradescopeScores
from redink.grader.export.moodle import MoodleWorksheet
from redink.grader.export.own_csv import OwnCsv
from redink.grader.plug_ins import plug_ins
from redink.grader.rules.course_rules import FILE
from redink.grader.store.gradebook import Gradebook

GROUP = "redink.export"  # entry points of other packages, each a format or a class of one
_BUILT_IN: tuple[GradeFormat, ...] = (OwnCsv(), CanvasGradebook(), MoodleWorksheet(), GradescopeScores())


def export(
    course: Course,
    book: Gradebook,
    slug: str,
    format: str,
    *,
    into: Path | None = None,
    to: Path | None = None,
    column: str = "",
    by: By = "question",
    missing_is_zero: bool = False,
    above_maximum: bool = False,
) -> ExportAccount:
    """Export the grades of an assignment, and return an account of it."""
    chosen = _find_format(format)
    order = Order(
        course=course,
        known=find_standings(course, book, slug),
        title=read_spec(course.find_assignment(slug)).title,
        others=_titles(course, but=slug),
        into=into,
        column=column,
        by=by,
        missing_is_zero=missing_is_zero,
        above_maximum=above_maximum,
    )
    made = chosen.export(order)
    target = to or Path(made.name)
    _refuse_our_own(target, course, order, book)
    _write(target, made.data)
    return msgspec.structs.replace(made.account, to=str(target))


def formats() -> dict[str, GradeFormat]:
    """Return the formats there are, by name: ours, and those of other packages."""
    ours = {one.name: one for one in _BUILT_IN}
    return {**plug_ins(GROUP, "format"), **ours}


def _titles(course: Course, *, but: str) -> dict[str, tuple[str, ...]]:
    found = {}
    for slug in course.slugs():
        with contextlib.suppress(RedinkError):  # one that cannot be read stops no export of another
            found[slug] = (slug, read_spec(course.find_assignment(slug)).title)
    return {slug: called for slug, called in found.items() if slug != but}


def _find_format(name: str) -> GradeFormat:
    ours = {one.name: one for one in _BUILT_IN}
    if name in ours:
        return ours[name]
    known = formats()
    if name not in known:
        raise CourseError(f"there is no format {name!r}; there are {', '.join(sorted(known))}")
    return known[name]


def _refuse_our_own(target: Path, course: Course, order: Order, book: Gradebook) -> None:
    """Refuse to write over the file that was read, and over what the course is made of."""
    rules = order.known.rules
    ours = [order.into, course.root / FILE, course.root / rules.roster if rules.roster else None, book.path]
    for path in ours:
        if path is not None and path.exists() and target.exists() and target.samefile(path):
            what = "the file that is read" if path == order.into else "a file of the course"
            raise CourseError(f"{target} is {what}: write to another one, with --to")


def _write(target: Path, data: bytes) -> None:
    try:
        write_whole(target, data, private=True, durable=True)
    except OSError as error:
        raise CourseError(f"{target} cannot be written: {error.strerror or error}") from error
