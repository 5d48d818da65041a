"""Measuring what a command costs, all processes counted, and what the same work costs by itself.

CPU time of a command is that of its process and of everything it waited for, and of the zygotes with all their boxes:
nobody waits for a zygote, so its family is looked up in /proc until it ends.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import nbformat

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
    own = resource.getrusage(resource.RUSAGE_SELF)
    target.write_text(f"{own.ru_utime + own.ru_stime} {own.ru_maxrss}")
"""


class Cost(NamedTuple):
    """CPU seconds of all processes and of the coordinator alone, wall seconds, and the coordinator's peak in MB."""

    cpu: float
    coordinator: float
    wall: float
    memory: float


def run(course: Course, *arguments: object, folder: Path | None = None, told: Mapping[str, str] = {}) -> Cost:
    """Run a command in the course's folder, or in another, with some environment variables; it must succeed."""
    with tempfile.NamedTemporaryFile() as own:
        command = [sys.executable, "-c", COMMAND, own.name, *map(str, arguments)]
        environment, place = {**os.environ, **told}, folder or course.root
        before, began = waited_for(), time.perf_counter()
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        with _zygotes_of(process.pid) as zygotes:
            errors = process.communicate()[1]
        assert process.returncode == 0, errors.decode()
        wall = time.perf_counter() - began
        used = waited_for() - before + sum(zygotes.values())
        coordinator, peak = map(float, Path(own.name).read_text().split())
        return Cost(used, coordinator, wall, peak / 1024)


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


def without_bank(course: Course, slug: str) -> None:
    """Empty the bank of misconceptions: the key of an assignment is made in seconds, and right answers never ask it."""
    (course.solutions / slug / "misconceptions.py").write_text('"""None."""\n', encoding="utf-8")


def write_class(course: Course, name: str, text: str, count: int, cell: str = "_student = {number}") -> Path:
    """Write notebooks that differ by a cell of each, so that nothing can be reused between them."""
    folder = course.root / name
    folder.mkdir()
    for number in range(count):
        notebook = nbformat.reads(text, as_version=4)
        notebook.cells.append(nbformat.v4.new_code_cell(cell.format(number=number)))
        notebook.cells[-1].id = "last"
        nbformat.write(notebook, folder / f"student{number:04d}.ipynb")
    return folder


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
