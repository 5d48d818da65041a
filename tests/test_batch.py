"""One submission never ends a batch: a class of troublemakers among honest students, graded by the command itself."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from redink.grader.answer_key.keep import answer_key
from redink.grader.course import Course
from redink.grader.grade import grade_all
from redink.grader.pages.summary import summary
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.job import BoxSettings
from redink.grader.pipeline.report import Outcome, report
from redink.grader.store.collected import CollectedFiles, HandIn, Kept
from redink.grader.store.gradebook import Gradebook
from redink.grader.workers.workers import Workers
from redink.records import Result
from tests.conftest import SCALE, Desk, _copy, read_results

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")

HONEST = ("ada", "mia", "zoe")
ODD_NAMES = {  # that a platform or an archive may leave: the student is graded all the same
    b"M\xfcller": "M\\xfcller",
    "Jürgen".encode(): "Jürgen",
    b"new\nline": "new\\nline",
    b"\x1b[31mred": "\\x1b[31mred",
    "\u202egnp.eixip".encode(): "\\u202egnp.eixip",
    b"| ada | 100 |": "| ada | 100 |",
    b"<b>bold<b>": "<b>bold<b>",
    b"--help": "--help",
    b"back\\slash": "back\\\\slash",
    b"x" * 200: "x" * 200,
}
WILD = {
    "elif_chain": "if X is 0: pass\n" + "".join(f"elif X is {n}: pass\n" for n in range(1500)),
    "long_error": "raise ValueError(' ' * 97_000 + 'x' * 97_000)",
    "odd_error": "raise type('\\x1b[31mRed\\n| x | 100 |', (Exception,), {})('\\r100')",
    "giant": "def scale(X):\n    return 10 ** 4299",
    "long_list": "def scale(X):\n    return list(range(500_000))",
    "deep": "def scale(X):\n    d = []\n    for _ in range(10_000): d = [d]\n    return d",
    "odd_type": "def scale(X):\n    return type('\\x1b[31m' * 100, (), {})()",
    "odd_keys": "def scale(X):\n    return {'\\x1b[2J' * 50: 1, ('a',): 2, None: 3, 7: 4}",
}


def hand_in_everything(desk: Desk) -> dict[str, str]:
    """Hand in a class; return the id that each must have, and the state."""
    folder = desk.root / "class"
    for name in HONEST:
        desk.hand_in(name)
    expected = dict.fromkeys(HONEST, "graded")
    solved = (folder / "ada" / "little.ipynb").read_bytes()
    for raw, shown in ODD_NAMES.items():
        (folder / os.fsdecode(raw)).mkdir()
        (folder / os.fsdecode(raw) / "little.ipynb").write_bytes(solved)
        expected[shown] = "graded"
    for name, source in WILD.items():
        desk.hand_in(name, {SCALE: source})
        expected[name] = "graded"
    (folder / "linked.ipynb").symlink_to(folder / "ada" / "little.ipynb")
    (folder / "linked_folder").symlink_to(folder / "ada")
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe" / "little.ipynb")
    (folder / "device").mkdir()
    with socket.socket(socket.AF_UNIX) as made:
        os.chdir(folder / "device")
        made.bind("little.ipynb")
        os.chdir(desk.root)
    (folder / "twice.ipynb").write_bytes(solved)
    (folder / "twice").mkdir()
    (folder / "twice" / "little.ipynb").write_bytes(solved)
    (folder / "wide").mkdir()
    (folder / "wide" / "little.ipynb").write_bytes(b'{"cells": [' + b"[]," * 2_000_000 + b"[]]}")
    ungradable = ("linked", "linked_folder", "pipe", "device", "twice", "wide")
    return expected | dict.fromkeys(ungradable, "ungradable")


@pytest.fixture(scope="module")
def graded_batch(little_course: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, dict[str, str], Any]:
    here = Path.cwd()
    desk = _copy(little_course, tmp_path_factory.mktemp("batch"), "little")
    expected = hand_in_everything(desk)
    done = desk.redink("grade", "little", "class", "--json", "out.json", "--summary", "out.md", "--jobs", 2)
    os.chdir(here)
    return desk, expected, done


def test_everybody_has_a_state_and_a_reason(graded_batch):
    desk, expected, done = graded_batch
    assert done.returncode == 0, done.stderr
    found = read_results(desk.root / "out.json")
    assert {name: one["state"] for name, one in found.items()} == expected
    assert all(one["reason"] for one in found.values() if one["state"] != "graded")
    assert all(found[name]["score"] == 100 for name in (*HONEST, *ODD_NAMES.values()))
    assert all(found[name]["score"] <= 60 for name in WILD)


def test_links_and_other_odd_files_are_told_as_such(graded_batch):
    desk, _, _ = graded_batch
    found = {name: one["reason"] for name, one in read_results(desk.root / "out.json").items()}
    assert "link" in found["linked"] and "link" in found["linked_folder"]
    assert "twice.ipynb" in found["twice"] and "twice/little.ipynb" in found["twice"]
    for name in ("pipe", "device"):
        assert f"{name}/little.ipynb" in found[name]


def test_the_terminal_and_the_summary_show_everybody_and_obey_nobody(graded_batch):
    desk, expected, done = graded_batch
    page = (desk.root / "out.md").read_text(encoding="utf-8")
    assert done.stdout.replace("\n", "").isprintable()
    assert page.replace("\n", "").isprintable()
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len([row for row in rows if "\\| ada \\| 100 \\|" in row]) == 1
    assert not [row for row in rows if row.startswith("| ada | 100 |") and row != "| ada | 100 |  |"]
    assert len(done.stdout) < 20_000
    assert "<b>" not in page.replace("\\<", "")
    assert len(rows) >= len(expected)


def test_what_was_graded_is_reused_and_the_same(graded_batch):
    desk, _, _ = graded_batch
    first = (desk.root / "out.json").read_bytes()
    again = desk.redink("grade", "little", "class", "--json", "again.json")
    assert again.returncode == 0, again.stderr
    assert "0 new" in again.stdout
    assert json.loads((desk.root / "again.json").read_bytes()) == json.loads(first)


# -- whatever is raised ------------------------------------------------------------------------------------------------


class _Stumbling(CollectedFiles):
    """The part of a gradebook that raises when one student's attempt is kept, as a bug of ours might."""

    def keep(self, assignment: str, handed: HandIn, content: bytes | None = None) -> Kept:
        if handed.student == "mia":
            raise RecursionError("too deep")
        return super().keep(assignment, handed, content)


