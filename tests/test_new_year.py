"""A new year: a new secret, the old course archived whole; what would lose anything is refused, and nothing is lost."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.conftest import SCALE, Desk, environment


def tree(folder: Path) -> dict[str, bytes]:
    """Read all that is in a folder, except what SQLite makes while a gradebook is open."""
    return {
        str(one.relative_to(folder)): one.read_bytes()
        for one in sorted(folder.rglob("*"))
        if one.is_file() and not re.search(r"-(wal|shm)$|\.lock$", one.name)
    }


def graded_in(desk: Desk) -> str:
    done = desk.redink("history", "ada_right", "little")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_archive_is_a_course_in_which_everything_is_as_it_was_and_the_course_begins_anew(
    graded: Desk, tmp_path: Path
):
    (graded.root / "course.toml").write_text(
        'roster = "people/roster.csv"\n[assignments.little]\ndue = 2020-01-01T00:00:00\n'
    )
    (graded.root / "people").mkdir()
    (graded.root / "people/roster.csv").write_text("id,name\nada_right,Ada\nnew,New\n")
    told, private = graded_in(graded), tree(graded.root / ".redink")
    done = graded.redink("new-year", "--archive", "../old year")
    assert done.returncode == 0, done.stderr
    assert "next: give new due dates in course.toml to little, or everybody will be late" in done.stdout
    old = Desk(tmp_path / "old year", "little")
    assert graded_in(old) == told
    assert tree(old.root / ".redink") == private
    assert (old.root / "people/roster.csv").exists()
    assert old.root.stat().st_mode & 0o777 == 0o700
    assert not graded.book.exists()
    secret = (graded.root / ".redink/secret").read_bytes()
    assert secret != private["secret"]
    assert len(secret) == 64
    assert not list(tmp_path.glob(".*"))
    assert "nothing was collected or graded" in graded.redink("new-year", "--archive", "../x").stderr


def test_last_years_class_is_compared_with_this_years(graded: Desk, tmp_path: Path):
    body = "\n".join(f"    total_{n} = X[{n % 2}, 0] * {n} + sum(range({n}))" for n in range(30))
    shutil.rmtree(graded.root / "class")
    graded.hand_in("last", {SCALE: f"def scale(X):\n{body}\n    return total_3"})
    assert graded.redink("grade", "little", "class").returncode == 0
    assert graded.redink("new-year", "--archive", "../2025").returncode == 0
    shutil.rmtree(graded.root / "class")
    graded.hand_in("this", {SCALE: f"def scale(X):\n{body}\n    return total_3"})
    graded.hand_in("other")
    assert graded.redink("grade", "little", "class").returncode == 0
    words = ("--with", "../2025/.redink/gradebook.sqlite", "--names", "--to", "alike", "--json", "alike.json")
    done = graded.redink("similar", "little", *words)
    assert done.returncode == 0, done.stderr
    pairs = json.loads((graded.root / "alike.json").read_bytes())["pairs"]
    assert [(one["first"], one["second"], one["second_is_earlier"]) for one in pairs] == [("this", "last", True)]


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("class", "exists and is not empty"),
        ("first.txt", "exists and is not empty"),
        ("solutions/old", "is inside"),
        ("assignments/little/old", "is inside"),
        (".redink/old", "is inside"),
        ("nowhere/old", "there is no folder"),
        ("/proc/old", "on another disk"),
    ],
)
def test_a_place_that_would_lose_something_is_refused_and_nothing_changes(graded: Desk, where: str, told: str):
    before = tree(graded.root)
    done = graded.redink("new-year", "--archive", where)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert told in done.stderr
    assert tree(graded.root) == before


def test_a_secret_that_an_archive_would_not_hold_is_refused(graded: Desk):
    done = graded.redink("new-year", "--archive", "../old", env={"REDINK_SECRET": "told"})
    assert done.returncode == 1
    assert "the course secret comes from REDINK_SECRET" in done.stderr
    assert graded.book.exists()


def test_a_roster_outside_the_course_is_refused(graded: Desk, tmp_path: Path):
    (tmp_path / "people.csv").write_text("id\nada\n")
    (graded.root / "course.toml").write_text('roster = "../people.csv"\n')
    done = graded.redink("new-year", "--archive", "../old")
    assert "the roster ../people.csv is outside the course" in done.stderr
    assert graded.book.exists()


def test_while_another_command_writes_it_is_refused(graded: Desk):
    from redink.grader.store.lock import Lock

    lock = Lock(graded.book, "redink grade little")
    try:
        done = graded.redink("new-year", "--archive", "../old")
    finally:
        lock.release()
    assert done.returncode == 1
    assert "is in use by `redink grade little`" in done.stderr
    assert graded.book.exists()


def test_nothing_is_lost_wherever_it_is_interrupted(graded: Desk, tmp_path: Path):
    private = tree(graded.root / ".redink")
    delays = [0.2 + 0.05 * at for at in range(12)]
    for delay in delays:
        command = graded.command("new-year", "--archive", "../old")
        with subprocess.Popen(command, cwd=graded.root, env=environment(), stdout=-3, stderr=-3) as process:
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
    if not (tmp_path / "old").exists():
        done = graded.redink("new-year", "--archive", "../old")
        assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "old" / ".redink") == private
    assert not list(tmp_path.glob(".*.part"))


def test_one_that_was_interrupted_in_the_midst_is_finished_by_the_same_command(graded: Desk, tmp_path: Path):
    private = tree(graded.root / ".redink")
    part = tmp_path / ".old.part"
    for name in ("assignments", "solutions"):
        shutil.copytree(graded.root / name, part / name)
    (graded.root / ".redink").rename(part / ".redink")
    assert "finish what was interrupted: --archive old" in graded.redink("new-year", "--archive", "../x").stderr
    done = graded.redink("new-year", "--archive", "../old")
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "old" / ".redink") == private
