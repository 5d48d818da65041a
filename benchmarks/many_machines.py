"""The ways over many machines, each on this one: a Dask cluster on loopback, and shards that are merged, beside one run.

Both have two workers for one class. Their worth is that they need not be on this machine; this is what they cost on it.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, show
from measuring import copied, grade, run, without_bank, write_class
from one_class import OTHERS, SLUG
from starting import told_by

from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook
from redink.grader.course import Course

DASK = Path(sys.executable).with_name("dask")
PATIENCE = 60.0  # seconds until a cluster must stand
SHARES = 2


def figures(count: int = 60) -> Iterator[Figure]:
    """Grade a class of `count` in each way."""
    with tempfile.TemporaryDirectory() as name:
        course = copied(Path(name) / "course", SLUG)
        without_bank(course, SLUG)  # right answers never ask it
        text = solved_notebook(read_assignment(course, SLUG))
        submissions = write_class(course, "class", text, count, OTHERS)
        grade(course, SLUG, write_class(course, "first", text, 1))  # makes the answer key
        pool = grade(course, SLUG, submissions, jobs=2)
        yield Figure("pool_wall_s", pool.wall, "s", f"{count} of them", note="redink grade --jobs 2")
        with _cluster(Path(name)) as address:
            _on_cluster(course, course.root / "first", address)  # each worker has its warm process then
            wall = _on_cluster(course, submissions, address)
        yield Figure("dask_vs_pool", wall / pool.wall, note=f"wall; {wall:.1f} s on two workers that are warm already")
        cpu = _in_shards(course, submissions)
        note = f"CPU; {SHARES} shards and merge {cpu:.1f} s, one run {pool.cpu:.1f} s; every shard starts by itself"
        yield Figure("shards_vs_one_run", cpu / pool.cpu, note=note)


def _on_cluster(course: Course, submissions: Path, address: str) -> float:
    book = course.root / f"{time.monotonic_ns()}.sqlite"
    return run(course, "grade", SLUG, submissions, "--cluster", address, "--gradebook", book).wall


@contextlib.contextmanager
def _cluster(folder: Path) -> Iterator[str]:
    """Start a scheduler and two workers of one thread each."""
    file = folder / "scheduler.json"
    started = [_start(folder, "scheduler", "--port", "0", "--scheduler-file", str(file))]
    try:
        _wait(lambda: file.exists() and file.read_text().strip().endswith("}"))
        address = str(json.loads(file.read_text())["address"])
        for _ in range(2):
            started.append(_start(folder, "worker", address, "--nthreads", "1", "--no-nanny", "--memory-limit", "0"))
        _wait(lambda: (folder / "dask.log").read_text().count("Registered to") >= 2)
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def _start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    with (folder / "dask.log").open("ab") as log:
        command = [DASK, *words, "--host", "127.0.0.1", "--no-dashboard"]
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)


def _wait(true: object) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline, "the cluster did not start"
        time.sleep(0.05)


def _in_shards(course: Course, submissions: Path) -> float:
    """Pack, grade and merge a class; return the CPU seconds of all that."""
    run(course, "collect", SLUG, submissions)
    identity, packed = course.root / "identity", course.root / "class.job"
    recipient = told_by(course, r"age1\w+", "seal", "--new-identity", identity)
    report = course.root / "packed.json"
    packing = run(course, "pack", SLUG, "--to", packed, "--for", recipient, "--json", report).cpu
    pinned = json.loads(report.read_text())["sha256"]
    shares = [
        run(
            course, "grade", "--from", packed, "--job-sha256", pinned, "--identity", identity,
            "--shard", f"{number}/{SHARES}", "--jobs", 1, "--to", "shards",
        ).cpu
        for number in range(1, SHARES + 1)
    ]  # fmt: skip
    return packing + sum(shares) + run(course, "merge", *(course.root / "shards").glob("*.shard")).cpu


if __name__ == "__main__":
    show(figures())
