"""From a platform's download to its own file of grades: everybody who was collected is found again, roster or not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from redink.errors import CourseError
from redink.grader import plug_ins
from redink.grader.course import Course
from redink.grader.desk.collecting import collect_class
from redink.grader.export.formats import Export, ExportAccount, Order
from redink.grader.rules.tables import parse_table
from redink.grader.store.gradebook import Gradebook
from tests import made_up_class
from tests.graded_class import export_as, make_class, make_course
from tests.made_up_class import MadeUp, Student
from tests.test_standing import question, result
from tests.whole_way import SHEETS

SIZE = 40
NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "code", "source": "f = g = h = 1", "metadata": {}, "outputs": [], "execution_count": None}],
     "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
).encode()  # fmt: skip


PLATFORMS: dict[str, Callable[[MadeUp, Path], Path]] = {
    "canvas": made_up_class.canvas, "moodle": made_up_class.moodle_folders, "gradescope": made_up_class.gradescope,
}  # fmt: skip


def grade(root: Path, source: Path) -> None:
    """Collect a class and grade it by hand: everybody's score is the number of the submission."""
    collect_class(Course(root), "little", [source])
    with Gradebook(Course(root).gradebook_path(), Course(root).secret_name()) as book:
        for attempts in book.collected.attempts("little").values():
            number = attempts[-1].submission
            parts = (question("a", float(number), 60.0), question("b", 0.0, 40.0))
            book.keep_result(number, result(*parts), answer_key="k", graded_under="u")


@pytest.mark.parametrize("with_roster", [True, False])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_everybody_who_was_collected_is_found_in_the_platforms_file(tmp_path, monkeypatch, platform, with_roster):
    monkeypatch.setenv("REDINK_SECRET", "test")
    of = made_up_class.make("little", dict.fromkeys(("right", "wrong", "blank"), NOTEBOOK), SIZE)
    write, first, column, at = SHEETS[platform]
    root = make_course(tmp_path / "course")
    of.write_roster(root / "people.csv")
    (root / "course.toml").write_text('roster = "people.csv"' if with_roster else "")
    grade(root, PLATFORMS[platform](of, tmp_path))
    data, done = export_as(root, platform, write(of), column=column)
    cells = [row.texts()[at].strip("-") for row in parse_table(data).rows[first:]]
    filled = {student.login for student, cell in zip(of.students, cells, strict=True) if cell}
    assert filled == {one.login for one in of.handed_in()}
    assert len({cell for cell in cells if cell}) == len(filled)
    assert len(done.filled) == len(filled)
    _scores_are_their_own(root, of.students, cells, platform)


def _scores_are_their_own(root: Path, students: tuple[Student, ...], cells: list[str], platform: str) -> None:
    """Hold every cell to the file that this student handed in, by what the gradebook says of it."""
    with Gradebook(Course(root).gradebook_path(), Course(root).secret_name()) as book:
        known = {attempts[-1].submission: attempts[-1].file for attempts in book.collected.attempts("little").values()}
    for student, cell in zip(students, cells, strict=True):
        if cell:
            mark = {"canvas": student.canvas, "moodle": student.moodle, "gradescope": str(300_000 + student.number)}[
                platform
            ]
            assert mark in known[int(float(cell))]


class Upper:
    """A format of another package."""

    name = "upper"

    def export(self, order: Order) -> Export:
        text = "\n".join(one.student.upper() for one in order.known.standings)
        account = ExportAccount(assignment=order.known.assignment, format=self.name, lateness="after")
        return Export(data=text.encode(), name="upper.txt", account=account)


class Point:
    name = "upper"

    def load(self) -> object:
        return Upper


class Broken:
    name = "broken"

    def load(self) -> object:
        raise ImportError("no module named ledger")


@pytest.fixture
def points(monkeypatch):
    """Have other packages offer formats; what was found is forgotten afterwards."""
    found: list[object] = []
    monkeypatch.setattr(plug_ins, "entry_points", lambda group: found if group == "redink.export" else [])
    plug_ins.plug_ins.cache_clear()
    yield found
    plug_ins.plug_ins.cache_clear()


def test_a_format_of_another_package_is_an_entry_point(tmp_path, monkeypatch, points):
    monkeypatch.setenv("REDINK_SECRET", "test")
    points.append(Point())
    data, done = export_as(make_class(tmp_path), "upper")
    assert data == b"ADA\nBEN\nCY\nDEE\nEVE"
    assert done.format == "upper"


def test_a_format_that_fails_to_load_is_named_and_stands_in_nobodys_way(tmp_path, monkeypatch, points):
    monkeypatch.setenv("REDINK_SECRET", "test")
    points.append(Broken())
    root = make_class(tmp_path)
    with pytest.raises(CourseError, match="the format broken of another package fails"):
        export_as(root, "broken")
    assert export_as(root, "csv")[1].format == "csv"
