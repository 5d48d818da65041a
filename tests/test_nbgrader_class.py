"""A class of thirty, graded in Redink and in the real nbgrader side by side: the same grades, and what each costs."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from redink.grader.assignment.assignment import Assignment
from redink.grader.assignment.master import edited
from redink.records import Cell
from tests.conftest import ROOT, environment, read_results, write_notebook
from tests.other_tools import SECRET, handed_over, write_submission
from tests.test_nbgrader import NbgraderCourse

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # nbgrader's own libraries warn
SLUG = "perceptron"
HOW_MANY = {"right": 3, "other": 3, "wrong": 18, "blank": 3, "broken": 3}


def made_up_class(assignment: Assignment) -> dict[str, tuple[Cell, ...]]:
    """Thirty notebooks: right in several ways, wrong by misconceptions of all core questions, blank, and broken."""
    rng, skip, solved = random.Random("a class"), assignment.master.explorations(), assignment.solved
    core = {question.id for question in assignment.spec.questions if question.tier == "core"}
    wrong = rng.sample([one for one in assignment.misconceptions if one.question in core], HOW_MANY["wrong"])
    others = rng.sample(list(assignment.alternatives), HOW_MANY["other"])
    answers = [cell for cell in solved if cell.source.startswith("def ")]
    broken = {
        "broken1": (rng.choice(answers), "def step(:\n    return 1"),
        "broken2": (rng.choice(answers), "raise ValueError('not yet')"),
        "broken3": (rng.choice(answers), ""),
    }
    return {
        **{f"right{at}": solved for at in range(HOW_MANY["right"])},
        **{f"other_{one.id}": edited(solved, one, skip) for one in others},
        **{f"wrong_{one.id}": edited(solved, one, skip) for one in wrong},
        **{f"blank{at}": assignment.master.untouched() for at in range(HOW_MANY["blank"])},
        **{name: _with(solved, cell, source) for name, (cell, source) in broken.items()},
    }


def _with(cells: tuple[Cell, ...], changed: Cell, source: str) -> tuple[Cell, ...]:
    return tuple(msgspec.structs.replace(one, source=source) if one is changed else one for one in cells)


def cpu_seconds(*words: object, cwd: Path, env: dict[str, str | None]) -> float:
    """Run a command; give what it used, with all processes that it waited for."""
    with subprocess.Popen(
        [str(word) for word in words], cwd=cwd, env=environment(env), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        said = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    return used.ru_utime + used.ru_stime


def test_a_class_has_the_same_grades_in_redink_and_in_nbgrader(tmp_path, monkeypatch):
    bin = Path(sys.executable).parent
    env: dict[str, str | None] = {"PATH": f"{bin}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    monkeypatch.setenv("PATH", str(env["PATH"]))  # nbgrader runs alembic
    handed = handed_over(SLUG, "nbgrader", tmp_path / "course", made_up_class)
    assert len(handed.specimens) == 30
    course = NbgraderCourse(handed)
    for name, cells in handed.specimens.items():
        write_submission(course.release, cells, course.root / "submitted" / name / SLUG)
        write_notebook(tmp_path / "class" / name / f"{SLUG}.ipynb", [cell.source for cell in cells])
    theirs = cpu_seconds(bin / "nbgrader", "autograde", SLUG, cwd=course.root, env=env)
    words = ("grade", SLUG, tmp_path / "class", "--gradebook", tmp_path / "book.sqlite", "--json", tmp_path / "r.json")
    redink = (bin / "redink", *words)
    first = cpu_seconds(*redink, cwd=ROOT, env={**env, "REDINK_SECRET": SECRET})
    (tmp_path / "book.sqlite").unlink()
    ours = cpu_seconds(*redink, cwd=ROOT, env={**env, "REDINK_SECRET": SECRET})  # with the answer key made
    with contextlib.closing(sqlite3.connect(tmp_path / "book.sqlite")) as db:
        ours += db.execute("SELECT sum(cpu_seconds) FROM runs").fetchone()[0]  # nobody waits for boxes
    results = read_results(tmp_path / "r.json")
    core = {question.id for question in handed.assignment.spec.questions if question.tier == "core"}
    different, forgiven = [], 0
    with course.api.gradebook as book:
        for name, judged in handed.judged.items():
            grades = [grade for one in book.find_submission(SLUG, name).notebooks for grade in one.grades]
            found = {grade.name: grade.score for grade in grades if grade.name in core}
            before = {id: one.score for id, one in judged.items() if id in core}
            different += [(name, id) for id in core if abs(before[id] - found[id]) > 0.011]
            after = results[name]["score"]
            forgiven += after > sum(before.values()) + 0.011
            sys.stdout.write(f"| {name} | {sum(before.values()):.2f} | {sum(found.values()):.2f} | {after:.2f} |\n")
    sys.stdout.write(f"nbgrader {theirs:.1f} s, redink {ours:.1f} s ({first:.1f} s with a new answer key); ")
    sys.stdout.write(f"{theirs / ours:.1f} times; {forgiven} of 30 gain by errors carried forward\n")
    assert different == []
    assert forgiven > 0
    assert theirs > 3 * ours
