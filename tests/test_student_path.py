"""What a student has is the zip of the course and a Python without Redink; the pages for students, typed there.

Third-party packages are taken from ours, and nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.page_commands import ROOT, command_lines, type_in

pytestmark = pytest.mark.slow
_OURS = ("redink", "_redink", "__editable__")  # and the .pth file that makes Redink importable

_RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
notebook.cells = notebook.cells[:int(sys.argv[2])]
NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=300).execute()
nbformat.write(notebook, sys.argv[1])
"""


def fresh(folder: Path) -> dict[str, str]:
    """Make an environment that has our third-party packages and no Redink; return its variables."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    ours = next(Path(sys.prefix, "lib").glob("python3*/site-packages"))
    third = folder / "third"
    third.mkdir()
    for path in ours.iterdir():
        if not path.name.startswith(_OURS) and path.suffix != ".pth" and path.name.split("-")[0] != "pip":
            (third / path.name).symlink_to(path)
    site = next((folder / "env/lib").glob("python3*/site-packages"))
    (site / "third.pth").write_text(f"{third}\n", encoding="utf-8")
    bare = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP", "REDINK", "JUPYTER"))
    }
    return bare | {
        "PATH": f"{folder / 'env/bin'}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "HOME": str(folder),
    }


@pytest.fixture(scope="module")
def handed_out(shared: Any, distributions: dict[str, Path]) -> Path:
    """The zip of a course that carries the wheel."""

    def fill(folder: Path) -> None:
        words = ["distribute", "perceptron", "--to", str(folder), "--wheel", str(distributions["wheel"])]
        subprocess.run([sys.executable, "-m", "redink_cli", *words], cwd=ROOT, check=True)

    return shared("handed out", fill) / "perceptron.zip"


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    variables = fresh(tmp_path / "machine")
    done = subprocess.run(["python", "-c", "import redink"], env=variables, capture_output=True, text=True, check=False)
    assert "No module named 'redink'" in done.stderr
    return variables


def test_the_pages_for_students_can_be_typed_with_the_zip_alone(machine, handed_out, tmp_path):
    folder = tmp_path / "my studies"
    with zipfile.ZipFile(handed_out) as archive:
        archive.extractall(folder)
    said = {}
    for line in [*command_lines("docs/student/first-hour.md"), *command_lines("docs/student/submitting.md")]:
        if line.startswith("jupyter"):
            continue  # tests/test_in_jupyterlab.py opens it
        line = line.replace("../newer/perceptron", ".")  # there is no newer one
        folder, done = type_in(line, folder, machine)
        unfinished = line.startswith("redink check")
        assert done.returncode == unfinished, f"{line}: {done.stdout}{done.stderr}"
        said[line] = done.stdout
    assert list(said) == [
        "cd perceptron",
        "pip install --find-links . redink jupyterlab",
        "redink check perceptron.ipynb -q score",
        "redink check perceptron.ipynb",
        "redink list",
        "redink start ridge --to ../ridge",
        "redink submit perceptron.ipynb",
        "redink update --from .",
    ]
    assert said["redink check perceptron.ipynb -q score"].startswith("Scores and predictions: not written yet")
    assert (folder / "../ridge/ridge.ipynb").is_file()
    handed_in = said["redink submit perceptron.ipynb"]
    assert hashlib.sha256((folder / "perceptron.ipynb").read_bytes()).hexdigest() in handed_in
    assert "upload perceptron-hand-in.zip" in handed_in
    assert "everything is up to date" in said["redink update --from ."]


def test_a_notebook_that_is_all_there_is_says_what_is_missing_and_with_the_zip_installs_it(
    machine, handed_out, tmp_path
):
    folder = tmp_path / "content"
    folder.mkdir()
    with zipfile.ZipFile(handed_out) as archive:
        notebook = folder / "perceptron.ipynb"
        notebook.write_bytes(archive.read("perceptron/perceptron.ipynb"))

    def opened(cells: int) -> list[dict[str, Any]]:
        done = subprocess.run(
            ["python", "-c", _RUN, notebook, str(cells)],
            cwd=folder,
            env=machine,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(notebook.read_bytes())["cells"]

    whole = notebook.read_bytes()
    code = [place for place, cell in enumerate(json.loads(whole)["cells"]) if cell["cell_type"] == "code"]
    (error,) = [one for one in opened(code[0] + 1)[code[0]]["outputs"] if one["output_type"] == "error"]
    assert (error["ename"], error["evalue"]) == (
        "SystemExit",
        "perceptron.zip is missing: upload it beside this notebook (in Colab: Files, Upload), and run this cell again",
    )
    notebook.write_bytes(whole)
    (folder / "perceptron (1).zip").write_bytes(handed_out.read_bytes())  # as a browser calls a second download
    first_check = next(place for place in code if "check(" in "".join(json.loads(whole)["cells"][place]["source"])[:6])
    cells = opened(first_check + 1)
    assert not [one for one in cells[code[0]]["outputs"] if one["output_type"] == "error"]
    assert "not written yet" in str(cells[first_check]["outputs"])
    assert (folder / "published.json").is_file()
