"""`redink ci`: finding notebooks, public checks without a key, exit codes, and what a repository may not decide."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from redink.assignment.handout import installed_shelf, list_assignments
from redink.assignment.spec import Spec
from redink.errors import SubmissionError
from redink.grader.assignment.master import read_master
from redink.grader.ci.at_home import check_at_home
from redink.grader.ci.grading import by_public_checks, grade_repository
from redink.grader.ci.locating import locate
from redink.grader.ci.outcome import exit_code, is_untouched
from redink.grader.ci.places import MOST_BYTES, cell_lines
from redink.grader.ci.public_key import handout_key
from redink.grader.pipeline.load import Submission
from redink.records import SubmissionId
from tests.conftest import ROOT, environment, write_notebook

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")

STEP = "def perceptron_step"


def solved(slug: str = "perceptron") -> list[str]:
    return [cell.source for cell in read_master(ROOT / f"solutions/{slug}/{slug}.py").solved()]


def blank(slug: str = "perceptron") -> list[str]:
    return [cell.source for cell in read_master(ROOT / f"solutions/{slug}/{slug}.py").untouched()]


def specs(*slugs: str) -> list[Spec]:
    return [one for one in list_assignments(installed_shelf()) if not slugs or one.slug in slugs]


def run(where: Path, *options: object, env: dict[str, str | None] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "redink_cli", "ci", *map(str, options)]
    bare = {"GITHUB_ACTIONS": None, "GITLAB_CI": None, "GITHUB_STEP_SUMMARY": None, **(env or {})}
    return subprocess.run(command, cwd=where, env=environment(bare), capture_output=True, text=True, check=False)


def repository(folder: Path, **notebooks: Iterable[str]) -> Path:
    for name, sources in notebooks.items():
        write_notebook(folder / f"{name}.ipynb", sources)
    return folder


# -- finding -----------------------------------------------------------------------------------------------------------


def test_notebooks_are_found_by_their_names_wherever_they_lie(tmp_path):
    repository(tmp_path / "work", perceptron=blank(), ridge=blank("ridge"))
    found = locate(tmp_path, specs(), of_the_course=False)
    assert [(one.slug, one.file) for one in found] == [
        ("perceptron", "work/perceptron.ipynb"), ("ridge", "work/ridge.ipynb"),
    ]  # fmt: skip


def test_a_notebook_of_another_name_is_known_by_what_it_defines(tmp_path):
    repository(tmp_path, homework_one=blank(), notes=["print('nothing of ours')"])
    (found,) = locate(tmp_path, specs(), of_the_course=False)
    assert (found.slug, found.file) == ("perceptron", "homework_one.ipynb")


def test_a_repository_says_where_its_notebooks_are(tmp_path):
    repository(tmp_path / "a", x=blank())
    repository(tmp_path, perceptron=blank())
    (tmp_path / ".redink.toml").write_text('[notebooks]\nperceptron = "a/x.ipynb"\n')
    (found,) = locate(tmp_path, specs(), of_the_course=False)
    assert found.file == "a/x.ipynb"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[notebooks]\nchemistry = "a.ipynb"', "names the assignment 'chemistry'"),
        ("[limits]\ncpu = 9", "cannot be read"),
        ("\x00\xff", "cannot be read"),
    ],
)
def test_a_file_that_says_something_else_is_told(tmp_path, text, told):
    repository(tmp_path, perceptron=blank())
    (tmp_path / ".redink.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(SubmissionError, match=told):
        locate(tmp_path, specs(), of_the_course=False)


@pytest.mark.parametrize(
    "path", ["../other.ipynb", "/etc/passwd", "", "link.ipynb", "missing.ipynb", "a/../../x.ipynb"]
)
def test_a_repository_leads_nowhere_else(tmp_path, path):
    root = repository(tmp_path / "repository", unrelated=["x = 1"])
    write_notebook(tmp_path / "other.ipynb", blank())
    (root / "link.ipynb").symlink_to(tmp_path / "other.ipynb")
    (root / ".redink.toml").write_text(f'[notebooks]\nperceptron = "{path}"\n')
    (found,) = locate(root, specs(), of_the_course=False)
    assert found.problem
    assert not found.data


def test_the_repository_chooses_no_assignment_where_the_course_does(tmp_path):
    repository(tmp_path, perceptron=blank(), ridge=blank("ridge"))
    (tmp_path / ".redink.toml").write_text('[notebooks]\nridge = "ridge.ipynb"\n')
    (found,) = locate(tmp_path, specs("perceptron"), of_the_course=True)
    assert (found.slug, found.file) == ("perceptron", "perceptron.ipynb")


def test_a_damaged_file_stops_no_grading_by_the_course(tmp_path):
    repository(tmp_path, perceptron=blank())
    (tmp_path / ".redink.toml").write_text("limits = [")
    (found,) = locate(tmp_path, specs("perceptron"), of_the_course=True)
    assert found.file == "perceptron.ipynb"
    assert "cannot be read" in found.told[0]


def test_a_file_that_takes_python_long_to_read_is_not_read(tmp_path):
    repository(tmp_path, perceptron=blank())
    (tmp_path / ".redink.toml").write_text(f"[notebooks]\na{'.a' * 3000} = 1\n")
    (found,) = locate(tmp_path, specs("perceptron"), of_the_course=True)
    assert found.file == "perceptron.ipynb"
    assert "cannot be read (it has more than 5000 bytes)" in found.told[0]


def test_checks_come_with_redink_never_from_the_repository(tmp_path):
    shutil.copytree(installed_shelf() / "perceptron", tmp_path / "assignments/perceptron")
    (tmp_path / "solutions").mkdir()
    (tmp_path / "assignments/perceptron/checks.py").write_text("raise SystemExit('mine')\n")
    (tmp_path / "assignments/perceptron/assignment.toml").write_text("title = 'mine'\n")
    repository(tmp_path, perceptron=blank())
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "perceptron: 0 of 85 points by public checks" in done.stdout


def test_the_lines_of_cells_are_those_of_the_file():
    cells = [{"cell_type": "code", "outputs": ['"source": ['], "source": ["a = 1\n", "b = 2"]},
             {"cell_type": "markdown", "source": "# x"}]  # fmt: skip
    text = json.dumps({"metadata": {"cells": [1]}, "cells": cells, "nbformat": 4}, indent=1)
    lines = text.splitlines()
    found = cell_lines(text.encode())
    assert "a = 1" in lines[found[1] - 1]
    assert "# x" in lines[found[2] - 1]
    assert cell_lines(text.encode() + b" " * MOST_BYTES) == {}
    for nonsense in (b"", b"[]", b"\xff", b'{"cells": 3}', b'{"cells": [1', b"[" * 100_000):
        assert cell_lines(nonsense) == {}


# -- public checks -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Right, blank, wrong and broken notebooks, graded by public checks."""
    folder = tmp_path_factory.mktemp("repositories")
    wrong = [source.replace("y * ", "") if STEP in source else source for source in solved()]
    core = [source if "kernel" not in source.lower() else "pass" for source in solved()]
    written = {"right": solved(), "blank": blank(), "wrong": wrong, "without_extras": core}
    for name, sources in written.items():
        repository(folder / name, perceptron=sources)
    (folder / "broken").mkdir()
    (folder / "broken/perceptron.ipynb").write_text("Dear professor")
    (folder / "empty").mkdir()
    graders = by_public_checks(["perceptron"])
    return {
        name: grade_repository(folder / name, graders, of_the_course=True)[0]
        for name in (*written, "broken", "empty")
    }  # fmt: skip


