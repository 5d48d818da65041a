"""What a submission costs in Redink, nbgrader and otter-grader, in one run: `others.py [SLUG]`.

Everybody hands in the solved notebook, with a cell of its own. CPU time is that of all processes. Of Redink and nbgrader
it is what one more submission costs; `otter run` takes one at a time, and starts anew for each. Nothing is asserted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from measuring import copied, grade, run, waited_for

from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook
from redink.grader.course import Course

SLUG = sys.argv[1] if len(sys.argv) > 1 else "perceptron"
MORE = {"redink": 20, "nbgrader": 3, "otter": 2}
BIN = Path(sys.executable).parent
QUIET = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}


def hand_in(course: Course, handout: Path, target: Path, number: int) -> None:
    """Write the solved cells into a notebook as it was handed out."""
    solved = {cell.id: cell.source for cell in nbformat.reads(solved_notebook(read_assignment(course, SLUG)), 4).cells}
    notebook = nbformat.read(handout, 4)
    for cell in notebook.cells:
        if cell.id in solved:
            cell.source = solved[cell.id]
    notebook.cells.append(nbformat.v4.new_code_cell(f"number = {number}"))
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target)


def cpu_of(*words: str | Path, folder: Path) -> float:
    """Run another tool's command, and return its CPU seconds; it must succeed."""
    before = waited_for()
    done = subprocess.run([BIN / words[0], *words[1:]], cwd=folder, env=QUIET, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return waited_for() - before


def by_redink(course: Course) -> float:
    """Return what one more submission costs in Redink, its answer key being there."""
    for name, count in (("first", 1), ("one", 1), ("many", 1 + MORE["redink"])):
        for number in range(count):
            hand_in(course, course.assignments / SLUG / f"{SLUG}.ipynb", course.root / name / f"{number}.ipynb", number)
    grade(course, SLUG, course.root / "first")
    one = grade(course, SLUG, course.root / "one").cpu
    return (grade(course, SLUG, course.root / "many").cpu - one) / MORE["redink"]


def by_nbgrader(course: Course, folder: Path) -> float:
    """Return what one more submission costs in nbgrader."""
    run(course, "distribute", SLUG, "--format", "nbgrader", "--to", folder)
    cpu_of("nbgrader", "generate_assignment", SLUG, folder=folder)
    cost = []
    for students in (range(1), range(1, 2 + MORE["nbgrader"])):  # those who are graded already are passed over
        for number in students:
            target = folder / "submitted" / f"s{number}" / SLUG / f"{SLUG}.ipynb"
            hand_in(course, folder / "release" / SLUG / f"{SLUG}.ipynb", target, number)
        cost.append(cpu_of("nbgrader", "autograde", SLUG, folder=folder))
    return (cost[1] - cost[0]) / MORE["nbgrader"]


def by_otter(course: Course, folder: Path) -> float:
    """Return what one submission costs with `otter run`."""
    run(course, "distribute", SLUG, "--format", "otter", "--to", folder)
    total = 0.0
    for number in range(MORE["otter"]):
        target = folder / f"s{number}" / f"{SLUG}.ipynb"
        hand_in(course, folder / SLUG / f"{SLUG}.ipynb", target, number)
        total += cpu_of("otter", "run", "-a", folder / f"{SLUG}-autograder.zip", target, folder=target.parent)
    return total / MORE["otter"]


with tempfile.TemporaryDirectory() as place:
    here = copied(Path(place) / "course", SLUG)
    ours, nbgraders, otters = (
        by_redink(here),
        by_nbgrader(here, Path(place) / "nb"),
        by_otter(here, Path(place) / "otter"),
    )
    print(f"{SLUG}: CPU seconds a submission: redink {ours:.3f}, nbgrader {nbgraders:.2f}, otter run {otters:.2f}")
    print(
        f"redink costs {nbgraders / ours:.0f} times less than nbgrader, {otters / ours:.0f} times less than otter run"
    )
