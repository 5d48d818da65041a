"""kill -9 at random moments of the whole way: afterwards a normal run exports the same bytes, and nothing is left behind.

The way begins with a gradebook of an older Redink, which `collect` brings up to date. Whom it hits (the command itself, a
worker, the template or the keeper of a box, the child or the runner of a submission) and when is drawn from a seed, so that
a failure can be repeated: `pytest -k 'anywhere and 17'`.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from redink.grader.course import Course
from redink.grader.store.gradebook import Gradebook
from tests import made_up_class
from tests.conftest import Desk, environment
from tests.in_the_gradebook import results_of
from tests.made_up_class import MadeUp
from tests.test_crash import descendants, is_alive, parent_of, results_in, wait_until
from tests.test_migration import connect, take_back_to_schema_2
from tests.whole_way import made_up

SIZE = 22  # twice every kind of hand-in
STAGES: dict[str, tuple[object, ...]] = {
    "collect": ("collect", "little", "handed_in/class"),
    "grade": ("grade", "little", "--jobs", 2),
    "report": ("report", "little", "--to", "report"),
    "export": ("export", "little", "--as", "csv", "--to", "grades.csv"),
}
FAST, ALL = range(3), range(3, 43)
VICTIMS = ("coordinator", "worker", "box", "box", "child", "child", "runner", "runner")
_LEFT = re.compile(r"\.part$|\.lock$|\.grades\.csv|\.sqlite-journal$")


class Way(NamedTuple):
    """A course that is ready to be collected, what an undisturbed way exports, and the CPU time of each command."""

    root: Path
    exported: bytes
    seconds: dict[str, float]


@pytest.fixture(scope="session")
def way(shared: Any, little_course: Path) -> Way:
    def fill(root: Path) -> None:
        shutil.copytree(little_course, root / "before")
        desk = Desk(root / "before", "little")
        made_up_class.folder(_slowly(made_up(desk, SIZE)), desk.root / "handed_in")
        course = Course(desk.root)
        with Gradebook(course.gradebook_path(), course.secret_name()):
            pass
        take_back_to_schema_2(desk.book)
        with contextlib.closing(connect(desk.book)) as db:
            db.execute("DELETE FROM overrides")
        shutil.copytree(desk.root, root / "after")
        times = [f"{name} {_run(Desk(root / 'after', 'little'), name)}" for name in STAGES]
        (root / "times").write_text("\n".join(times))

    root = shared("way", fill)
    seconds = dict(line.split() for line in (root / "times").read_text().splitlines())
    return Way(
        root / "before", (root / "after/grades.csv").read_bytes(), {name: float(t) for name, t in seconds.items()}
    )


def _slowly(made: MadeUp) -> MadeUp:
    """Have every notebook take a while, so that somebody can be hit who is at work."""
    old = b"import numpy as np"
    later = b"os.register_at_fork(after_in_child=lambda: time.sleep(0.3))"  # its runners, too
    new = b"import os, time; time.sleep(0.4); " + later + b"; " + old
    return replace(made, notebooks={what: data.replace(old, new, 1) for what, data in made.notebooks.items()})


def _run(desk: Desk, stage: str, **env: str) -> float:
    """Run a command to its end, and return how much CPU time it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = desk.redink(*STAGES[stage], env=env)
    assert done.returncode == 0, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _kinds(pid: int) -> dict[str, list[int]]:
    """Tell the processes below a command apart: workers are spawned, boxes are the template and those forked from it.

    Of what these have forked in turn, the child of a submission leads a session of its own, to which its runner belongs.
    """
    found: dict[str, list[int]] = {"coordinator": [pid], "worker": [], "box": [], "child": [], "runner": []}
    for one in sorted(descendants(pid)):
        with contextlib.suppress(OSError):
            words, parent = Path(f"/proc/{one[0]}/cmdline").read_bytes(), parent_of(one)
            if b"spawn_main" in words:
                found["worker"].append(one[0])
            elif b"redink/box" in words and parent in (pid, *found["box"][:1]):
                found["box"].append(one[0])
            elif parent in found["child"]:
                found["runner"].append(one[0])
            elif b"redink/box" in words and os.getsid(one[0]) == one[0]:
                found["child"].append(one[0])
    return found


