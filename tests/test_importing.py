"""`redink import`: what other tools' assignments become, what is left to a person, and that both tools grade alike."""

from __future__ import annotations

import functools
import importlib
import json
import operator
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from redink.grader.course import Course
from redink.grader.importing import limiting
from redink.grader.importing.harmless import MODULES, NAMES
from redink.grader.importing.importing import Imported, import_assignment
from tests.conftest import Desk, read_results
from tests.foreign_assignments import ESSAYS, OF_NBGRADER, OF_OTTER, VECTORS, Foreign, Made, code, prose, write_document
from tests.test_otter import GRADING

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's own libraries warn
ALL = {**OF_NBGRADER, **OF_OTTER}
SOME = ("vectors",)  # in every run; the others at night
OTHERS = [pytest.param(name, marks=[] if name in SOME else pytest.mark.slow) for name in OF_NBGRADER]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Desk, Imported]]:
    """The made-up assignments, imported when they are first asked for."""

    @functools.cache
    def one(name: str) -> tuple[Desk, Imported]:
        root = tmp_path_factory.mktemp(name)
        return Desk(root, name), importing(root, ALL[name].write(root / "theirs"), name)

    return one


def importing(root: Path, path: Path, slug: str) -> Imported:
    for name in ("assignments", "solutions"):
        (root / name).mkdir(exist_ok=True)
    return import_assignment(Course(root), path, slug)


def checks_of(desk: Desk) -> str:
    hidden = desk.solution / "hidden_checks.py"
    return (desk.assignment / "checks.py").read_text(encoding="utf-8") + hidden.read_text(encoding="utf-8")


# -- what they become ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_what_is_converted_carries_its_points_and_the_rest_is_listed_where_it_must_be_done(imported, name):
    desk, found = imported(name)
    assert found.waits == ""
    assert found.points == ALL[name].points
    assert len(found.to_do) == len(ALL[name].left), found.to_do
    for word, line in zip(
        sorted(ALL[name].left), sorted(found.to_do, key=lambda line: line.split("(")[0]), strict=True
    ):
        path, number, sentence = line.split(":", 2)
        assert any(word in one for one in found.to_do)
        assert (desk.root / path).read_text(encoding="utf-8").splitlines()[int(number) - 1] == f"# TO DO:{sentence}"


@pytest.mark.parametrize("name", [pytest.param(one, marks=[] if one in SOME else pytest.mark.slow) for one in ALL])
def test_the_result_passes_build_and_verify_as_a_draft(imported, name):
    desk, _ = imported(name)
    assert desk.redink("build", "--check", name).stdout == f"{name}: up to date\n"
    done = desk.redink("verify", "--draft", name)
    assert done.returncode == 0, done.stdout + done.stderr


def test_prose_solutions_and_questions_are_taken_over_and_solutions_do_not_ship(imported):
    desk, _ = imported("vectors")
    master = (desk.solution / "vectors.py").read_text(encoding="utf-8")
    assert "# ## Direction\n#\n# Return the vector of length 1 in the same direction." in master
    assert "### BEGIN SOLUTION\n    return np.sqrt(np.sum(x * x))\n    ### END SOLUTION" in master
    assert master.count('check("direction")') == 1
    shipped = "".join(path.read_text(encoding="utf-8") for path in desk.assignment.iterdir())
    assert "np.sqrt(np.sum(x * x))" not in shipped
    assert 'title = "Vectors"' in shipped
    assert 'points = 4\nasks = ["direction"]' in shipped


def test_hidden_tests_become_hidden_checks_and_what_may_be_seen_carries_no_points(imported):
    desk, _ = imported("vectors")
    shipped = "".join(path.read_text(encoding="utf-8") for path in desk.assignment.iterdir())
    assert '@check("length", trials=1, weight=0)\ndef length_test_shown' in shipped
    assert "np.ones(n)" not in shipped
    hidden = (desk.solution / "hidden_checks.py").read_text(encoding="utf-8")
    assert '@check("length", trials=1, weight=2)\ndef length_test():' in hidden
    assert "seen.append(student.length(np.ones(n)))" in hidden


def test_inputs_the_call_and_the_expected_value_are_taken_out_of_a_test(imported):
    checks = checks_of(imported("vectors")[0])
    assert "x = np.array([3.0, 4.0])\n    x_2 = np.array([1.0, 2.0, 2.0])\n    return dict(x=x, x_2=x_2)" in checks
    assert "def _(student, x, x_2):\n    return [student.length(x), student.length(x_2)]" in checks
    assert "close(seen[1], 3.0, what='three sides')" in checks


