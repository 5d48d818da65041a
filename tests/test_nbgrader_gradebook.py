"""`export --as nbgrader`: Redink's grades in a gradebook of the real nbgrader, by its own API, and nothing else changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.desk.standings import open_gradebook
from redink.grader.export.accounting import account_lines
from redink.grader.export.exporting import export as export_grades

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's own libraries warn
CLASS = ("ada_right", "ben_blank", "believes_in_rows", "not_json")


def opened(path: Path) -> Any:
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{path}", "redink")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A gradebook of nbgrader with students and another assignment, made once: nbgrader starts a process for it."""
    path = tmp_path_factory.mktemp("nbgrader") / "gradebook.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        with opened(path) as book:
            for name in (*CLASS, "somebody_else"):
                book.add_student(name)
            book.add_assignment("other")
            book.add_notebook("other", "other")
            book.add_grade_cell("q", "other", "other", max_score=5, cell_type="code")
            book.add_submission("other", "ada_right")
            book.find_grade("q", "other", "other", "ada_right").manual_score = 4
            book.db.commit()
        yield path


@pytest.fixture
def desk(graded: Any, empty: Path) -> Any:
    """The graded class, reduced to four students, and the gradebook beside it."""
    shutil.copy(empty, graded.root / "gradebook.db")
    with sqlite3.connect(graded.book) as base:
        names = ", ".join(f"'{name}'" for name in CLASS)
        base.execute("PRAGMA foreign_keys = OFF")
        base.execute(f"DELETE FROM submissions WHERE student IN (SELECT id FROM students WHERE name NOT IN ({names}))")
        base.execute(f"DELETE FROM students WHERE name NOT IN ({names})")
    return graded


def export(desk: Any, column: str = "") -> str:
    """Export as the command does, in this process, where nbgrader is loaded already; return what an instructor reads."""
    course = Course(desk.root)
    into, to = desk.root / "gradebook.db", desk.root / "filled.db"
    with open_gradebook(course, None, "a test") as book:
        return "\n".join(
            account_lines(export_grades(course, book, "little", "nbgrader", into=into, to=to, column=column))
        )


def totals(path: Path, assignment: str = "little") -> dict[str, float]:
    with opened(path) as book:
        return {
            one.student.id: one.score - one.late_submission_penalty for one in book.assignment_submissions(assignment)
        }


def test_every_grade_arrives_question_by_question_and_the_rest_stays(desk):
    told = export(desk)
    assert "4 grades in 'little'" in told
    assert "little was not in the gradebook, and was added" in told
    assert "1 rows of nobody in the gradebook" in told
    found = totals(desk.root / "filled.db")
    assert found.keys() == set(CLASS)
    assert (found["ada_right"], found["ben_blank"], found["not_json"]) == (100, 0, 0)
    with opened(desk.root / "filled.db") as book:
        cells = {
            grade.name: grade.score for grade in book.find_submission("little", "believes_in_rows").notebooks[0].grades
        }
        assert cells == {"centre": 0, "scale": 40, "ideas": 20}
        assert book.find_grade("q", "other", "other", "ada_right").manual_score == 4
        assert len(book.students) == len(CLASS) + 1


def test_filling_again_changes_nothing_and_says_so(desk):
    export(desk)
    shutil.move(desk.root / "filled.db", desk.root / "gradebook.db")
    told = export(desk)
    assert "4 grades in 'little' (4 of them stood there already)" in told
    assert totals(desk.root / "filled.db") == totals(desk.root / "gradebook.db")


def test_an_override_and_a_late_penalty_make_nbgraders_total_the_grade(desk):
    (desk.root / "course.toml").write_text(
        'timezone = "UTC"\n[assignments.little]\ndue = 2020-01-01T00:00:00\npenalty_per_day = 10\npenalty_cap = 30\n',
        encoding="utf-8",
    )
    with sqlite3.connect(desk.book) as base:
        base.execute(
            "INSERT INTO times (submission, handed_in, source, told_at) "
            "SELECT id, '2020-01-02T12:00:00+00:00', 'a test', '2020-01-03T00:00:00+00:00' FROM submissions"
        )
    set_by_hand = desk.redink("override", "little", "ben_blank", "55", "--why", "an oral exam")
    assert set_by_hand.returncode == 0, set_by_hand.stderr
    told = export(desk)
    assert "1 set by a person: ben_blank" in told
    found = totals(desk.root / "filled.db")
    assert found["ben_blank"] == pytest.approx(55)
    assert found["ada_right"] == pytest.approx(80)
    with opened(desk.root / "filled.db") as book:
        ada = book.find_submission("little", "ada_right")
        assert (ada.score, ada.late_submission_penalty) == (100, 20)
        assert ada.timestamp.isoformat() == "2020-01-02T12:00:00"


def test_scores_that_a_person_set_in_nbgrader_stay(desk):
    export(desk)
    with opened(desk.root / "filled.db") as book:
        book.find_grade("scale", "little", "little", "ben_blank").manual_score = 33
        book.db.commit()
    shutil.move(desk.root / "filled.db", desk.root / "gradebook.db")
    told = export(desk)
    assert "1 left as they are: ben_blank: graded by hand in nbgrader; 33 stays" in told
    assert totals(desk.root / "filled.db")["ben_blank"] == 33


def test_nothing_is_written_if_somebody_with_a_grade_is_no_student_there(desk):
    with opened(desk.root / "gradebook.db") as book:
        book.remove_student("believes_in_rows")
    with pytest.raises(CourseError, match="believes_in_rows has a grade and no row"):
        export(desk)
    assert not (desk.root / "filled.db").exists()


def test_an_assignment_with_other_cells_or_points_is_refused(desk):
    with pytest.raises(CourseError, match=r"other in .*gradebook.db has no grade cell centre"):
        export(desk, column="other")
    export(desk)
    with sqlite3.connect(desk.root / "filled.db") as base:
        base.execute("UPDATE grade_cells SET max_score = 7")
    shutil.move(desk.root / "filled.db", desk.root / "gradebook.db")
    with pytest.raises(CourseError, match="has 7 points for centre, and Redink 40"):
        export(desk)


@pytest.mark.parametrize(("content", "told"), [(b"Dear professor", "cannot be read"), (b"", "lacks nbgrader's tables")])
def test_a_file_that_is_no_gradebook_is_refused_in_a_sentence(desk, content, told):
    (desk.root / "gradebook.db").write_bytes(content)
    with pytest.raises(CourseError, match=told):
        export(desk)


def test_without_nbgrader_a_sentence_says_what_to_install(desk, tmp_path):
    (tmp_path / "hiding").mkdir()
    (tmp_path / "hiding/nbgrader.py").write_text("raise ImportError('not here')\n", encoding="utf-8")
    done = desk.redink(
        "export", "little", "--as", "nbgrader", "--into", "gradebook.db", "--to", "filled.db",
        env={"PYTHONPATH": str(tmp_path / "hiding")},
    )  # fmt: skip
    assert done.returncode == 1
    assert "this needs nbgrader: pip install 'redink[nbgrader]'" in done.stderr
    assert "file" in desk.redink("export", "little", "--as", "nbgrader").stderr