def _disturb(desk: Desk, stage: str, victim: str, share: float, way: Way, chance: random.Random, tmp: Path) -> str:
    """Run a command, and kill somebody after a share of it; return who that was."""
    process = subprocess.Popen(
        desk.command(*STAGES[stage]), cwd=desk.root, env=environment({"TMPDIR": str(tmp)}), stdout=-3, stderr=-3
    )
    with process:
        wait_until(lambda: process.poll() is not None or _is_time(desk, process.pid, stage, victim, share, way))
        if victim in ("child", "runner"):  # not always at its first breath
            time.sleep(0.5 * chance.random())
            wait_until(lambda: process.poll() is not None or _kinds(process.pid)[victim])
        below = descendants(process.pid)
        hit = "nobody: it was done"
        if process.poll() is None and (found := _kinds(process.pid)[victim]):
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(found), signal.SIGKILL)
                hit = victim
        process.wait(300)
    wait_until(lambda: not any(map(is_alive, below)))
    return hit


def _is_time(desk: Desk, pid: int, stage: str, victim: str, share: float, way: Way) -> bool:
    """Tell whether a share of the work is done: of the class, or of the CPU time; and there is somebody to be killed."""
    if stage == "grade":
        return len(results_in(desk.book)) >= int(share * (SIZE - 4)) and bool(_kinds(pid)[victim])
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") >= share * way.seconds[stage]


def _left(root: Path) -> list[str]:
    return [str(one) for one in root.rglob("*") if _LEFT.search(one.name)]


def _is_as_if_nothing_had_happened(way: Way, seed: int, tmp_path: Path, whom: str = "") -> str:
    chance = random.Random(seed)
    stage = "grade" if whom else chance.choice(["collect", "collect", *["grade"] * 6, "report", "export"])
    victim = whom or (chance.choice(VICTIMS) if stage == "grade" else "coordinator")
    share = chance.random()
    tmp = tmp_path / "tmp"
    tmp.mkdir()
    desk = Desk(tmp_path / "course", "little")
    shutil.copytree(way.root, desk.root, symlinks=True)
    for before in list(STAGES)[: list(STAGES).index(stage)]:
        _run(desk, before, TMPDIR=str(tmp))
    hit = _disturb(desk, stage, victim, share, way, chance, tmp)
    for folder in tmp.iterdir():  # what a killed command leaves is removed by the next one, if it is not quite new
        os.utime(folder, (0, 0))
    for after in STAGES:
        _run(desk, after, TMPDIR=str(tmp))
    assert (desk.root / "grades.csv").read_bytes() == way.exported
    assert _left(desk.root) == []
    wait_until(lambda: not list(tmp.iterdir()))
    return f"{seed}: {stage}, at {share:.0%} of it, {hit}"


@pytest.mark.parametrize("seed", FAST)
def test_killed_anywhere_a_normal_run_exports_the_same(way, tmp_path, seed):
    _is_as_if_nothing_had_happened(way, seed, tmp_path)


@pytest.mark.parametrize("whom", ["child", "runner"])
def test_killed_anywhere_a_submission_itself_costs_nobody_a_point(way, tmp_path, whom):
    assert _is_as_if_nothing_had_happened(way, 0, tmp_path, whom).endswith(whom)
    with contextlib.closing(sqlite3.connect(tmp_path / "course/.redink/gradebook.sqlite")) as db:
        assert any(one.run_again for one in results_of(db))


@pytest.mark.slow
@pytest.mark.parametrize("seed", ALL)
def test_killed_anywhere_at_many_more_moments_a_normal_run_exports_the_same(way, tmp_path, capsys, seed):
    told = _is_as_if_nothing_had_happened(way, seed, tmp_path)
    with capsys.disabled():
        os.write(1, f"{told}\n".encode())
