"""Anything may be killed at any moment: no finished result is lost or counted twice, and no process stays behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STUDENTS = 6
PATIENCE = 120.0  # a backstop, not a measurement
RECORDS = """
SELECT students.name, results.record FROM results
JOIN submissions ON submissions.id = results.submission JOIN students ON students.id = submissions.student
"""


@pytest.fixture
def desk(little: Any) -> Any:
    """A class whose notebooks take a while, so that something can happen meanwhile."""
    for number in range(STUDENTS):
        little.hand_in(f"student_{number}", {2: f"import time\nimport numpy as np\ntime.sleep(0.5)\nme = {number}"})
    return little


def start(desk: Any) -> subprocess.Popen[str]:
    command = desk.command("grade", "little", "class", "--json", "out.json", "--jobs", 1)
    return subprocess.Popen(command, cwd=desk.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def results_in(book: Path) -> dict[str, bytes]:
    """Read which results the gradebook holds, byte by byte."""
    if not book.exists():
        return {}
    db = sqlite3.connect(f"file:{book}?mode=ro", uri=True)
    try:
        return dict(db.execute(RECORDS))
    except sqlite3.OperationalError:  # the tables are not there yet
        return {}
    finally:
        db.close()


def wait_until(true: Callable[[], Any], process: subprocess.Popen[str] | None = None) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < deadline, "this never became true"
        assert process is None or process.poll() is None, "the command ended before anything could happen to it"
        time.sleep(0.02)
    return found


def descendants(pid: int) -> set[tuple[int, str]]:
    """Name all processes below one, each with its starting time, so that a reused number is not taken for it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = (int(fields[1]), fields[19])
    found: set[int] = set()
    while more := {one for one, (parent, _) in parents.items() if parent in found | {pid}} - found:
        found |= more
    return {(one, parents[one][1]) for one in found}


def is_alive(process: tuple[int, str]) -> bool:
    try:
        fields = Path(f"/proc/{process[0]}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[19] == process[1] and fields[0] != "Z"


def leave_nothing(processes: set[tuple[int, str]]) -> None:
    assert processes, "there was a box to be left behind"
    wait_until(lambda: not any(map(is_alive, processes)))


def grade_the_rest(desk: Any, kept: dict[str, bytes]) -> None:
    """Grade again: what was finished is reused as it is, the others are graded."""
    done = desk.redink("grade", "little", "class", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    assert f"{STUDENTS - len(kept)} new, {len(kept)} reused" in done.stdout
    after = results_in(desk.book)
    assert len(after) == STUDENTS
    assert {name: after[name] for name in kept} == kept
    text = (desk.root / "out.json").read_text(encoding="utf-8")
    assert len(re.findall(r'"state": "graded"', text)) == len(re.findall(r'\n   "score": 100.0', text)) == STUDENTS


def test_a_grader_that_is_killed_loses_nothing_and_leaves_no_process(desk):
    with start(desk) as process:
        wait_until(lambda: results_in(desk.book), process)
        below = descendants(process.pid)
        process.kill()
    leave_nothing(below)
    kept = results_in(desk.book)
    assert 1 <= len(kept) < STUDENTS
    assert not (desk.root / "out.json").exists()
    grade_the_rest(desk, kept)


def test_ctrl_c_is_one_sentence_and_exit_code_130_and_leaves_no_process(desk):
    with start(desk) as process:
        wait_until(lambda: results_in(desk.book), process)
        below = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    words = re.fullmatch(
        r"stopped; (\d+) of (\d+) are graded and kept, the same command goes on from there", told.strip()
    )
    assert words is not None, told
    assert int(words[1]) <= len(results_in(desk.book)) < int(words[2]) == STUDENTS
    leave_nothing(below)
    grade_the_rest(desk, results_in(desk.book))


def test_a_box_that_is_killed_costs_nobody_a_point(desk):
    with start(desk) as process:
        wait_until(lambda: results_in(desk.book), process)
        killed = {one for one in descendants(process.pid) if parent_of(one) == process.pid}
        for pid, _ in killed:
            os.kill(pid, signal.SIGKILL)
        said, told = process.communicate(timeout=PATIENCE)
    assert killed
    assert process.returncode == 0, told
    assert f"{STUDENTS} graded" in said
    leave_nothing(killed)
    grade_the_rest(desk, results_in(desk.book))


def parent_of(process: tuple[int, str]) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process[0]}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def test_of_two_graders_at_once_one_writes_and_the_other_is_told_who_does(desk):
    with start(desk) as first:
        wait_until(lambda: results_in(desk.book), first)
        second = desk.redink("grade", "little", "class", "--json", "second.json")
        said, told = first.communicate(timeout=PATIENCE)
    assert second.returncode == 1
    assert f"is in use by `redink grade little` (process {first.pid} on " in second.stderr
    assert len(second.stderr.splitlines()) == 1
    assert not (desk.root / "second.json").exists()
    assert first.returncode == 0, told
    assert f"{STUDENTS} graded" in said
