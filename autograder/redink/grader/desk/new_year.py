"""`redink new-year`: the course as it is becomes an archive in which every command still works, and begins anew.

Nothing is removed: what a grade depends on is copied, and the private folder with the secret and the gradebook is moved, by
renaming alone. The archive has its name only when it is whole; one that was interrupted is finished by the same command.
"""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from redink.errors import CourseError
from redink.grader.course import SECRET_VARIABLE, Course
from redink.grader.desk.standings import open_gradebook
from redink.grader.rules.course_rules import FILE, CourseRules
from redink.grader.rules.reading import read_course
from redink.grader.store.lock import Lock
from redink.records import Record

_TOPICS = "docs/topics.csv"
_HOLDER = "redink new-year"


class NewYear(Record, frozen=True):
    """What became of the old year, and what a person must still do."""

    archive: Path
    gradebook: Path
    assignments: tuple[str, ...]  # to which something was handed in
    over: tuple[str, ...]  # assignments whose due dates in course.toml are past


def begin_new_year(course: Course, archive: Path) -> NewYear:
    """Archive a course, and give it a new secret; `CourseError` says why that would lose something."""
    archive = archive.absolute()
    part = archive.with_name(f".{archive.name}.part")
    rules, _ = read_course(course)
    interrupted = (part / course.private.name).is_dir() and not course.private.exists()
    if not interrupted:
        _refuse(course, rules, archive)
        _copy(course, rules, part)
        _move_private(course, part)
    part.rename(archive)
    old = Course(archive)
    with open_gradebook(old, None, _HOLDER) as book:
        assignments = tuple(book.collected.assignments())
    course.secret()
    now = datetime.now(UTC)
    over = tuple(slug for slug in rules.by_due_date() if (due := rules.due(slug)) is not None and due < now)
    return NewYear(archive=archive, gradebook=old.gradebook_path(), assignments=assignments, over=over)


def _refuse(course: Course, rules: CourseRules, archive: Path) -> None:
    """Refuse whatever would lose something, or leave an archive in which nothing can be read."""
    if os.environ.get(SECRET_VARIABLE):
        raise CourseError(
            f"the course secret comes from {SECRET_VARIABLE}, which an archive would not hold: write it to "
            f"{course.private / 'secret'}, unset {SECRET_VARIABLE}, and try again"
        )
    if archive.exists() and (not archive.is_dir() or any(archive.iterdir())):
        raise CourseError(f"{archive} exists and is not empty; choose another folder with --archive")
    for ours in (course.assignments, course.solutions, course.private):
        if archive.is_relative_to(ours.resolve()):
            raise CourseError(f"{archive} is inside {ours}, which is archived; choose another folder with --archive")
    if not archive.parent.is_dir():
        raise CourseError(f"there is no folder {archive.parent}")
    if archive.parent.stat().st_dev != course.root.stat().st_dev:
        raise CourseError(f"{archive} is on another disk: archive beside the course, and copy that afterwards")
    if rules.roster and not _is_inside(rules.roster):
        raise CourseError(f"the roster {rules.roster} is outside the course: move it inside, and name it in {FILE}")
    if not (course.private / "gradebook.sqlite").exists():
        begun = [one for one in archive.parent.glob(".*.part") if (one / course.private.name).is_dir()]
        told = (
            f"finish what was interrupted: --archive {begun[0].name[1:-5]}"
            if begun
            else "the new year can begin as it is"
        )
        raise CourseError(f"nothing was collected or graded in {course.root}; {told}")
    with open_gradebook(course, None, _HOLDER):  # it belongs to this secret, is up to date, and nobody else writes
        pass


def _copy(course: Course, rules: CourseRules, part: Path) -> None:
    """Copy what grades depend on beside the gradebook: assignments, course.toml, the roster, the topics."""
    shutil.rmtree(part, ignore_errors=True)  # ours, of a copy that was interrupted
    part.mkdir(mode=0o700)
    for folder in (course.assignments, course.solutions):
        shutil.copytree(folder, part / folder.name, symlinks=True)
    for name in (FILE, rules.roster, _TOPICS):
        source = course.root / name
        if name and source.is_file():
            target = part / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def _is_inside(name: str) -> bool:
    return not Path(name).is_absolute() and ".." not in Path(name).parts


def _move_private(course: Course, part: Path) -> None:
    """Move the secret and the gradebook, while nobody else can write."""
    lock = Lock(course.gradebook_path(), _HOLDER)
    try:
        course.private.rename(part / course.private.name)
    finally:
        lock.release()
    (part / course.private.name / lock.file.name).unlink(missing_ok=True)
