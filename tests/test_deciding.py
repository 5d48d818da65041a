"""Extensions, overrides, voided checks and histories, by the commands that an instructor types."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from redink.grader.course import Course
from redink.grader.store.collected import HandIn
from redink.grader.store.gradebook import Gradebook
from tests.test_standing import question, result

DUE = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course whose class of three was graded: ada in time, ben a day and a half late, cy never."""
    monkeypatch.setenv("REDINK_SECRET", "test")
    folder = tmp_path / "assignments" / "little"
    folder.mkdir(parents=True)
    (tmp_path / "solutions" / "little").mkdir(parents=True)
    (folder / "assignment.toml").write_text(
        'title = "Little"\nslug = "little"\n'
        '[[questions]]\nid = "a"\ntitle = "A"\npoints = 60\nasks = ["f"]\n'
        '[[questions]]\nid = "b"\ntitle = "B"\npoints = 40\nasks = ["g"]\n'
    )
    (tmp_path / "course.toml").write_text(
        'timezone = "Europe/Berlin"\nroster = "people.csv"\n'
        "[assignments.little]\ndue = 2026-03-01T13:00:00\npenalty_per_day = 10\n"
    )
    (tmp_path / "people.csv").write_text("id,name\nada,Ada Lovelace\nben,Ben Ali\ncy,Cy Young\n")
    with Gradebook(Course(tmp_path).gradebook_path(), Course(tmp_path).secret_name()) as book:
        for name, late in (("ada", -1.0), ("ben", 1.5)):
            when = DUE + timedelta(days=late)
            handed = HandIn(student=name, file=f"{name}.ipynb", sha256=name * 16, source="canvas", handed_in=when)
            half = result(question("a", 30.0, 60.0), question("b", 40.0, 40.0))
            book.collected.keep("little", handed)
            kept = book.collected.keep("little", handed)
            book.keep_result(kept.submission, half, answer_key="k", graded_under="u")
    return tmp_path


