"""What grading costs, as ratios measured in one run on this machine: `make bench`, or `bench.py [COUNT [TORCH_SLUG]]`.

Every command runs in a process of its own, on a copy of the course that may be edited. Its CPU time is that of the process
and of everything it waited for, and of the zygotes with all their boxes: nobody waits for a zygote, so its family is looked
up in /proc until it ends. Nothing about time is asserted; that something was done at all is.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from measuring import Cost, bare, copied, grade, kept_key, run, waited_for

from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook
from redink.grader.course import Course

SLUG = "perceptron"
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 60
TORCH_SLUG = sys.argv[2] if len(sys.argv) > 2 else "cnn"
OTHERS = """
def _otherwise(function):
    return lambda *given: function(*given) * (1 + {number} * 1e-12)
margin, radius, scores, sigmoid = map(_otherwise, (margin, radius, scores, sigmoid))
"""


def write_class(course: Course, name: str, text: str, count: int) -> Path:
    """Write a class whose notebooks and answers differ, so that nothing can be reused between them."""
    folder = course.root / name
    folder.mkdir()
    for number in range(count):
        notebook = nbformat.reads(text, as_version=4)
        notebook.cells.append(nbformat.v4.new_code_cell(OTHERS.format(number=number)))
        notebook.cells[-1].id = "last"
        nbformat.write(notebook, folder / f"student{number:04d}.ipynb")
    return folder


def cold_kernel(text: str) -> float:
    """CPU seconds of a fresh Jupyter kernel for one notebook of these cells."""
    from nbclient import NotebookClient

    notebook = nbformat.reads(text, as_version=4)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if not cell.source.startswith("check(") and "explore" not in cell.metadata.get("tags", [])
    ]
    before = waited_for()
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return waited_for() - before


def loosen(course: Course) -> None:
    """Double the tolerance of one check in the file."""
    path = course.assignments / SLUG / "checks.py"
    text, count = re.subn(r"(@check\([^\n]*tol=)1e-5", r"\g<1>2e-5", path.read_text(encoding="utf-8"), count=1)
    assert count == 1
    path.write_text(text, encoding="utf-8")


def judgements(book: Path) -> int:
    """Count the judgements in a gradebook."""
    with contextlib.closing(sqlite3.connect(book)) as db:
        (count,) = db.execute("SELECT count(*) FROM judgements").fetchone()
        return int(count)


def in_boxes(book: Path) -> float:
    """Add up the CPU seconds of all boxes."""
    with contextlib.closing(sqlite3.connect(book)) as db:
        (seconds,) = db.execute("SELECT sum(cpu_seconds) FROM runs").fetchone()
        return float(seconds)


def row(name: str, value: str, beside: str = "") -> None:
    """Print one figure."""
    print(f"{name:<66} {value:>10}  {beside}", flush=True)


def measure_class(course: Course, text: str) -> tuple[Cost, float]:
    """Print what a class costs; return the cost of grading it, and the marginal cost of a submission."""
    one, two = write_class(course, "one", text, 1), write_class(course, "two", text, 2)
    small, large = write_class(course, "few", text, COUNT // 4), write_class(course, "many", text, COUNT)
    making = grade(course, SLUG, one)
    single = min(grade(course, SLUG, one) for _ in range(3))
    alone, together = (min(grade(course, SLUG, two, jobs) for _ in range(3)) for jobs in (1, 2))
    few, many = grade(course, SLUG, small), grade(course, SLUG, large, book="many.sqlite")
    faster = grade(course, SLUG, large, jobs=2)
    floor = bare(kept_key(course, SLUG), one / "student0000.ipynb")
    more = COUNT - COUNT // 4
    marginal, own = (many.cpu - few.cpu) / more, (many.coordinator - few.coordinator) / more
    row("bare cost of a submission (same cells and calls, warm)", f"{floor * 1e3:.0f} ms")
    goal = f"{marginal / floor:.2f}× bare; goal ≤ {(1.25 * floor + 0.025) * 1e3:.0f} ms"
    row("marginal cost of a submission, all processes", f"{marginal * 1e3:.0f} ms", goal)
    row("  of which the box, as the results say", f"{in_boxes(course.root / 'many.sqlite') / COUNT * 1e3:.0f} ms")
    row("  of which the coordinator", f"{own * 1e3:.1f} ms", "goal ≤ 5 ms")
    row(f"two workers against one on {COUNT} different notebooks", f"{many.wall / faster.wall:.2f}×", "goal ≥ 1.8×")
    row("  the same, as CPU time of all", f"{faster.cpu / many.cpu:.2f}×", "1 would be ideal")
    row("start-up with a kept answer key, first worker", f"{single.cpu - marginal:.2f} s", "goal ≤ 4 s")
    row("  each further worker", f"{together.cpu - alone.cpu:.2f} s", "goal ≤ 0.1 s")
    row("one notebook with a kept key in a fresh process", f"{single.cpu:.2f} s", "goal ≤ 4 s")
    row("making the answer key (once a class)", f"{making.cpu - single.cpu:.2f} s")
    return many, marginal


def measure_again(course: Course, first: Cost) -> None:
    """Print what grading and judging again cost."""
    book = course.root / "many.sqlite"
    again = grade(course, SLUG, course.root / "many", book=book.name)
    row(f"grading {COUNT} again, unchanged", f"{again.cpu:.2f} s", f"{first.cpu / again.cpu:.0f}× less; goal ≥ 100×")
    before = judgements(book)
    loosen(course)
    rejudged = run(course, "rejudge", SLUG, "--gradebook", book)
    made = judgements(book) - before
    assert made == COUNT, f"{made} judgements were made anew"
    goal = f"{first.cpu / rejudged.cpu:.0f}× less; goal ≥ 50×"
    row(f"re-judging {COUNT} after one tolerance changed in the file", f"{rejudged.cpu:.2f} s", goal)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        course = copied(Path(name), SLUG, TORCH_SLUG)
        text = solved_notebook(read_assignment(course, SLUG))
        first, marginal = measure_class(course, text)
        measure_again(course, first)
        cold = cold_kernel(text)
        row("a cold Jupyter kernel, same cells", f"{cold:.2f} s", f"{cold / marginal:.0f}× our marginal cost")
        (notebook := course.root / "with_torch.ipynb").write_text(
            solved_notebook(read_assignment(course, TORCH_SLUG)), encoding="utf-8"
        )
        grade(course, TORCH_SLUG, notebook, jobs=2)
        single = min(grade(course, TORCH_SLUG, notebook, book=f"{n}.sqlite") for n in range(2))
        inside = in_boxes(course.root / "0.sqlite")
        row(f"one notebook of {TORCH_SLUG} with a kept key, torch included", f"{single.cpu:.2f} s", "goal ≤ 4 s")
        row("  without the notebook's own cells and calls", f"{single.cpu - inside:.2f} s")
    help_time = min(_help() for _ in range(5))
    row("redink --help, wall", f"{help_time:.2f} s", "goal ≤ 0.3 s")


def _help() -> float:
    began = time.perf_counter()
    subprocess.run([Path(sys.executable).with_name("redink"), "--help"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