def test_what_is_raised_while_one_is_stored_costs_that_one_alone(little: Desk):
    for name in HONEST:
        little.hand_in(name)
    course = Course(little.root)
    box = BoxSettings(torch=False, hidden=(str(course.root),))
    with Workers(1, box) as workers, Gradebook(None, course.secret_name()) as book:
        book.collected = _Stumbling(book._db, book.transaction, book._shorthand)
        key = answer_key(course, "little", workers.observe)
        done = list(grade_all(key, collect("little", little.root / "class").found, book, workers))
    found = {one.result.submission.id: one.result for one in done}
    assert {name: one.state for name, one in found.items()} == {
        "ada": "graded",
        "mia": "internal_error",
        "zoe": "graded",
    }
    assert "RecursionError" in (found["mia"].reason or "")


def test_a_gradebook_that_cannot_be_written_ends_the_run(little: Desk):
    class Broken(CollectedFiles):
        def keep(self, assignment: str, handed: HandIn, content: bytes | None = None) -> Kept:
            raise sqlite3.OperationalError("disk I/O error")

    little.hand_in("ada")
    course = Course(little.root)
    with Workers(1, BoxSettings(torch=False)) as workers:
        key = answer_key(course, "little", workers.observe)
        with pytest.raises(Exception, match="disk I/O error"), Gradebook(None, course.secret_name()) as book:
            book.collected = Broken(book._db, book.transaction, book._shorthand)
            list(grade_all(key, collect("little", little.root / "class").found, book, workers))


def test_a_result_that_cannot_be_shown_says_so_and_the_others_are_shown(graded_course: Path):
    good = [
        msgspec.convert(one, Result) for one in json.loads((graded_course / "first.json").read_bytes())["results"][:3]
    ]
    bad = msgspec.structs.replace(good[1], reason="half a character \ud800")
    made = report(Outcome(result=one, reused=False, before=None, mistakes={}) for one in (good[0], bad, good[2]))
    assert [one.state for one in made.results] == [good[0].state, "internal_error", good[2].state]
    assert "cannot be shown" in (made.results[1].reason or "")
    msgspec.json.encode(made.file())
    summary(made).encode()


def test_a_path_that_does_not_exist_is_told(little: Desk):
    done = little.redink("grade", "little", "clas")
    assert done.returncode == 1
    assert "clas" in done.stderr and len(done.stderr.splitlines()) == 1
