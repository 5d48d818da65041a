"""What a submission costs in Redink, nbgrader and otter-grader, in one run: `others.py [SLUG]`.

Everybody hands in the solved notebook, with a cell of its own. CPU time is that of all processes. Of Redink and nbgrader
it is what one more submission costs; `otter run` takes one at a time, and starts anew for each. Nothing is asserted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from figures import Figure, show
from measuring import copied, grade, run, waited_for

from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook
from redink.grader.course import Course

BIN = Path(sys.executable).parent
QUIET = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}


def figures(slug: str = "perceptron", ours: int = 20, nbgraders: int = 3, otters: int = 2) -> Iterator[Figure]:
    """Measure by how much so many submissions add."""
    with tempfile.TemporaryDirectory() as place:
        course = copied(Path(place) / "course", slug)
        redink = by_redink(course, slug, ours)
        nbgrader = by_nbgrader(course, slug, Path(place) / "nb", nbgraders)
        otter = by_otter(course, slug, Path(place) / "otter", otters)
    yield Figure("redink_s", redink, "s", slug, note="CPU of one more submission, all processes")
    yield Figure("nbgrader_s", nbgrader, "s", slug, note="the same, `nbgrader autograde`")
    yield Figure("otter_s", otter, "s", slug, note="`otter run`, one submission")
    yield Figure("cpu_vs_nbgrader", nbgrader / redink, "×", slug, at_least=100)
    yield Figure("cpu_vs_otter", otter / redink, "×", slug, at_least=350)


def by_redink(course: Course, slug: str, more: int) -> float:
    """Return what one more submission costs in Redink, its answer key being there."""
    for name, count in (("first", 1), ("one", 1), ("many", 1 + more)):
        for number in range(count):
            handout = course.assignments / slug / f"{slug}.ipynb"
            _hand_in(course, slug, handout, course.root / name / f"{number}.ipynb", number)
    grade(course, slug, course.root / "first")
    one = grade(course, slug, course.root / "one").cpu
    return (grade(course, slug, course.root / "many").cpu - one) / more


def by_nbgrader(course: Course, slug: str, folder: Path, more: int) -> float:
    """Return what one more submission costs in nbgrader."""
    run(course, "distribute", slug, "--format", "nbgrader", "--to", folder)
    _cpu_of("nbgrader", "generate_assignment", slug, folder=folder)
    cost = []
    for students in (range(1), range(1, 2 + more)):  # those who are graded already are passed over
        for number in students:
            target = folder / "submitted" / f"s{number}" / slug / f"{slug}.ipynb"
            _hand_in(course, slug, folder / "release" / slug / f"{slug}.ipynb", target, number)
        cost.append(_cpu_of("nbgrader", "autograde", slug, folder=folder))
    return (cost[1] - cost[0]) / more


def by_otter(course: Course, slug: str, folder: Path, count: int) -> float:
    """Return what one submission costs with `otter run`."""
    run(course, "distribute", slug, "--format", "otter", "--to", folder)
    total = 0.0
    for number in range(count):
        target = folder / f"s{number}" / f"{slug}.ipynb"
        _hand_in(course, slug, folder / slug / f"{slug}.ipynb", target, number)
        total += _cpu_of("otter", "run", "-a", folder / f"{slug}-autograder.zip", target, folder=target.parent)
    return total / count


def _hand_in(course: Course, slug: str, handout: Path, target: Path, number: int) -> None:
    """Write the solved cells into a notebook as it was handed out."""
    solved = {cell.id: cell.source for cell in nbformat.reads(solved_notebook(read_assignment(course, slug)), 4).cells}
    notebook = nbformat.read(handout, 4)
    for cell in notebook.cells:
        if cell.id in solved:
            cell.source = solved[cell.id]
    notebook.cells.append(nbformat.v4.new_code_cell(f"number = {number}"))
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target)


def _cpu_of(*words: str | Path, folder: Path) -> float:
    """Run another tool's command, and return its CPU seconds; it must succeed."""
    before = waited_for()
    done = subprocess.run([BIN / words[0], *words[1:]], cwd=folder, env=QUIET, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return waited_for() - before


if __name__ == "__main__":
    show(figures(*sys.argv[1:2]))
