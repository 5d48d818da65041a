"""What each assignment costs: grading its solution, beside the bare cost; a Jupyter kernel on one core; and verifying it.

Marginal is what one more submission costs, all processes counted, in CPU ms; bare are the same cells and calls in one warm
process; `cpu_vs_bare` is their ratio, and `overhead_ms` their difference. Nothing here is asserted. Name assignments to
measure only those; `--quick` leaves out the kernel and verifying.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from measuring import ROOT, bare, copied, grade, kept_key

from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook
from redink.grader.course import Course

MORE = 3  # submissions more, by which the marginal cost is measured
REDINK = [sys.executable, "-m", "redink_cli"]
RUN = """
import sys, nbformat
from nbclient import NotebookClient
NotebookClient(nbformat.read(sys.argv[1], 4), timeout=600).execute()
"""
ONE_CORE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def cost(command: list[str | Path], folder: Path) -> tuple[float, float]:
    """CPU and wall seconds of a command that must succeed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, cwd=folder, env=ONE_CORE, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def marginal_and_bare(slug: str) -> tuple[float, float]:
    """CPU ms that one more right submission costs, and of the same cells and calls by themselves."""
    with tempfile.TemporaryDirectory() as name:
        course = copied(Path(name), slug)
        text = solved_notebook(read_assignment(course, slug))
        few, many = (_class(course.root / f"class{count}", text, count) for count in (1, 1 + MORE))
        grade(course, slug, few)  # makes the answer key
        less, more = (min(grade(course, slug, path).cpu for _ in range(2)) for path in (few, many))
        return (more - less) / MORE * 1e3, bare(kept_key(course, slug), few / "student0.ipynb") * 1e3


def _class(folder: Path, text: str, count: int) -> Path:
    """Write notebooks that differ, so that nothing can be reused between them."""
    folder.mkdir()
    for number in range(count):
        notebook = nbformat.reads(text, as_version=4)
        notebook.cells.append(nbformat.v4.new_code_cell(f"_student = {number}"))
        notebook.cells[-1].id = "last"
        nbformat.write(notebook, folder / f"student{number}.ipynb")
    return folder


def kernel_and_verifying(slug: str) -> tuple[float, float]:
    """CPU seconds of the solved notebook in a Jupyter kernel, and wall seconds of `redink verify`."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        cost([*REDINK, "build", slug, "--solved", place / "class"], ROOT)
        cost([*REDINK, "distribute", slug, "--to", place], ROOT)
        kernel, _ = cost([sys.executable, "-c", RUN, place / "class" / f"{slug}.ipynb"], place / slug)
        return kernel, cost([*REDINK, "verify", slug], ROOT)[1]


def main() -> None:
    """Print one line for each assignment."""
    names = [name for name in sys.argv[1:] if name != "--quick"]
    quick = "--quick" in sys.argv
    print(
        f"{'assignment':<12} {'marginal':>9} {'bare':>7} {'cpu_vs_bare':>12} {'overhead_ms':>12}"
        f" {'kernel s':>9} {'verify s':>9}"
    )
    for slug in names or Course.find(ROOT).slugs():
        marginal, floor = marginal_and_bare(slug)
        line = f"{slug:<12} {marginal:>9.0f} {floor:>7.0f} {marginal / floor:>12.2f} {marginal - floor:>12.0f}"
        rest = "" if quick else "{:>10.1f} {:>9.1f}".format(*kernel_and_verifying(slug))
        print(line + rest, flush=True)


if __name__ == "__main__":
    main()
