"""An assignment for nbgrader: a course folder with a source notebook, what its tests need, and the settings.

The source notebook is the solved master. Where it says `check("question")`, nbgrader gets the tests of that question: one
locked cell with its points, whose visible part runs the public checks on published inputs, and whose hidden part adds the
rest. What is hidden stands between nbgrader's marks in those cells, and nowhere else. Nothing here needs nbgrader installed.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from redink.assignment.handout import read_handout, replace_folder
from redink.assignment.hidden import HiddenTests, pack
from redink.assignment.spec import Question
from redink.errors import AuthorError
from redink.grader.adapters.hiding import hidden_tests
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.master import EXPLORE, MasterCell
from redink.grader.author.build import write_document, written_cell
from redink.grader.author.distribute import refuse_other_files, refuse_stale
from redink.grader.course import Course
from redink.grader.workers.workers import Workers
from redink.source import definitions

_TEXTS = Path(__file__).parent / "texts"
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_LEFT_OUT = ("README.md",)  # it speaks of `check`
_WIDTH = 110


def for_nbgrader(course: Course, slug: str, target: Path, workers: Workers) -> list[Path]:
    """Write an assignment into a course folder of nbgrader, which may have others; return what was written.

    Settings and a README that are there already are the instructor's, and stay.
    """
    refuse_stale(course, slug, workers)
    assignment = read_assignment(course, slug)
    files = {name: data for name, data in read_handout(assignment.folder).items() if name not in _LEFT_OUT}
    files[f"{slug}.ipynb"] = source_notebook(assignment, hidden_tests(course, assignment, "nbgrader", workers)).encode()
    folder = target / "source" / slug
    refuse_other_files(folder, files)
    replace_folder(files, folder)
    written = [folder]
    for name, text in {"nbgrader_config.py": "nbgrader_config.txt", "README.md": "nbgrader_readme.txt"}.items():
        if not (target / name).exists():
            (target / name).write_text((_TEXTS / text).read_text(encoding="utf-8"), encoding="utf-8")
            written.append(target / name)
    return written


def source_notebook(assignment: Assignment, hidden: dict[str, HiddenTests]) -> str:
    """Return the notebook that nbgrader makes the release version from."""
    return write_document(_cells(assignment, hidden))


def _cells(assignment: Assignment, hidden: dict[str, HiddenTests]) -> Iterator[dict[str, object]]:
    slug, left = assignment.slug, {question.id: question for question in assignment.spec.questions}
    for index, cell in enumerate(assignment.master.cells, start=1):
        id = f"{slug}-{index:03d}"
        asked = re.fullmatch(r'check\(["\'](\w+)["\']\)', cell.source.strip())
        if asked and asked[1] in left:
            question = left.pop(asked[1])
            yield _test_cell(f"{slug}-{question.id}", question, hidden[question.id])
        elif cell.kind == "code" and cell.marked:
            yield written_cell(cell.kind, id, cell.source, {"nbgrader": _solution(_answer_id(assignment, index, cell))})
        else:
            yield written_cell(cell.kind, id, cell.source, {"tags": [EXPLORE]} if cell.explore else {})
    for question in left.values():
        yield _test_cell(f"{slug}-{question.id}", question, hidden[question.id])


def _test_cell(id: str, question: Question, hidden: HiddenTests) -> dict[str, object]:
    if not _ID.fullmatch(question.id):
        raise AuthorError(f"question {question.id!r}: nbgrader takes only letters, digits, - and _ in a question's id")
    counts = question.tier == "core"
    lines = [
        f"# The tests of {question.id}"
        + (f": {question.points:g} points." if counts else ", which carries no points."),
        "from redink.student.testing import run_tests",
        "",
        "run_tests(",
        f'    "{question.id}",' + ("" if counts else " scored=False,"),
        "    ### BEGIN HIDDEN TESTS",
        '    hidden="""',
        *textwrap.wrap(pack(hidden), _WIDTH),
        '    """,',
        "    ### END HIDDEN TESTS",
        ")",
    ]
    return written_cell("code", id, "\n".join(lines), {"nbgrader": _graded(question, counts)})


def _graded(question: Question, counts: bool) -> dict[str, object]:
    points = float(question.points) if counts else 0.0
    return {**_nbgrader(question.id), "grade": True, "locked": True, "points": points}


def _solution(grade_id: str) -> dict[str, object]:
    return {**_nbgrader(grade_id), "solution": True}


def _nbgrader(grade_id: str) -> dict[str, object]:
    plain = {"grade": False, "locked": False, "solution": False, "task": False}
    return {"schema_version": 3, "grade_id": grade_id, **plain}


def _answer_id(assignment: Assignment, index: int, cell: MasterCell) -> str:
    """Name a cell by the question that it answers, if it is the only one of one question."""
    names = {one.name for one in definitions(cell.source)}
    asking = [question.id for question in assignment.spec.questions if names.intersection(question.asks)]
    others = (one for place, one in enumerate(assignment.master.cells, start=1) if place != index and one.marked)
    taken = {name for one in others for name in _defined(one)}
    if len(asking) == 1 and not taken.intersection(assignment.spec.question(asking[0]).asks):
        return f"{asking[0]}-answer"
    return f"answer-{index:03d}"


def _defined(cell: MasterCell) -> set[str]:
    return {one.name for one in definitions(cell.source)}
