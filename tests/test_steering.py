"""Who gives up a little of an early question cannot have a later one excused by lying when a function is borrowed.

One file each in tests/steering/: the last cell of a solved perceptron, and the points and the note that it must get. What
stays open says so in its first line, and docs/threat-model.md tells it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Desk, read_results, write_notebook

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")
FILES = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "steering").glob("*.py"))
}
NOTES = ("right, given", "only as")


def declared(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.split('"""')[1].splitlines()[2:] if ": " in line)


@pytest.fixture(scope="module")
def graded(shared: Any, root: Path) -> dict[str, Any]:
    """The perceptron of everybody who steers, and of one who does not, graded once."""

    def fill(folder: Path) -> None:
        for part in ("assignments", "solutions"):
            shutil.copytree(root / part / "perceptron", folder / part / "perceptron")
        (folder / ".redink").mkdir(mode=0o700)
        (folder / ".redink/secret").write_text("a secret of its own")
        desk = Desk(folder, "perceptron")
        for name, text in FILES.items():
            cells = [*desk.sources().values(), text.split('"""', 2)[2]]
            write_notebook(folder / "class" / name / "perceptron.ipynb", cells)
        desk.grade("class", "--jobs", 1)

    return read_results(shared("steering", fill) / "out.json")


@pytest.mark.parametrize("name", FILES)
def test_who_steers_the_reference_gets_what_the_file_declares(graded, name):
    wanted = declared(FILES[name])
    questions = {one["id"]: one for one in graded[name]["questions"]}
    assert questions["score"]["score"] == pytest.approx(float(wanted["score"]), abs=0.01)
    assert questions["train"]["score"] == float(wanted["train"])
    told = {note for check in questions["train"]["checks"] for note in check["notes"]}
    assert {note for note in told if any(one in note for one in NOTES)} == set(wanted.get("note", "").splitlines())