def test_a_right_notebook_has_all_points_that_public_checks_can_tell_of(outcomes):
    right = outcomes["right"]
    assert right.result.score == right.result.max_score == 85.0
    assert "no answer key" in right.only_public
    assert right.result.secret == "published"


def test_a_blank_notebook_is_graded_and_its_extras_are_untouched(outcomes):
    result = outcomes["blank"].result
    assert (result.state, result.score) == ("graded", 0.0)
    assert all(is_untouched(question) for question in result.questions if question.tier == "extra")


def test_untouched_extras_turn_nothing_red(outcomes):
    assert exit_code([outcomes["without_extras"]], 100) == 0
    assert any(is_untouched(question) for question in outcomes["without_extras"].result.questions)


def test_what_cannot_be_graded_says_why(outcomes):
    assert outcomes["broken"].result.state == outcomes["empty"].result.state == "ungradable"
    assert "is not a notebook" in outcomes["broken"].result.reason
    assert "holds no notebook of perceptron" in outcomes["empty"].result.reason


def test_the_worst_decides_the_exit_code(outcomes):
    right, nothing = outcomes["right"], outcomes["blank"]
    assert exit_code([right], None) == exit_code([right], 100) == exit_code([nothing], None) == 0
    assert exit_code([right, nothing], 50) == 1
    assert exit_code([right, nothing, outcomes["broken"]], 50) == 2
    assert exit_code([], None) == 2


def test_the_same_without_a_box(outcomes):
    """What students run at home tells the same points and verdicts as the box."""
    for name, sources in (("right", solved()), ("blank", blank())):
        data = json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": one}
                                     for one in sources], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})  # fmt: skip
        submission = Submission(name=SubmissionId(id="x", file="x.ipynb", sha256=""), data=data.encode())
        found, _ = check_at_home(installed_shelf() / "perceptron", submission)
        told = {question.id: [(check.id, check.verdict, check.score) for check in question.checks]
                for question in found.questions}  # fmt: skip
        assert told == {
            question.id: [(check.id, check.verdict, check.score) for check in question.checks]
            for question in outcomes[name].result.questions
        }


def test_a_handout_makes_a_key_without_anything_hidden():
    key = handout_key(installed_shelf() / "perceptron")
    assert key.hidden_checks == ""
    assert key.reference == ()
    assert {part.visibility for part in key.parts} == {"public"}
    assert all(trial.published for part in key.parts for trial in part.trials)


def test_the_command_writes_every_format_and_exits_by_the_bar(tmp_path):
    repository(tmp_path, perceptron=solved())
    files = {"junit": "r.xml", "summary": "s.md", "classroom": "c.json", "gradescope": "g.json", "json": "r.json"}
    options = [word for name, file in files.items() for word in (f"--{name}", file)]
    done = run(tmp_path, *options, "--min-score", 100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("perceptron: 85 of 85 points by public checks\n")
    assert all((tmp_path / name).is_file() for name in files.values())
    assert json.loads((tmp_path / "c.json").read_text())["max-score"] == 8500


def test_the_command_names_what_is_wrong_with_a_repository(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 2
    assert "holds no notebook" in done.stdout
    done = run(tmp_path, "nowhere")
    assert done.returncode == 3
    assert "does not exist" in done.stderr
