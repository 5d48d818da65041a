"""A made-up class of 300 in every layout, and one of 300 different real notebooks: nobody is lost on the whole way.

`pytest tests/test_whole_way.py -m slow -rP` prints what became of each class; 40 go the same way in test_collecting.py.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from redink.grader.assignment.assignment import read_assignment
from redink.grader.assignment.master import edited
from redink.grader.author.build import notebook, student_notebook
from redink.grader.course import Course
from redink.records import Cell
from tests import made_up_class
from tests.conftest import Desk
from tests.made_up_class import MadeUp, Student
from tests.whole_way import HEAD, SCORES, made_up, standings, walk, write_course

pytestmark = pytest.mark.slow
SIZE = 300
REAL = 366  # of whom 300 hand in a notebook that can be graded
# A cell of one's own: every function that others use is a little different, so that nobody's answers are anybody else's.
OWN = """
def _otherwise(function):
    return lambda *given: function(*given) * (1 + {number} * 1e-12)
margin, radius, scores = map(_otherwise, (margin, radius, scores))
"""


def tell(*lines: str) -> None:
    """Write figures, which `-rP` shows."""
    sys.stdout.write("\n".join(lines) + "\n")


@pytest.mark.parametrize("layout", made_up_class.LAYOUTS)
def test_all_of_300_are_accounted_for_in_every_layout(little: Desk, tmp_path: Path, layout: str):
    made = made_up(little, SIZE)
    walked = walk(little, made, layout, tmp_path / "handed_in")
    tell(HEAD, walked.line())
    found = standings(little)
    for login, what in made.expected().items():
        one = found[login]
        assert (one.kind, one.checked) == ("graded", SCORES[what]) if what in SCORES else one.kind == what, login


@dataclass(frozen=True)
class RealClass(MadeUp):
    """A class whose notebooks are the reference, alternatives and misconceptions of a real assignment, none like another."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]

    def notebook(self, student: Student, what: str) -> bytes:
        if what == "blank":
            return super().notebook(student, what)
        among = self.right if what == "right" else self.wrong
        document = json.loads(among[student.number % len(among)])
        own = {"cell_type": "code", "id": "own", "metadata": {}, "execution_count": None, "outputs": []}
        document["cells"].append({**own, "source": OWN.format(number=student.number + 1)})
        return json.dumps(document).encode()


def real_class(desk: Desk, size: int) -> RealClass:
    """Make up a class of an assignment of ours."""
    assignment = read_assignment(Course(desk.root), desk.slug)
    solved, skip = assignment.master.solved(), assignment.master.explorations()

    def written(cells: tuple[Cell, ...]) -> str:
        sources = {cell.index: cell.source for cell in cells}
        return notebook(assignment, lambda index, _: sources[index])

    core = {one.id for one in assignment.spec.questions if one.tier == "core"}
    wrong = [one for one in assignment.misconceptions if one.question in core]
    made = made_up_class.make(desk.slug, {"blank": student_notebook(assignment).encode()}, size)
    return RealClass(
        slug=made.slug,
        students=made.students,
        notebooks=made.notebooks,
        right=(written(solved), *(written(edited(solved, one, skip)) for one in assignment.alternatives)),
        wrong=tuple(written(edited(solved, one, skip)) for one in wrong),
    )


@pytest.fixture
def perceptron(root: Path, tmp_path: Path) -> Desk:
    """A course with the perceptron alone."""
    for part in ("assignments", "solutions"):
        shutil.copytree(root / part / "perceptron", tmp_path / "course" / part / "perceptron")
    return Desk(tmp_path / "course", "perceptron")


def test_300_different_real_notebooks_go_the_whole_way_and_are_judged_again_without_running(
    perceptron: Desk, tmp_path: Path
):
    made = real_class(perceptron, REAL)
    write_course(perceptron, made)
    walked = walk(perceptron, made, "canvas", tmp_path / "handed_in")
    tell(HEAD, walked.line())
    assert walked.kinds["graded"] == SIZE
    found = standings(perceptron)
    for login, what in made.expected().items():
        one = found[login]
        assert one.kind == ("graded" if what in SCORES else what), (login, one.reason)
        assert what not in SCORES or (one.checked == 100) == (what == "right"), (login, what, one.checked)
        assert what != "blank" or one.checked == 0, login
    perceptron.edit(perceptron.assignment / "checks.py", 'calls="margin", tol=1e-5', 'calls="margin", tol=2e-5')
    began = time.monotonic()
    done = perceptron.redink("rejudge", "perceptron", boxes=False)
    assert done.returncode == 0, done.stderr
    graded = walked.kinds["graded"]
    assert f"{graded} re-judged" in done.stdout
    tell(
        f"re-judging {graded} after a changed tolerance, where no box can start: {time.monotonic() - began:.1f} s",
        done.stdout[-400:],
    )
