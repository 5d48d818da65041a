"""`redink purge`: a person, or old notebooks, out of all that a course holds."""

from __future__ import annotations

import csv
import io
import mmap
import os
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from redink.files import write_whole
from redink.grader.course import Course
from redink.grader.desk.collecting import RECEIPT
from redink.grader.desk.person import names_of
from redink.grader.rules.course_rules import local_time
from redink.grader.rules.reading import read_course
from redink.grader.rules.roster import Person
from redink.grader.store.gradebook import Gradebook
from redink.grader.store.migrate import copies_of
from redink.grader.store.purging import Purged, words_pattern
from redink.records import Record

_OURS = b'<meta name="generator" content="redink '  # in the index of a report, and of alike submissions


class PurgedCourse(Record, frozen=True):
    """What was removed from a course, and where a person is still named: those files are the instructor's own."""

    purged: Purged
    removed: tuple[Path, ...] = ()
    named_in: tuple[Path, ...] = ()


def purge_person(course: Course, book: Gradebook, person: Person) -> PurgedCourse:
    """Remove a person from the gradebook, its copies, receipts and reports; list the other files that name them."""
    names = names_of(person)
    copies = _remove_copies(book)
    removed, named_in = _remove_traces(course, names)
    known = person.id in book.collected.identities()
    purged = (
        book.purging.person(person.id, names) if known else Purged(attempts=0)
    )  # last: an interrupted one is repeated
    return PurgedCourse(purged=purged, removed=(*copies, *removed), named_in=tuple(named_in))


def purge_notebooks(course: Course, book: Gradebook, before: datetime) -> PurgedCourse:
    """Remove the notebooks that were collected before a time of the course's clock; grades stay."""
    rules, _ = read_course(course)
    copies = _remove_copies(book)
    return PurgedCourse(purged=book.purging.notebooks(local_time(before, rules.zone)), removed=copies)


def _remove_copies(book: Gradebook) -> tuple[Path, ...]:
    """Remove the copies from before the gradebook was brought up to date: they hold all that it held then."""
    copies = copies_of(book.path.resolve()) if book.path else []
    for copy in copies:
        copy.unlink()
    return tuple(copies)


def _remove_traces(course: Course, names: Collection[str]) -> tuple[list[Path], list[Path]]:
    """Remove the pages and the receipts that name a person; return those, and the files that are not ours."""
    naming = list(_naming(course, names))
    ours = [path for path in naming if _is_ours(path, course.root)]  # all before the first index is removed
    for path in ours:
        path.unlink()
    receipts = [path for path in naming if path not in ours and _remove_receipts(path, names)]
    return [*ours, *receipts], [path for path in naming if path not in ours and path not in receipts]


def _naming(course: Course, names: Collection[str]) -> Iterator[Path]:
    """Find the files of the course that name a person, in their path or inside; assignments hold nobody's name."""
    pattern = words_pattern(names)
    if pattern is None:
        return
    inside = [re.compile(pattern.pattern.encode(code, "replace"), re.IGNORECASE) for code in ("utf-8", "cp1252")]
    for folder, folders, files in os.walk(course.root):
        here = Path(folder)
        folders[:] = sorted(
            name for name in folders
            if not name.startswith(".") and here / name not in (course.assignments, course.solutions)
        )  # fmt: skip
        for path in sorted(here / name for name in files):
            if pattern.search(str(path.relative_to(course.root))) or _holds(path, inside):
                yield path


def _holds(path: Path, inside: Sequence[re.Pattern[bytes]]) -> bool:
    """Tell whether a file holds what is looked for, without reading it into memory."""
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return any(one.search(content) for one in inside)


def _is_ours(path: Path, root: Path) -> bool:
    """Tell whether a file is of a report, or of the pages of alike submissions: those are made again at any time."""
    above = [folder / "index.html" for folder in path.parents if folder.is_relative_to(root)]
    return any(index.is_file() and _OURS in index.read_bytes()[:4000] for index in above) or (
        path.name == "index.html" and _OURS in path.read_bytes()[:4000]
    )


def _remove_receipts(path: Path, names: Collection[str]) -> bool:
    """Remove a person's rows from a file of receipts; False if the file is something else."""
    if path.suffix.lower() != ".csv":
        return False
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8", "replace"))))
    pattern = words_pattern(names)
    if not rows or tuple(rows[0]) != RECEIPT or pattern is None:
        return False
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(row for row in rows if not any(map(pattern.search, row)))
    write_whole(path, text.getvalue().encode())
    return True
