"""A full disk, a gradebook in use, a folder that cannot be written, a source that is gone: one sentence, nothing lost."""

from __future__ import annotations

import resource
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from redink.grader.store.lock import Lock
from tests.conftest import Desk, environment

WRITING = (
    "collect little class",
    "extend little ada_right --until 2030-01-01 --why ill",
    "override little ada_right 7 --why so",
    "void little has_unit_spread --why unfair",
    "rejudge little --apply",
    "grade little class",
)
SHOWING = (
    "report little --to out",
    "export little --as csv --to out.csv",
    "similar little --to out",
    "history ada_right",
)
PLACES = (
    "report little --to {}/out", "export little --as csv --to {}/out.csv", "similar little --to {}/out",
    "collect little class --receipts {}/receipts.csv", "collect little class --json {}/out.json",
    "grade little class --summary {}/out.md", "export little --as csv --json {}/out.json --to out.csv",
)  # fmt: skip


def grades(desk: Desk) -> list[tuple[object, ...]]:
    with sqlite3.connect(f"file:{desk.book}?mode=ro", uri=True) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return db.execute("SELECT student, attempt, state, score FROM grades").fetchall()


def is_one_sentence(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("redink: ")
    assert "did not foresee" not in done.stderr


@pytest.mark.parametrize("command", [*WRITING, *SHOWING[:3]])
def test_a_gradebook_in_use_is_one_sentence_that_says_by_whom(graded: Desk, command: str):
    before = grades(graded)
    lock = Lock(graded.book, "redink grade little")
    try:
        done = graded.redink(*command.split(), boxes=False)
    finally:
        lock.release()
    is_one_sentence(done)
    assert "is in use by `redink grade little` (process " in done.stderr
    assert grades(graded) == before


@pytest.mark.parametrize("command", [*WRITING[:3], *SHOWING[:3]])
def test_a_full_disk_is_one_sentence_and_every_grade_stays(graded: Desk, command: str):
    before = grades(graded)
    for number in range(20):
        graded.hand_in(f"more_{number}", {2: f"import numpy as np\nme = {list(range(3000))}"})
    done = subprocess.run(
        graded.command(*command.split(), boxes=False), cwd=graded.root, env=environment(), capture_output=True,
        text=True, check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
    )  # fmt: skip
    is_one_sentence(done)
    assert grades(graded) == before
    assert not (graded.root / "out.csv").exists()
    again = graded.redink(*command.split())
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("place", ["/proc", "first.txt"])
@pytest.mark.parametrize("command", PLACES)
def test_a_folder_that_cannot_be_written_is_one_sentence(graded: Desk, command: str, place: str):
    before = grades(graded)
    is_one_sentence(graded.redink(*command.format(place).split(), boxes=False))
    assert grades(graded) == before


@pytest.mark.parametrize("command", ["collect little gone", "grade little gone", "collect little class gone"])
def test_a_source_that_is_gone_is_one_sentence_and_nothing_of_it_is_taken(graded: Desk, command: str):
    before = grades(graded)
    done = graded.redink(*command.split(), boxes=False)
    is_one_sentence(done)
    assert "there is no gone" in done.stderr
    assert grades(graded) == before


def test_what_was_collected_is_graded_when_its_source_is_gone(little: Desk):
    little.hand_in("ada")
    assert little.redink("collect", "little", "class").returncode == 0
    shutil.rmtree(little.root / "class")
    assert little.redink("grade", "little").returncode == 0
    assert grades(little) == [("ada", 1, "graded", 100.0)]


def test_a_file_that_goes_while_it_is_collected_is_that_students_problem_alone(little: Desk, monkeypatch):
    from redink.grader.course import Course
    from redink.grader.desk import collecting
    from redink.grader.pipeline.collect import collect

    for name in ("ada", "ben"):
        little.hand_in(name)

    def collect_and_remove(*words: object, **how: object) -> object:
        found = collect(*words, **how)  # type: ignore[arg-type]
        Path(little.root / "class/ada/little.ipynb").unlink()
        return found

    monkeypatch.setattr(collecting, "collect", collect_and_remove)
    found = collecting.collect_class(Course(little.root), "little", [little.root / "class"])
    problems = {one.student: one.problem for one in found.receipts}
    assert problems["ben"] is None
    assert problems["ada"] is not None
    assert "cannot be read: No such file" in problems["ada"]