def test_partial_credit_becomes_a_check_for_each_count(imported):
    desk, _ = imported("counting")
    checks = checks_of(desk)
    for number, weight in ((1, 1), (2, 1), (3, 2)):
        assert f"weight={weight})\ndef factorial_partial_{number}():" in checks
    assert "factorial_partial_3" not in (desk.assignment / "checks.py").read_text(encoding="utf-8")


def test_what_a_person_grades_is_kept_out_of_the_notebook_with_its_model_answer(imported):
    desk, _ = imported("essays")
    shipped = "".join(path.read_text(encoding="utf-8") for path in desk.assignment.iterdir())
    assert "Because money is kept" not in shipped
    assert "It has colours" not in shipped
    assert "Draw a picture." in shipped
    hidden = (desk.solution / "hidden_checks.py").read_text(encoding="utf-8")
    assert "#     Because money is kept." in hidden
    assert "#     It has colours." in hidden


def test_an_otter_prompt_is_what_a_student_starts_with(imported):
    desk, _ = imported("words")
    untouched = "\n".join(desk.sources(solved=False).values())
    assert "def longest(words):\n    ..." in untouched
    assert "max(words" not in untouched
    assert "box = ..." in "\n".join(imported("areas")[0].sources(solved=False).values())


HARM = {
    "opens a file": "open({mark!r}, 'w').write('x')\nassert length(np.ones(4)) == 2",
    "opens one by the way": "assert length(np.ones(4)) == [open({mark!r}, 'w'), 2][1]",
    "reaches through numpy": "np.ones(4).tofile({mark!r})\nassert length(np.ones(4)) == 2",
    "reaches through an object": "assert length(np.ones(4)) == ().__class__.__base__.__subclasses__()",
    "imports": "import pathlib\npathlib.Path({mark!r}).touch()\nassert length(np.ones(4)) == 2",
    "opens it in a loop": "for f in [open({mark!r}, 'w')]:\n    assert length(np.ones(4)) == 2",
    "reaches a module by another": "import torch\nx = torch.builtins.open({mark!r}, 'w')\nassert length(np.ones(4)) == 2",
    "reaches by a module's own import": "import fractions, statistics\n"
    "x = fractions.operator.attrgetter('__globals__')(statistics.mean)\n"
    "y = x['__builtins__']['open']({mark!r}, 'w')\nassert length(np.ones(4)) == 2",
    "reaches by a name in a text": "import string, statistics\n"
    "x = string.Formatter().get_field('0.__globals__[__builtins__][open]', (statistics.mean,), {{}})[0]({mark!r}, 'w')\n"
    "assert length(np.ones(4)) == 2",
    "runs a text": "from torch.utils.benchmark import Timer\n"
    "x = Timer('open(' + repr({mark!r}) + ', \"w\")').timeit(1)\nassert length(np.ones(4)) == 2",
    "imports beside what computes": "import math, subprocess\nx = subprocess.run(['touch', {mark!r}])\n"
    "assert length(np.ones(4)) == 2",
    "imports under a name of ours": "from os import mkdir as answers\nx = answers({mark!r})\nassert length(np.ones(4)) == 2",
    "means a builtin by the name of a loop": "for open in [4]:\n    assert length(np.ones(open)) == 2\n"
    "x = open({mark!r}, 'w')",
    "means all builtins by the name of a loop": "for __builtins__ in [4]:\n    assert length(np.ones(4)) == 2\n"
    "x = __builtins__['open']({mark!r}, 'w')",
    "changes numpy": "np.allclose = max\nx = np.zeros(2)\nassert length(np.ones(4)) == 2",
}


@pytest.mark.parametrize("what", HARM)
def test_a_test_that_does_more_than_compute_is_not_run_outside_of_the_box(what, tmp_path):
    mark = tmp_path / "ran"
    touching = code(f"open({str(mark)!r}, 'w').write('x')")
    test = {**VECTORS.cells[4], "source": HARM[what].format(mark=str(mark))}
    cells = [touching, *VECTORS.cells[1:4], test]
    found = importing(tmp_path, write_document(tmp_path / "theirs/odd.ipynb", cells), "odd")
    assert not mark.exists()
    assert found.waits == "no test could become a check: write the first question and its check"
    assert "outside of" in found.to_do[1]


