"""What grading costs, as ratios measured in one run on this machine: `make bench`.

Prints, for the perceptron assignment: the bare cost of a submission (the same cells and calls in one warm process), what
Redink adds, a cold kernel for comparison, a second grading, a re-judging after one changed tolerance, and start-up costs.
CPU time of this process and all it started; nothing here is asserted.
"""

from __future__ import annotations

import io
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import nbformat

from redink.grader.answer_key.make import Paper, set_paper
from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook
from redink.grader.course import Course
from redink.grader.grade import grade
from redink.grader.pipeline.observe import Observer
from redink.grader.rejudge import rejudge
from redink.grader.store.gradebook import Gradebook
from redink.student.calling import observe

SLUG = "perceptron"
ROOT = Path(__file__).resolve().parents[1]
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 40


def cpu() -> float:
    """CPU seconds of this process and of all finished children."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(kind)[:2]) for kind in kinds)


def cost(work: Callable[[], object]) -> float:
    """CPU seconds that some work takes."""
    before = cpu()
    work()
    return cpu() - before


def row(name: str, value: str, beside: str = "") -> None:
    """Print one figure."""
    print(f"{name:<62} {value:>12}  {beside}")


def bare(paper: Paper) -> float:
    """The same cells and calls, executed in this warm process, once per submission."""
    skip = paper.assignment.master.explorations()
    cells = [cell.source for cell in paper.assignment.master.solved() if cell.source.strip() not in skip]

    def once() -> None:
        names: dict[str, object] = {"__name__": "bench"}
        for source in cells:
            if not source.startswith("check("):
                exec(source, names)
        for request in paper.requests:
            observe(request, names, 60.0)

    with redirect_stdout(io.StringIO()):
        once()
        return min(cost(lambda: [once() for _ in range(5)]) / 5 for _ in range(3))


def write_class(folder: Path, text: str, count: int) -> None:
    """Write a class whose notebooks differ, so that nothing can be reused between them."""
    for number in range(count):
        notebook = nbformat.reads(text, as_version=4)
        notebook.cells.append(nbformat.v4.new_code_cell(f"my_number = {number}"))
        notebook.cells[-1].id = "last"
        nbformat.write(notebook, folder / f"student{number:04d}.ipynb")


def class_cost(course: Course, text: str, count: int, jobs: int) -> tuple[float, float]:
    """CPU and wall seconds of grading a new class into a new gradebook that already holds the paper."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        write_class(folder / "in", text, count)
        shutil.copy(PAPER, folder / "book")
        began = time.perf_counter()
        used = cost(
            lambda: grade(course, SLUG, folder / "in", jobs=jobs, gradebook=folder / "book", progress=lambda *_: None)
        )
        return used, time.perf_counter() - began


def cold_kernel(text: str) -> float:
    """A fresh Jupyter kernel for one notebook that imports numpy and runs these cells."""
    from nbclient import NotebookClient

    notebook = nbformat.reads(text, as_version=4)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if not cell.source.startswith("check(") and "explore" not in cell.metadata.get("tags", [])
    ]
    return cost(lambda: NotebookClient(notebook, timeout=120, kernel_name="python3").execute())


PAPER = Path(tempfile.mkdtemp()) / "paper.sqlite"


def main() -> None:
    """Measure and print."""
    course = Course(ROOT)
    assignment = read_assignment(course, SLUG)
    text = solved_notebook(assignment)
    with Gradebook(PAPER, course.secret_name()) as book, Observer(book, assignment) as observer:
        setting = cost(lambda: set_paper(assignment, course.secret(), observer))
        paper = set_paper(assignment, course.secret(), observer)
    few, many = COUNT // 4, COUNT
    floor = bare(paper)
    (small, _), (large, wall) = class_cost(course, text, few, 1), class_cost(course, text, many, 1)
    marginal = (large - small) / (many - few)
    _, wall_two = class_cost(course, text, many, 2)
    row("bare cost of a submission (same cells and calls, warm)", f"{floor * 1e3:.1f} ms")
    row(
        "marginal cost of a submission, whole pipeline",
        f"{marginal * 1e3:.1f} ms",
        f"{marginal / floor:.1f}× bare; goal ≤ {(1.25 * floor + 0.04) * 1e3:.0f} ms",
    )
    row("start-up of a grading run (one zygote, the paper known)", f"{small - few * marginal:.2f} s")
    row("making the paper (reference and misconceptions, once a class)", f"{setting:.2f} s")
    row("two workers against one, wall", f"{wall / wall_two:.2f}×")
    cold = cold_kernel(text)
    row("a cold Jupyter kernel, same cells", f"{cold:.2f} s", f"{cold / marginal:.0f}× our marginal cost")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        write_class(folder / "in", text, many)
        args = {"jobs": 1, "gradebook": folder / "book", "progress": lambda *_: None}
        first = cost(lambda: grade(course, SLUG, folder / "in", **args))
        again = cost(lambda: grade(course, SLUG, folder / "in", **args))
        row(f"grading {many} again, unchanged", f"{again:.2f} s", f"{first / again:.0f}× less")
        assignment.public[0].tol *= 2  # what an author would change in the file
        judged = cost(lambda: rejudge(course, SLUG, gradebook=folder / "book", apply=False))
        row(f"re-judging {many}", f"{judged:.2f} s", f"{first / judged:.0f}× less")
    help_time = min(_help() for _ in range(5))
    row("redink --help, wall", f"{help_time:.2f} s", "goal ≤ 0.3 s")


def _help() -> float:
    began = time.perf_counter()
    subprocess.run([Path(sys.executable).with_name("redink"), "--help"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
