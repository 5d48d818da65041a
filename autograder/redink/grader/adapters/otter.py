"""An assignment for otter-grader: a folder for students, and a folder and a zip that grade.

Each question is one file of exception-based tests, a case for each check that carries points. Students have the public
cases; the autograder has all of them, with what is hidden in its files. Nothing here needs otter-grader installed.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from redink.assignment.handout import read_handout, replace_folder, zip_files
from redink.assignment.hidden import HiddenTests, pack
from redink.assignment.sharing import share_points
from redink.assignment.spec import Question, Spec
from redink.checks.language import Check
from redink.grader.adapters.hiding import hidden_tests
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.master import EXPLORE, without_solutions
from redink.grader.author.build import write_document, written_cell
from redink.grader.author.distribute import refuse_other_files, refuse_stale
from redink.grader.course import Course
from redink.grader.workers.workers import Workers

_README = Path(__file__).parent / "texts" / "otter_readme.txt"
_WIDTH = 110
_START = "import otter\n\ngrader = otter.Notebook()"  # with a path, a renamed notebook would find no tests


def for_otter(course: Course, slug: str, target: Path, workers: Workers) -> list[Path]:
    """Write the folder for students, the autograder's folder and its zip; return them."""
    refuse_stale(course, slug, workers)
    assignment = read_assignment(course, slug)
    handout = read_handout(assignment.folder)
    needed = {name: data for name, data in handout.items() if name not in (f"{slug}.ipynb", "README.md")}
    student = {**handout, f"{slug}.ipynb": student_notebook(assignment).encode(), **_tests(assignment, None)}
    tests = _tests(assignment, hidden_tests(course, assignment, "otter", workers))
    settings = {
        "otter_config.json": b"{}\n",
        "requirements.txt": _requirements(assignment.spec),
    }
    folders = {target / slug: student, target / f"{slug}-autograder": {**needed, **tests, **settings}}
    for folder, files in folders.items():
        refuse_other_files(folder, files)
    target.mkdir(parents=True, exist_ok=True)
    for folder, files in folders.items():
        replace_folder(files, folder)
    archive = target / f"{slug}-autograder.zip"
    archive.write_bytes(zip_files({**{f"files/{name}": data for name, data in needed.items()}, **tests, **settings}))
    readme = target / "README.md"
    if not readme.exists():
        readme.write_text(_README.read_text(encoding="utf-8"), encoding="utf-8")
    return [*folders, archive, readme]


def _requirements(spec: Spec) -> bytes:
    return "".join(f"{name}\n" for name in ("redink[torch]" if spec.torch else "redink", *spec.packages)).encode()


def student_notebook(assignment: Assignment) -> str:
    """Return the student's notebook with otter's own cells in it."""
    return write_document(_cells(assignment))


def _cells(assignment: Assignment) -> Iterator[dict[str, object]]:
    slug = assignment.slug
    tested = {question.id for question in assignment.spec.questions if _cases(assignment, question, whole=False)}
    yield written_cell("code", f"{slug}-otter", _START, {})
    for index, cell in enumerate(assignment.master.cells, start=1):
        source = without_solutions(cell.source, f"cell {index}") if cell.kind == "code" else cell.source
        tags = {"tags": [EXPLORE, "otter_ignore"]} if cell.explore else {}
        yield written_cell(cell.kind, f"{slug}-{index:03d}", source, tags)
        asked = re.fullmatch(r'check\(["\'](\w+)["\']\)', source.strip())
        if asked and asked[1] in tested:
            yield written_cell("code", f"{slug}-{index:03d}-otter", f'grader.check("{asked[1]}")', {})


def _tests(assignment: Assignment, hidden: dict[str, HiddenTests] | None) -> dict[str, bytes]:
    """Write the test files: all cases where what is hidden is given, otherwise the public ones."""
    found = {}
    for question in assignment.spec.questions:
        if cases := _cases(assignment, question, whole=hidden is not None):
            packed = pack(hidden[question.id]) if hidden else ""
            found[f"tests/{question.id}.py"] = "\n".join(_test_file(question, cases, packed)).encode()
    return found


def _cases(assignment: Assignment, question: Question, *, whole: bool) -> list[tuple[Check, float, bool]]:
    """List the checks of a question that carry points, each with its points and whether it is hidden."""
    checks = [check for check in assignment.checks if check.question == question.id]
    points = question.points if question.tier == "core" else 0.0
    shares = share_points(points, [check.weight for check in checks])
    return [
        (check, float(share), check in assignment.hidden)
        for check, share in zip(checks, shares, strict=True)
        if check.weight and (whole or check in assignment.public)
    ]


def _test_file(question: Question, cases: list[tuple[Check, float, bool]], packed: str) -> Iterator[str]:
    yield f'"""The tests of {question.id}."""'
    yield ""
    yield "from otter.test_files import test_case"
    yield "from redink.student.testing import QuestionTests"
    yield ""
    yield "OK_FORMAT = False"
    yield f'name = "{question.id}"'
    if packed:
        yield f'tests = QuestionTests("{question.id}", hidden="""'
        yield from textwrap.wrap(packed, _WIDTH)
        yield '""")'
    else:
        yield f'tests = QuestionTests("{question.id}")'
    for check, points, hidden in cases:
        yield ""
        yield ""
        yield f'@test_case(name="{check.id}", points={points!r}, hidden={hidden})'
        yield f"def test_{check.id}(env):"
        yield f'    tests.require("{check.id}", env)'
    yield ""
