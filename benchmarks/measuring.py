"""Measuring what a command costs, all processes counted, and what the same work costs by itself.

CPU time of a command is that of its process and of everything it waited for, and of the zygotes with all their boxes:
nobody waits for a zygote, so its family is looked up in /proc until it ends.
"""

from __future__ import annotations

import contextlib
import io
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from redink.box import processes
from redink.calling import Call, Student
from redink.grader.answer_key.key import AnswerKey, decode_key
from redink.grader.course import Course
from redink.notebook import cells_to_run, read_cells

ROOT = Path(__file__).resolve().parents[1]
LOOKING = 0.03  # seconds between two looks at the zygotes
COMMAND = """
import pathlib, resource, sys
from redink_cli.app import main
target = pathlib.Path(sys.argv.pop(1))
try:
    main()
finally:
    target.write_text(str(sum(resource.getrusage(resource.RUSAGE_SELF)[:2])))
"""


class Cost(NamedTuple):
    """CPU seconds of all processes and of the coordinator alone, and wall seconds."""

    cpu: float
    coordinator: float
    wall: float


def run(course: Course, *arguments: object) -> Cost:
    """Run a command in the course's folder; it must succeed."""
    with tempfile.NamedTemporaryFile() as own:
        command = [sys.executable, "-c", COMMAND, own.name, *map(str, arguments)]
        before, began = waited_for(), time.perf_counter()
        process = subprocess.Popen(command, cwd=course.root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with _zygotes_of(process.pid) as zygotes:
            errors = process.communicate()[1]
        assert process.returncode == 0, errors.decode()
        wall = time.perf_counter() - began
        used = waited_for() - before + sum(zygotes.values())
        return Cost(used, float(Path(own.name).read_text()), wall)


def waited_for() -> float:
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


@contextlib.contextmanager
def _zygotes_of(coordinator: int) -> Iterator[dict[int, float]]:
    """Keep the CPU seconds of every zygote of a command, with its boxes, by its pid."""
    found: dict[int, float] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOKING):
            for template in filter(_is_template, (one.pid for one in processes.family(coordinator))):
                for zygote in processes.children_of(template):
                    found[zygote] = max(found.get(zygote, 0.0), processes.cpu_of_family(zygote))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()


def _is_template(pid: int) -> bool:
    """Tell the template from its zygotes and their boxes, which are forks of it."""
    with contextlib.suppress(OSError):
        parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
        return _runs_the_box(pid) and not _runs_the_box(int(parent))
    return False


def _runs_the_box(pid: int) -> bool:
    return b"box/__main__.py\0" in Path(f"/proc/{pid}/cmdline").read_bytes()


def copied(folder: Path, *slugs: str) -> Course:
    """Copy some assignments into a course of one's own."""
    for slug in slugs:
        for part in ("assignments", "solutions"):
            shutil.copytree(ROOT / part / slug, folder / part / slug)
    return Course(folder)


def grade(course: Course, slug: str, path: Path, jobs: int = 1, book: str = "") -> Cost:
    """Grade into a new gradebook, or into the one of that name."""
    name = book or f"{time.monotonic_ns()}.sqlite"
    return run(course, "grade", slug, path, "--jobs", jobs, "--gradebook", course.root / name)


def kept_key(course: Course, slug: str) -> AnswerKey:
    """Read the answer key that a first grading kept."""
    (path,) = (course.private / "keys").glob(f"{slug}-*.key")
    return decode_key(path.read_bytes(), str(path))


def bare(key: AnswerKey, notebook: Path) -> float:
    """CPU seconds of the same cells and calls, executed in this warm process."""
    cells = cells_to_run(read_cells(notebook.read_bytes()), key.explorations)

    def once() -> None:
        names: dict[str, object] = {"__name__": "bench"}
        for cell in cells:
            if not cell.source.startswith("check("):
                exec(cell.source, names)
        for request in key.requests:
            with contextlib.suppress(Exception):  # some ask for an error
                Call(request)(Student(names))

    with contextlib.redirect_stdout(io.StringIO()):
        once()
        return min(_of_this_process(once) for _ in range(3))


def _of_this_process(work: Callable[[], None]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before