BRACES = {
    "in the form of a number": r'x = f"{{3.0:\x7b{call}\x7d}}"',
    "in a form in a form": r'x = f"{{3.0:{{1:\x7b{call}\x7d}}}}"',
    "in a form of a text": r"x = f'{{1:\173{call}\N{{RIGHT CURLY BRACKET}}}}'".replace("'", '"'),
    "where it asserts": r'assert f"{{length(np.ones(4)):\x7b{call}\x7d}}" == "2"',
}


@pytest.mark.parametrize("where", BRACES)
def test_no_text_of_a_test_becomes_code_when_it_is_written(where, tmp_path):
    mark = tmp_path / "ran"
    source = BRACES[where].format(call=f"__import__('os').system('touch {mark}')")
    test = {**VECTORS.cells[4], "source": f"{source}\nassert length(np.ones(4)) == 2"}
    found = importing(tmp_path, write_document(tmp_path / "theirs/odd.ipynb", [*VECTORS.cells[:4], test]), "odd")
    assert not mark.exists()
    assert any("so that Python reads the same again" in line for line in found.to_do), found.to_do


ENDLESS = {
    "an input": "x = sum(range(10 ** 11))\nassert length(np.ones(4)) == 2",
    "what judges": "assert length(np.ones(4)) + sum(range(10 ** 11)) == 2",
}


@pytest.mark.parametrize("what", ENDLESS)
def test_a_test_that_computes_without_end_is_left_to_a_person_and_the_others_are_imported(what, tmp_path, monkeypatch):
    monkeypatch.setattr(limiting, "SECONDS", 4.0)
    cells = [*VECTORS.cells[:4], {**VECTORS.cells[4], "source": ENDLESS[what]}, *VECTORS.cells[5:]]
    found = importing(tmp_path, write_document(tmp_path / "theirs/long.ipynb", cells), "long")
    assert found.waits == ""
    assert found.checks
    assert any("it computes for more than" in line for line in found.to_do), found.to_do


def test_what_a_test_may_name_leads_to_no_module_that_is_not_listed():
    waiting = [importlib.import_module(name) for name in MODULES]
    reached: dict[int, Any] = {}
    while waiting:
        one = waiting.pop()
        if id(one) not in reached:
            reached[id(one)] = one
            inside = isinstance(one, ModuleType | type)
            waiting += [getattr(one, name) for name in NAMES if inside and hasattr(one, name)]
    assert {one.__name__ for one in reached.values() if isinstance(one, ModuleType)} == MODULES
    text = [eval, exec, compile, getattr, setattr, open, print, __import__, operator.attrgetter, str.format]
    assert not [one for one in reached.values() if any(one is other for other in text)]


def test_an_input_with_the_name_of_a_builtin_is_still_an_input(tmp_path):
    test = {**VECTORS.cells[4], "source": "input = np.ones(4)\nsum = 2\nassert length(input) == sum"}
    cells = [*VECTORS.cells[:4], test]
    assert importing(tmp_path, write_document(tmp_path / "theirs/named.ipynb", cells), "named").checks == 1


# -- odd files -------------------------------------------------------------------------------------------------------


def test_a_copied_cell_is_left_out_and_told(tmp_path):
    cells = [*ESSAYS.cells[:4], ESSAYS.cells[2], {**ESSAYS.cells[3], "source": "assert Account(2).balance == 2"}]
    found = importing(tmp_path, write_document(tmp_path / "theirs/twice.ipynb", cells), "twice")
    assert found.points == 2
    assert [line.split(": ", 1)[1] for line in found.to_do] == [
        "cell 5 has the grade_id account of cell 3: it is a copy, and was left out",
        "cell 6 has the grade_id account_test of cell 4: it was left out; give it an id of its own if it is meant",
    ]
    assert "#     assert Account(2).balance == 2" in (tmp_path / "solutions/twice/hidden_checks.py").read_text()


def released(cell: Made) -> Made:
    marks = cell["metadata"].get("nbgrader")
    return {**cell, "metadata": {"nbgrader": {**marks, "checksum": "0" * 32}}} if marks else cell


def old(cell: Made) -> Made:
    return {**cell, "metadata": {"nbgrader": {"grade": True, "solution": False}}}


REFUSED = {
    "has neither nbgrader's marks": [prose("# Notes"), code("x = 1")],
    "is a release version, without solutions": [*map(released, VECTORS.cells)],
    "cell 1: nbgrader's metadata has the version 0": [old(code("assert True"))],
    "cell 4: BEGIN SOLUTION without END SOLUTION": [
        *VECTORS.cells[:3],
        {**VECTORS.cells[3], "source": "### BEGIN SOLUTION\nlength = len"},
    ],
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_a_file_that_cannot_be_imported_gets_one_sentence_and_nothing_is_written(tiny, sentence):
    path = write_document(tiny.root / "theirs.ipynb", REFUSED[sentence])
    done = tiny.redink("import", path, "--to", "theirs")
    assert done.returncode == 1
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tiny.root / "assignments/theirs").exists()
    assert not (tiny.root / "solutions/theirs").exists()


