"""One run over a large class, watched from outside: `large_class.py [COUNT [JOBS]]`, by default 2,000 of perceptron.

Prints, for each eighth of the class: wall and CPU seconds, memory (proportional, so that what forks share counts once), the
processes, the open descriptors of coordinator and workers, and the folders of boxes. What grows from one eighth to the next
is a leak. CPU is the machine's own count, all processes of the run together. At the end: when feedback was there, from the
gradebook, beside what rush.py simulates for a class that hands in all at once, at the CPU seconds that were measured.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from measuring import copied, run, write_class
from one_class import OTHERS, SLUG
from rush import summed_up, waits

from redink.box import processes
from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
JOBS = int(sys.argv[2]) if len(sys.argv) > 2 else 2
PARTS = 8


class Look(NamedTuple):
    """What a run has at one moment."""

    graded: int
    wall: float
    cpu: float
    memory_mb: float
    processes: int
    descriptors: int
    folders: int


def graded_in(book: Path) -> int:
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"file:{book}?mode=ro", uri=True)) as db,
    ):
        return int(db.execute("SELECT count(*) FROM results").fetchone()[0])
    return 0


def look(pid: int, graded: int, began: float, temporary: Path) -> Look:
    """Look at a run: its processes are the family of the command."""
    family = [one.pid for one in processes.family(pid)]
    own = [pid, *processes.children_of(pid)]
    return Look(
        graded=graded,
        wall=time.monotonic() - began,
        cpu=processes.cpu_of_family(pid),
        memory_mb=sum(_proportional(one) for one in family) / 1024,
        processes=len(family),
        descriptors=sum(_descriptors(one) for one in own),
        folders=len(list(temporary.glob("redink-box-*"))),
    )


def _proportional(pid: int) -> int:
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return 0


def _descriptors(pid: int) -> int:
    with contextlib.suppress(OSError):
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return 0


def waited(book: Path) -> list[float]:
    """Return the seconds from the first result to each, sorted: the start of a run is no part of the queue."""
    with contextlib.closing(sqlite3.connect(book)) as db:
        times = sorted(datetime.fromisoformat(at).timestamp() for (at,) in db.execute("SELECT graded_at FROM results"))
    return [one - times[0] for one in times]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        course = copied(Path(folder), SLUG)
        submissions = write_class(course, "class", solved_notebook(read_assignment(course, SLUG)), COUNT, OTHERS)
        few = write_class(course, "few", solved_notebook(read_assignment(course, SLUG)), 2, OTHERS)
        run(course, "grade", SLUG, few, "--gradebook", course.root / "few.sqlite")  # the answer key is kept
        book = course.root / "large.sqlite"
        command = [sys.executable, "-m", "redink_cli", "grade", SLUG, submissions, "--jobs", JOBS, "--gradebook", book]
        temporary = Path(folder) / "tmp"
        temporary.mkdir()
        environment = {**os.environ, "TMPDIR": str(temporary)}
        words = [str(word) for word in command]
        with subprocess.Popen(words, cwd=course.root, env=environment, stdout=subprocess.DEVNULL) as grading:
            began, shown, first = time.monotonic(), -1, None
            print("graded   wall s    CPU s   memory MB   processes   descriptors   folders", flush=True)
            while grading.poll() is None:
                graded = graded_in(book)
                if graded and (part := graded * PARTS // COUNT) > shown:
                    shown = part
                    seen = look(grading.pid, graded, began, temporary)
                    first = first or seen
                    print(f"{seen.graded:6} {seen.wall:8.0f} {seen.cpu:8.0f} {seen.memory_mb:11.0f} {seen.processes:11} "
                          f"{seen.descriptors:13} {seen.folders:9}", flush=True)  # fmt: skip
                time.sleep(0.2)
        assert grading.returncode == 0
        left, size = len(list(temporary.iterdir())), book.stat().st_size / 1e6
        print(
            f"{graded_in(book):6} {time.monotonic() - began:8.0f}   the end: gradebook {size:.0f} MB, {left} folders left"
        )
        each = (seen.cpu - first.cpu) / (seen.graded - first.graded)
        measured, simulated = (summed_up(one) for one in (waited(book), waits([0.0] * COUNT, JOBS, each)))
        for what, wait in (("measured", measured), (f"simulated, at {each:.3f} CPU s and {JOBS} cores", simulated)):
            print(f"feedback after, in the middle and at most: {wait.median:.0f} s, {wait.longest:.0f} s ({what})")


if __name__ == "__main__":
    main()
