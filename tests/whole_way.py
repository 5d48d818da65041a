"""The whole way of a class: collect, grade, report, export; at each step everybody is accounted for."""

from __future__ import annotations

import csv
import io
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from redink.grader.course import Course
from redink.grader.desk.standings import find_standings, open_gradebook
from redink.grader.rules.standing import Standing
from redink.grader.rules.tables import parse_table
from tests import made_up_class
from tests.conftest import SCALE, Desk, write_notebook
from tests.made_up_class import MadeUp

SCORES = {"right": 100.0, "wrong": 60.0, "blank": 0.0}
TOML = """timezone = "Europe/Berlin"
roster = "roster.csv"
[assignments.{slug}]
due = 2026-11-20T23:59:00
penalty_per_day = 10
"""

HEAD = "layout        students  taken  graded  ungradable  missing  pages  exported as    cells  blank  seconds"


@dataclass(frozen=True)
class Walked:
    """What became of a class: how many there are at each step, and seconds."""

    layout: str
    source: Path
    students: int
    files: int
    kinds: Counter[str]
    pages: int
    exported: str
    cells: int
    blank: int
    seconds: dict[str, float]

    def line(self) -> str:
        """Write it as a row of a table."""
        kinds = self.kinds
        times = " + ".join(f"{name} {value:.0f}" for name, value in self.seconds.items())
        return (
            f"{self.layout:<12} {self.students:>9} {self.files:>6} {kinds['graded']:>7} {kinds['ungradable']:>11} "
            f"{kinds['missing']:>8} {self.pages:>6}  {self.exported:<12} {self.cells:>7} {self.blank:>6}  {times}"
        )


def made_up(desk: Desk, size: int) -> MadeUp:
    """Make up a class of the little course, with a roster and a due date."""
    wrong = {**desk.sources(), SCALE: "def scale(X):\n    return 3 * X"}
    sources = {"right": desk.sources(), "wrong": wrong, "blank": desk.sources(solved=False)}
    notebooks = {
        what: write_notebook(desk.root / "made" / f"{what}.ipynb", cells.values()).read_bytes()
        for what, cells in sources.items()
    }
    made = made_up_class.make(desk.slug, notebooks, size)
    write_course(desk, made)
    return made


def write_course(desk: Desk, made: MadeUp) -> None:
    """Write the roster of a class and the rules of its course."""
    made.write_roster(desk.root / "roster.csv")
    (desk.root / "course.toml").write_text(TOML.format(slug=desk.slug))


def walk(desk: Desk, made: MadeUp, layout: str, place: Path) -> Walked:
    """Go the whole way with a class in a layout, and hold every step to what ought to come out."""
    source = made_up_class.LAYOUTS[layout](made, place)
    expected = made.expected()
    missing = {one for one, what in expected.items() if what == "missing"}
    seconds: dict[str, float] = {}

    def step(name: str, *words: object) -> None:
        began = time.monotonic()
        done = desk.redink(*words, patience=3600.0)
        seconds[name] = time.monotonic() - began
        assert done.returncode == 0, done.stderr

    step("collect", "collect", desk.slug, source, "--json", "collected.json")
    collected = json.loads((desk.root / "collected.json").read_bytes())
    assert set(collected["missing"]) == missing, sorted(missing.symmetric_difference(collected["missing"]))
    assert collected["unmatched"] == []
    assert {one["student"] for one in collected["receipts"]} == set(expected) - missing
    step("grade", "grade", desk.slug)
    found = standings(desk)
    assert set(found) == set(expected)
    step("report", "report", desk.slug, "--to", "report")
    pages = {one.stem for one in (desk.root / "report/students").glob("*.html")}
    assert pages == set(expected) - missing
    exported, cells = _export(desk, made, layout, step)
    assert set(cells) == set(expected)
    for student, cell in cells.items():
        grade = found[student].grade
        assert (cell.strip("-") == "") == (grade is None), student
        assert grade is None or float(cell) == grade, student
    return Walked(
        layout=layout,
        source=source,
        students=len(found),
        files=len(collected["receipts"]),
        kinds=Counter(one.kind for one in found.values()),
        pages=len(pages),
        exported=exported,
        cells=sum(bool(cell.strip("-")) for cell in cells.values()),
        blank=sum(not cell.strip("-") for cell in cells.values()),
        seconds=seconds,
    )


def standings(desk: Desk) -> dict[str, Standing]:
    """Work out everybody's standing."""
    course = Course(desk.root)
    with open_gradebook(course, None, "test") as book:
        return find_standings(course, book, desk.slug).by_student()


# -- the files of grades that platforms export ---------------------------------------------------------------------------


def as_csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def gradebook_of_canvas(of: MadeUp) -> str:
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Little (1)", "Final Score"]
    rows = [[f"{one.family}, {one.given}", one.canvas, f"s{one.number}", one.email, "A", "", ""] for one in of.students]
    return as_csv([head, ["    Points Possible", "", "", "", "", "100", "(read only)"], *rows])


def worksheet_of_moodle(of: MadeUp) -> str:
    head = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade", "Last modified (grade)"]
    rows = [[f"Participant {one.moodle}", one.name, one.email, "", "-", "100.00", "-"] for one in of.students]
    return as_csv([head, *rows])


def scores_of_gradescope(of: MadeUp) -> str:
    head = ["First Name", "Last Name", "SID", "Email", "Total Score", "Max Points", "Status"]
    rows = [[one.given, one.family, f"s{one.number}", one.email, "", "100.0", ""] for one in of.students]
    return as_csv([head, *rows])


# How the file is written, where the students begin in it, the column to fill, and which that is.
SHEETS: dict[str, tuple[Callable[[MadeUp], str], int, str, int]] = {
    "canvas": (gradebook_of_canvas, 2, "1", 5),
    "moodle": (worksheet_of_moodle, 1, "", 4),
    "gradescope": (scores_of_gradescope, 1, "", 4),
}


def _export(desk: Desk, made: MadeUp, layout: str, step: Callable[..., None]) -> tuple[str, dict[str, str]]:
    """Export to the platform that a class came from, else as CSV; return the cells of grades by student."""
    platform = layout.split()[0]
    if platform not in SHEETS:
        step("export", "export", desk.slug, "--as", "csv", "--to", "grades.csv")
        text = (desk.root / "grades.csv").read_text(encoding="utf-8-sig")
        return "csv", {row["id"]: row["grade"] for row in csv.DictReader(io.StringIO(text))}
    write, first, column, at = SHEETS[platform]
    (desk.root / "sheet.csv").write_text(write(made), encoding="utf-8")
    words = ("--column", column) if column else ()
    step("export", "export", desk.slug, "--as", platform, "--into", "sheet.csv", *words)
    rows = parse_table((desk.root / "sheet.filled.csv").read_bytes()).rows[first:]
    cells = [row.texts()[at] for row in rows]
    return platform, {one.login: cell for one, cell in zip(made.students, cells, strict=True)}
