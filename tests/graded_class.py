"""A little course whose class was graded, for tests of what comes after: its roster, its gradebook, and an exporter."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from redink.grader.course import Course
from redink.grader.export.exporting import export
from redink.grader.export.formats import ExportAccount
from redink.grader.store.collected import HandIn
from redink.grader.store.gradebook import Gradebook
from tests.test_standing import question, result

DUE = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ROSTER = (
    "id,name,email,canvas,sis,moodle\n"
    "ada,Ada Lovelace,ada@x.edu,401,s1,Participant 71\n"
    "ben,Ben Ali,ben@x.edu,402,s2,Participant 72\n"
    "cy,Cy Young,cy@x.edu,403,s3,Participant 73\n"
    "dee,小明 王,dee@x.edu,404,s4,Participant 74\n"
    "eve,Ève O'Neil,eve@x.edu,405,s5,Participant 75\n"
)
TOML = (
    'timezone = "Europe/Berlin"\nroster = "people.csv"\nlateness = "{lateness}"\n'
    "[assignments.little]\ndue = 2026-03-01T13:00:00\npenalty_per_day = 10\nextras = true\n"
)


def make_course(root: Path, *, lateness: str = "redink", roster: str = ROSTER) -> Path:
    """Write a course of one assignment with two questions and an extra one."""
    folder = root / "assignments" / "little"
    folder.mkdir(parents=True)
    (root / "solutions" / "little").mkdir(parents=True)
    (folder / "assignment.toml").write_text(
        'title = "A Little One"\nslug = "little"\n'
        '[[questions]]\nid = "a"\ntitle = "A"\npoints = 60\nasks = ["f"]\n'
        '[[questions]]\nid = "b"\ntitle = "B"\npoints = 40\nasks = ["g"]\n'
        '[[questions]]\nid = "more"\ntitle = "More"\ntier = "extra"\npoints = 20\nasks = ["h"]\n'
    )
    (root / "course.toml").write_text(TOML.format(lateness=lateness))
    (root / "people.csv").write_text(roster, encoding="utf-8")
    return root


def hand_in(
    root: Path, student: str, score: float | None, *, late: float | None = -1.0, marked: bool | None = None, **told: Any
) -> None:
    """Collect a notebook of a student, graded unless the score is None, and not gradable if it is negative."""
    course = Course(root)
    with Gradebook(course.gradebook_path(), course.secret_name()) as book:
        handed = HandIn(
            student=student, file=f"{student}.ipynb", sha256=student * 8, source="canvas",
            handed_in=None if late is None else DUE + timedelta(days=late), late=marked, **told,
        )  # fmt: skip
        kept = book.collected.keep("little", handed)
        if score is not None:
            a, b, more = min(score, 60.0), min(max(score - 60.0, 0.0), 40.0), max(score - 100.0, 0.0)
            parts = (question("a", a, 60.0), question("b", b, 40.0), question("more", more, 20.0, "extra"))
            graded = result(*parts) if score >= 0 else result(score=0.0, state="ungradable")
            book.keep_result(kept.submission, graded, answer_key="k", graded_under="u")


def make_class(root: Path, scores: Mapping[str, float | None] | None = None, **more: Any) -> Path:
    """Make the usual class: ada 70 in time, ben 70 and two days late, cy nothing, dee not graded, eve not gradable."""
    make_course(root, **more)
    if scores is None:
        hand_in(root, "ada", 70.0)
        hand_in(root, "ben", 70.0, late=1.5)
        hand_in(root, "dee", None)
        hand_in(root, "eve", -1.0)
    for student, score in (scores or {}).items():
        hand_in(root, student, score)
    return root


def export_as(root: Path, format: str, into: bytes | str | None = None, **more: Any) -> tuple[bytes, ExportAccount]:
    """Export the class; return the file and the account."""
    course = Course(root)
    if into is not None:
        data = into.encode() if isinstance(into, str) else into
        (root / "theirs.csv").write_bytes(data)
        more["into"] = root / "theirs.csv"
    more.setdefault("to", root / "out.csv")
    with Gradebook(course.gradebook_path(), course.secret_name()) as book:
        done = export(course, book, "little", format, **more)
    if into is not None:
        assert (root / "theirs.csv").read_bytes() == data
    return Path(done.to).read_bytes(), done