def test_other_files_and_taken_names_get_one_sentence(tiny):
    (tiny.root / "notes.txt").write_text("Dear colleague,")
    (tiny.root / "broken.ipynb").write_text('{"cells": ')
    for file, slug, sentence in (
        ("notes.txt", "fine", "notes.txt is not a notebook"),
        ("broken.ipynb", "fine", "broken.ipynb is not a notebook"),
        ("solutions", "fine", "solutions must have one notebook, and has 0"),
        ("broken.ipynb", "tiny", "exists already; choose another slug"),
    ):
        done = tiny.redink("import", file, "--to", slug)
        assert (done.returncode, sentence in done.stderr, len(done.stderr.splitlines())) == (1, True, 1), done.stderr


def test_a_test_that_its_own_solution_fails_is_left_to_a_person(tmp_path):
    cells = [*VECTORS.cells[:5], {**VECTORS.cells[8], "source": "assert length(np.ones(4)) == 3"}]
    found = importing(tmp_path, write_document(tmp_path / "theirs/wrong.ipynb", cells), "wrong")
    assert found.points == 2
    assert len(found.to_do) == 1
    assert "the reference fails its own check direction_rows" in found.to_do[0]


# -- otter's folders -------------------------------------------------------------------------------------------------

OK_TESTS = """
OK_FORMAT = True
test = {"name": "q1", "points": 3, "suites": [{"type": "doctest", "cases": [
    {"code": ">>> half(4)\\n2.0", "hidden": False, "points": 1},
    {"code": ">>> x = 9\\n>>> abs(half(x) - 4.5) < 1e-6\\nTrue"},
]}]}
"""
TEST_FUNCTIONS = """
from otter.test_files import test_case
OK_FORMAT = False
name = "q2"
points = 2

@test_case(points=2, hidden=True)
def test_words(env):
    assert env["word"] == "otter"
"""


def otter_folder(folder: Path, *answers: str) -> Path:
    half, word = answers
    cells = [code("import otter\ngrader = otter.Notebook()"), prose("# Halves"), code(half), code('grader.check("q1")')]
    write_document(folder / "halves.ipynb", [*cells, code(word), code('grader.check("q2")')])
    (folder / "tests").mkdir()
    (folder / "tests/q1.py").write_text(OK_TESTS)
    (folder / "tests/q2.py").write_text(TEST_FUNCTIONS)
    return folder


def test_a_solved_notebook_with_tests_beside_it_is_imported_whole(tmp_path):
    folder = otter_folder(tmp_path / "theirs", "def half(x):\n    return x / 2", 'word = "otter"')
    found = importing(tmp_path, folder, "halves")
    assert (found.waits, found.to_do, found.points, found.questions) == ("", (), 5, 2)
    desk = Desk(tmp_path, "halves")
    assert "otter.Notebook" not in "".join(desk.sources().values())
    scores = {name: desk.grade(desk.hand_in(name, changes)) for name, changes in {"right": {}}.items()}
    assert scores["right"]["right"]["score"] == 5


def test_without_solutions_the_checks_are_written_and_a_person_writes_the_rest(tmp_path):
    folder = otter_folder(tmp_path / "theirs", "def half(x):\n    ...", "word = ...")
    found = importing(tmp_path, folder, "halves")
    assert found.waits == "the notebook has no solutions: write them in solutions/halves/halves.py"
    assert len([line for line in found.to_do if line.endswith("write the solution")]) == 2
    desk = Desk(tmp_path, "halves")
    master = desk.solution / "halves.py"
    desk.edit(master, "# TO DO: write the solution\ndef half(x):\n    ...", "def half(x):\n    return x / 2")
    desk.edit(master, "# TO DO: write the solution\nword = ...", 'word = "otter"')
    assert desk.redink("build", "halves").returncode == 0
    assert desk.redink("verify", "--draft", "halves").returncode == 0


# -- alike in both ---------------------------------------------------------------------------------------------------