def redink(course: Path, *words: str, code: int = 0) -> str:
    command = [sys.executable, "-m", "redink_cli", *words]
    done = subprocess.run(command, cwd=course, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def test_an_extension_gives_back_what_lateness_took(course):
    assert redink(course, "extend", "little", "ben", "--until", "+2", "--why", "ill").splitlines() == [
        "ben: time until 2026-03-03 13:00; 70 (was 50)",
        "1 noted, 1 grade changed",
    ]
    assert "ben: time until it is due (was 2026-03-03 13:00); 50 (was 70)" in redink(
        course, "extend", "little", "Ben Ali", "--undo", "--why", "not ill"
    )


def test_an_override_of_a_question_and_one_of_the_whole(course):
    assert "ada: 100 (was 70)" in redink(course, "override", "little", "ada", "60", "-q", "a", "--why", "right")
    assert "cy: 80 (was no grade)" in redink(course, "override", "little", "cy", "80", "--why", "oral exam")
    told = redink(course, "history", "ada", "little")
    assert told.startswith("Ada Lovelace (ada), little: 100 of 100 points\n")
    assert "a: 30 → 60, set by " in told
    assert "ada: 70 (was 100)" in redink(course, "override", "little", "ada", "-q", "a", "--undo", "--why", "wrong")
    assert "a: override taken back by" in redink(course, "history", "ada")


def test_a_history_does_not_call_late_who_was_not_and_has_the_course_s_clock(course):
    with Gradebook(Course(course).gradebook_path(), Course(course).secret_name()) as book:
        for name, late in (("cy", False), ("di", True)):
            told = HandIn(student=name, file=f"{name}.ipynb", sha256=name * 16, source="canvas", late=late)
            book.collected.keep("little", told)
    assert "attempt 1 not marked late, as told by canvas" in redink(course, "history", "cy")
    assert "attempt 1 marked late, as told by canvas" in redink(course, "history", "di")
    redink(course, "extend", "little", "ben", "--until", "2026-03-03 13:00", "--why", "ill")
    told = redink(course, "history", "ben", "little")
    assert "extended until 2026-03-03 13:00 by " in told
    assert "collected from canvas: ben.ipynb, handed in 2026-03-03 01:00" in told


def test_a_history_says_how_a_grade_came_about(course):
    told = redink(course, "history", "ben", "little")
    assert "It is 2 days late: 20 % are 20 points." in told
    assert "It was due 2026-03-01 13:00." in told
    assert "attempt 1 collected from canvas: ben.ipynb" in told
    assert "Cy Young (cy), little: nothing was handed in" in redink(course, "history", "cy")


def test_a_voided_check_gives_its_points_to_everybody_who_was_graded_and_can_be_taken_back(course):
    told = redink(course, "void", "little", "a_1", "--why", "unfair")
    assert told.splitlines() == ["ada: 100 (was 70)", "ben: 80 (was 50)", "2 noted, 2 grades changed"]
    assert "void already" in redink(course, "void", "little", "a_1", "--why", "unfair", code=1)
    assert "ada: 70 (was 100)" in redink(course, "void", "little", "a_1", "--undo", "--why", "fair")


def test_a_file_of_decisions_holds_as_a_whole_or_not_at_all(course):
    (course / "more.csv").write_text("student;score;reason;question\nada;50;looked;a\nben;10;looked;b\n\n")
    assert "2 noted, 2 grades changed" in redink(course, "override", "little", "--from", "more.csv")
    (course / "bad.csv").write_text("student,score,reason\nada,1,x\nzoe,2,x\n")
    assert "nobody in little is called 'zoe'" in redink(course, "override", "little", "--from", "bad.csv", code=1)
    with sqlite3.connect(course / ".redink/gradebook.sqlite") as db:
        assert db.execute("SELECT count(*) FROM overrides").fetchone() == (2,)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("override", "little", "adda", "3", "--why", "x"), "nobody in little is called 'adda'; did you mean ada?"),
        (("override", "little", "ada", "61", "-q", "a", "--why", "x"), "a has 60 points; 61 are more"),
        (("override", "little", "ada", "six", "--why", "x"), "'six' is no score for ada"),
        (("override", "little", "ada", "-1", "--why", "x"), "No such option"),
        (("override", "little", "ada", "3", "-q", "c", "--why", "x"), "little has no question 'c'"),
        (("override", "little", "cy", "3", "-q", "a", "--why", "x"), "nothing of cy was graded question by question"),
        (("override", "little", "ada", "3"), "say why, with --why"),
        (("override", "little", "--why", "x"), "name a student, or a file with --from"),
        (("extend", "little", "ada", "--why", "x"), "say until when"),
        (("extend", "little", "ada", "--until", "soon", "--why", "x"), "'soon' is no time"),
        (("void", "little", "nope", "--why", "x"), "little has no check 'nope' that was graded"),
        (("history", "nobody", "little"), "nobody in little is called 'nobody'"),
        (("history", "ada", "litle"), "there is no assignment 'litle'"),
    ],
)
def test_a_mistake_is_one_sentence_and_changes_nothing(course, words, complaint):
    command = [sys.executable, "-m", "redink_cli", *words]
    done = subprocess.run(command, cwd=course, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (1, 2)
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    with sqlite3.connect(course / ".redink/gradebook.sqlite") as db:
        for table in ("overrides", "extensions", "voids"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_without_a_gradebook_nothing_is_made(course):
    told = redink(course, "history", "ada", "--gradebook", "none.sqlite", code=1)
    assert "there is no gradebook none.sqlite" in told
    assert not (course / "none.sqlite").exists()


def test_an_extension_before_anything_was_handed_in_is_kept_and_applies_to_what_comes(course):
    told = redink(course, "extend", "little", "cy", "--until", "+2", "--why", "ill")
    assert "cy: time until 2026-03-03 13:00; no grade" in told
    (course / "more.csv").write_text("student,until,reason\ndi,2026-03-04,ill\n")
    (course / "people.csv").write_text("id,name\nada,Ada Lovelace\nben,Ben Ali\ncy,Cy Young\ndi,Di Ode\n")
    assert "di: time until 2026-03-04 23:59" in redink(course, "extend", "little", "--from", "more.csv")
    assert "extended until 2026-03-03 13:00 by " in redink(course, "history", "cy", "little")
    hand_in(course, "cy", days=1.5)
    hand_in(course, "di", days=1.5)
    for who in ("cy", "di"):
        assert f"({who}), little: 70 of 100 points" in redink(course, "history", who, "little")


def test_an_extension_needs_no_gradebook_yet(course):
    redink(course, "extend", "little", "cy", "--until", "+2", "--why", "ill", "--gradebook", "new.sqlite")
    assert "extended until" in redink(course, "history", "cy", "little", "--gradebook", "new.sqlite")


def test_taking_a_decision_back_restores_the_one_before(course):
    for until in ("+2", "+1"):
        redink(course, "extend", "little", "ben", "--until", until, "--why", "ill")
    undo = ("extend", "little", "ben", "--undo", "--why", "mistaken")
    assert "time until 2026-03-03 13:00 (was 2026-03-02 13:00); 70 (was 60)" in redink(course, *undo)
    assert "time until it is due (was 2026-03-03 13:00); 50 (was 70)" in redink(course, *undo)
    assert "ben has no extension that could be taken back" in redink(course, *undo, code=1)
    for score in ("20", "30"):
        redink(course, "override", "little", "ben", score, "--why", "oral")
    undo = ("override", "little", "ben", "--undo", "--why", "mistaken")
    assert "ben: 20 (was 30)" in redink(course, *undo)
    assert "ben: 50 (was 20)" in redink(course, *undo)
    assert "ben has no score of the whole that could be taken back" in redink(course, *undo, code=1)


def test_an_extension_does_not_end_before_the_due_date(course):
    told = redink(course, "extend", "little", "ben", "--until", "2026-02-20", "--why", "x", code=1)
    assert "2026-02-20 23:59 is no more time for ben: little is due 2026-03-01 13:00" in told


def test_all_that_is_wrong_with_a_file_of_decisions_is_told_by_its_lines(course):
    (course / "bad.csv").write_text('student,score,reason\nada,"98,5",x\nghost,2,x\nben,7,x\n')
    told = redink(course, "override", "little", "--from", "bad.csv", code=1)
    assert "bad.csv, line 2: '98,5' is no score for ada; write 98.5" in told
    assert "bad.csv, line 3: nobody in little is called 'ghost'" in told


def hand_in(course: Path, name: str, *, days: float) -> None:
    with Gradebook(Course(course).gradebook_path(), Course(course).secret_name()) as book:
        when = DUE + timedelta(days=days)
        told = HandIn(student=name, file=f"{name}.ipynb", sha256=name * 16, source="canvas", handed_in=when)
        half = result(question("a", 30.0, 60.0), question("b", 40.0, 40.0))
        book.keep_result(book.collected.keep("little", told).submission, half, answer_key="k", graded_under="u")


def test_a_history_is_a_reply_that_can_be_pasted(course):
    with Gradebook(Course(course).gradebook_path(), Course(course).secret_name()) as book:
        told = HandIn(student="ada", file="ada.ipynb", sha256="ada" * 16, source="canvas")
        attempt = book.collected.keep("little", told).submission
        said = msgspec.structs.replace(question("a", 30.0, 60.0))
        checks = tuple(
            msgspec.structs.replace(one, message="" if one.score else "The bound holds.\nIt did not.")
            for one in said.checks
        )
        better = result(msgspec.structs.replace(said, checks=checks), question("b", 40.0, 40.0))
        for _ in range(2):
            book.keep_result(attempt, better, answer_key="k", graded_under="u")
        lower = result(question("a", 30.0, 60.0), question("b", 20.0, 40.0))
        book.keep_result(attempt, lower, answer_key="k", graded_under="u")
        book.keep_result(attempt, better, answer_key="k", graded_under="u")
    redink(course, "void", "little", "a_1", "--why", "unfair")
    redink(course, "void", "little", "b_1", "--why", "unfair")
    told = redink(course, "history", "ada", "little")
    assert "The checks gave 70: a 30 of 60, b 40 of 40." in told
    assert "The check “The bound holds.” of a does not count: everybody has its points (+30)." in told
    assert "The check “b 1” of b does not count: everybody has its points (here nothing changes)." in told
    assert told.count("attempt 1 graded: 70 points by the checks") == 1
    assert told.count("attempt 1 judged again: 70 points by the checks, as before") == 2
    assert "attempt 1 judged again: 50 points by the checks, before: 70 points by the checks" in told
    assert "the check “The bound holds.” does not count any more, decided by" in told
    assert "a_1" not in told
    assert "does not count" not in redink(course, "history", "cy", "little")


def test_a_history_of_what_is_not_graded_yet_takes_no_points_for_lateness(course):
    with Gradebook(Course(course).gradebook_path(), Course(course).secret_name()) as book:
        late = HandIn(student="cy", file="cy.ipynb", sha256="cy", source="canvas", handed_in=DUE + timedelta(days=1.5))
        book.collected.keep("little", late)
    assert "It is 2 days late: 20 % are taken for it." in redink(course, "history", "cy", "little")


def test_a_history_can_be_read_while_another_command_writes(course):
    book = Course(course).gradebook_path()
    with Gradebook(book, Course(course).secret_name(), holder="redink grade little"):
        assert "Ada Lovelace (ada), little: 70 of 100 points" in redink(course, "history", "ada", "little")
        told = redink(course, "override", "little", "ada", "3", "--why", "x", code=1)
        assert "in use by `redink grade little`" in told
    assert not list(book.parent.glob("*-wal"))
