"""No process of the grader's finds a module in the folder that one stands in: it may be a student's."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Desk, environment, write_notebook
from tests.foreign_assignments import VECTORS, write_document

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")

REDINK = Path(sys.executable).with_name("redink")
OURS = {"redink", "redink_cli", "redink_datasets", "sitecustomize", "usercustomize", "conftest"}
THEIRS = {"numpy", "torch", "msgspec", "click", "rich", "IPython", "matplotlib", "jinja2", "yaml", "pyrage", "pandas"}
SHADOWS = sorted({*sys.stdlib_module_names, *OURS, *THEIRS})


class Visit:
    """A grader who stands in a student's folder, which has a file under the name of every module."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.folder = desk.root / "mallory"
        self.ran = desk.root / "ran"
        self.folder.mkdir()
        for name in SHADOWS:
            (self.folder / f"{name}.py").write_text(f"open({str(self.ran)!r}, 'a').write('{name} ')\n")

    def redink(self, *words: object) -> str:
        """Run a command there, and give what it prints; no file of the folder may have been imported."""
        done = subprocess.run(
            [REDINK, *map(str, words)],
            cwd=self.folder, env=environment(), capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert not self.ran.exists(), f"{words[0]} imported {self.ran.read_text()}"
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout


@pytest.fixture
def visit(tiny: Desk) -> Visit:
    tiny.hand_in("ada")
    tiny.hand_in("ben")
    return Visit(tiny)


def test_grading_and_showing_grades(visit):
    classes = visit.desk.root / "class"
    visit.redink("grade", "tiny", classes, "--jobs", 2)
    visit.redink("collect", "tiny", classes)
    visit.redink("grade", "tiny")
    for words in (["rejudge"], ["report", "--to", classes / "../pages"], ["similar", "--to", classes / "../alike"]):
        visit.redink(words[0], "tiny", *words[1:])
    visit.redink("mistakes", "tiny")
    visit.redink("export", "tiny", "--as", "csv", "--to", classes / "../grades.csv")


def test_writing_and_proving_an_assignment(visit):
    visit.redink("new", "topic")
    visit.redink("build", "topic")
    visit.redink("verify", "topic")
    visit.redink("import", write_document(visit.desk.root / "theirs/vectors.ipynb", VECTORS.cells), "--to", "theirs")


def test_grading_on_other_machines(visit, tmp_path):
    from redink.grader.sealing.identity import new_identity  # on Linux alone

    recipient = new_identity(tmp_path / "identity")
    visit.redink("collect", "tiny", visit.desk.root / "class")
    packed = tmp_path / "packed/class.job"
    packed.parent.mkdir()
    sha256 = visit.redink("pack", "tiny", "--to", packed, "--for", recipient).split()[-1]
    visit.redink(
        "grade", "--from", packed, "--shard", "1/1", "--job-sha256", sha256, "--identity", tmp_path / "identity",
        "--to", tmp_path / "shards",
    )  # fmt: skip
    visit.redink("merge", *(tmp_path / "shards").glob("*.shard"))


def test_one_notebook(visit):
    home = visit.desk.root / "home"
    shutil.copytree(visit.desk.assignment, home)
    write_notebook(home / "tiny.ipynb", visit.desk.sources().values())
    visit.redink("run", home / "tiny.ipynb")
    repository = visit.desk.root / "repository/perceptron.ipynb"
    write_notebook(repository, Desk(ROOT, "perceptron").sources().values())
    visit.redink("ci", repository.parent)
    visit.redink("check", home / "tiny.ipynb")
    visit.redink("doctor")


def test_a_helper_beside_a_notebook_is_found_by_check_wherever_one_stands(visit):
    home = visit.desk.root / "home"
    shutil.copytree(visit.desk.assignment, home)
    (home / "helper.py").write_text("HALF = 0.5\n")
    cells = ["from helper import HALF\nassert HALF == 0.5", *visit.desk.sources().values()]
    write_notebook(home / "tiny.ipynb", cells)
    visit.redink("check", home / "tiny.ipynb", "--json", home / "out.json")
    assert json.loads((home / "out.json").read_text())["cells"] == []


def test_python_is_started_in_one_place_of_the_grader(root):
    starting = "grader/starting.py"
    again = {"grader/sealing/identity.py": "starts its own command again, as it was started"}
    starts = {"executable", "get_context", "ProcessPoolExecutor"}
    library = root / "autograder/redink"
    found = {
        path.relative_to(library).as_posix()
        for top in ("grader", "box", "judging")
        for path in (library / top).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if starts & {getattr(node, "attr", None), getattr(getattr(node, "func", None), "id", None)}
    }
    assert found == {starting, *again}