def submissions(foreign: Foreign, handout: Path, folder: Path) -> dict[str, Path]:
    """Write the handed-out notebook, solved and with each wrong answer: the same bytes for both tools."""
    document = json.loads(handout.read_text(encoding="utf-8"))
    made = {}
    for name, (old, new) in {"right": ("", ""), **foreign.wrong}.items():
        answers = [_answered(cell, old, new) for cell in foreign.cells if _is_answer(cell)]
        assert name == "right" or any(new in answer for answer in answers)
        handed = iter(answers)
        cells = [{**cell, "source": next(handed)} if _is_handed(cell) else cell for cell in document["cells"]]
        path = folder / name / foreign.name / f"{foreign.name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({**document, "cells": cells}), encoding="utf-8")
        made[name] = path
    return made


def _is_answer(cell: Made) -> bool:
    marks = cell["metadata"].get("nbgrader", {})
    solved = any(word in cell["source"] for word in ("# SOLUTION", "BEGIN SOLUTION"))
    return cell["cell_type"] == "code" and (bool(marks.get("solution")) or (not marks and solved))


def _is_handed(cell: Made) -> bool:
    source = "".join(cell["source"])
    marks = cell["metadata"].get("nbgrader", {})
    answers = "otter_answer_cell" in cell["metadata"].get("tags", []) or marks.get("solution")
    return cell["cell_type"] == "code" and bool(answers) and "grader" not in source


def _answered(cell: Made, old: str, new: str) -> str:
    source: str = cell["source"].partition('""" # BEGIN PROMPT')[0]
    return source.replace(old, new) if old else source


def graded_here(desk: Desk, paths: dict[str, Path]) -> dict[str, dict[str, Any]]:
    found = {}
    for name, path in paths.items():
        target = desk.root / f"{name}.json"
        done = desk.redink("grade", desk.slug, path, "--json", target)
        assert done.returncode == 0, done.stderr
        (found[name],) = read_results(target).values()
    return found


@pytest.fixture
def with_tools() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")  # nbgrader runs alembic
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


@pytest.mark.parametrize("name", OTHERS)
def test_nbgrader_and_redink_give_the_same_points_for_every_test_that_was_converted(
    imported, with_tools, name, tmp_path
):
    from nbgrader.apps.api import NbGraderAPI
    from traitlets.config import Config

    desk, _ = imported(name)
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    api = NbGraderAPI(config=config)
    ALL[name].write(tmp_path / "source" / name)
    assert api.generate_assignment(name)["success"]
    paths = submissions(ALL[name], tmp_path / "release" / name / f"{name}.ipynb", tmp_path / "submitted")
    here = graded_here(desk, paths)
    seen = set()
    for who in paths:
        assert api.autograde(name, who)["success"]
        with api.gradebook as book:
            notebook = book.find_submission(name, who).notebooks[0]
            there = {grade.name: grade.auto_score for grade in notebook.grades}
        ours = points_of_tests(here[who])
        assert ours == {id: there[id] for id in ours}, who
        seen.add(tuple(ours.values()))
    assert len(seen) > 2  # the notebooks differ, and both tools see it


def points_of_tests(result: dict[str, Any]) -> dict[str, float]:
    """Sum the points of our checks by the cell that they came from."""
    found: dict[str, float] = {}
    for check in (check for question in result["questions"] for check in question["checks"]):
        if check["max_score"]:
            id = check["id"].rstrip("0123456789").removesuffix("_") if check["id"][-1].isdigit() else check["id"]
            found[id] = found.get(id, 0.0) + check["score"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_OTTER)
def test_otter_and_redink_give_the_same_points_for_every_question_that_was_converted(
    imported, with_tools, name, tmp_path
):
    desk, _ = imported(name)
    master = ALL[name].write(tmp_path)
    otter = [str(Path(sys.executable).parent / "otter"), "assign", master.name, "dist"]
    done = subprocess.run(otter, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paths = submissions(ALL[name], tmp_path / f"dist/student/{name}.ipynb", tmp_path / "submitted")
    (archive,) = (tmp_path / "dist/autograder").glob("*.zip")
    command = [sys.executable, "-W", "ignore", "-c", GRADING, str(archive), *map(str, paths.values())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    there = json.loads(done.stdout.splitlines()[-1])
    here = graded_here(desk, paths)
    seen = set()
    for who, path in paths.items():
        questions = [one for one in here[who]["questions"] if one["id"] not in ALL[name].left]  # those that are whole
        ours = {question["id"]: question["score"] for question in questions}
        assert ours == pytest.approx({id: there[str(path)][id]["score"] for id in ours}), who
        seen.add(tuple(ours.values()))
    assert len(seen) > 2
