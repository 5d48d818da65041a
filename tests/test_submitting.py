"""A hand-in: the file is always written, what it lacks is told, and the grader takes it; an update spares the notebook."""

import hashlib
import io
import json
import re
import shutil
import zipfile

import pytest

from redink.assignment.spec import Spec
from redink.records import Cell
from redink.student.needs import find_needs
from redink.student.submitting import submit
from tests.test_handout import redink


@pytest.fixture
def folder(tiny, tmp_path):
    """A student's folder, in a path with blanks."""
    target = tmp_path / "my work" / "tiny"
    shutil.copytree(tiny.assignment, target)
    return target


def solve(path, source="def centre(X):\n    return X - X.mean(axis=0)"):
    document = json.loads(path.read_text(encoding="utf-8"))
    for cell in document["cells"]:
        if "def centre" in "".join(cell["source"]):
            cell["source"] = source
    path.write_text(json.dumps(document), encoding="utf-8")


def notebook_in(archive):
    with zipfile.ZipFile(io.BytesIO(archive.read_bytes())) as opened:
        assert opened.namelist() == ["tiny.ipynb"]
        return opened.read("tiny.ipynb")


def test_a_complete_notebook_is_packed_with_a_receipt_and_the_grader_takes_it(folder, tiny, tmp_path):
    solve(folder / "tiny.ipynb")
    done = redink("submit", "--to", "hand in", cwd=folder)
    assert done.returncode == 0, done.stderr
    content = (folder / "tiny.ipynb").read_bytes()
    archive = folder / "hand in" / "tiny-hand-in.zip"
    assert notebook_in(archive) == content
    assert "The public checks find nothing missing; 1 hidden check follows." in done.stdout
    assert hashlib.sha256(content).hexdigest() in done.stdout
    assert "Public: 100 of 100 public points" in done.stdout
    said = " ".join(done.stdout.split())
    assert said.endswith("tiny-hand-in.zip is written: upload tiny-hand-in.zip to your course page.")
    receipt = (folder / "hand in" / "tiny.receipt.txt").read_text(encoding="utf-8")
    assert " ".join(receipt.split()) == said
    assert re.match(r"tiny\.ipynb, saved 2\d{3}-\d\d-\d\d \d\d:\d\d\S+, packed 2\d{3}-", receipt)
    ada = tmp_path / "class" / "ada"
    ada.mkdir(parents=True)
    shutil.copy(archive, ada)
    graded = redink("grade", "tiny", ada.parent, "--json", "-", cwd=tiny.root)
    (result,) = json.loads(graded.stdout)["results"]
    assert (result["submission"]["id"], result["state"], result["score"]) == ("ada", "graded", 100)


@pytest.mark.parametrize(("source", "kind", "told"), [
    ("1 / 0", "broken", "cell 4 fails: ZeroDivisionError: division by zero; it costs points only where"),
    ("def centre(X)\n    return X", "broken", "(<cell 4>, line 1); it costs points of Centre"),
    ("def centre(X)\n    return X", "gaps", "Centre the data (centre): not defined; 0 of 100 points"),
    ("def centre(X):\n    return X", "gaps", "Centre the data (centre): 1 of 1 public checks fail; 0 of 100 points"),
    ("def centre(X):\n    raise NotImplementedError", "gaps", "Centre the data (centre): not written yet; 0 of 100"),
    ("import os\nos._exit(3)", "broken", "ended the process that ran it (exit code 3)"),
])  # fmt: skip
def test_an_incomplete_notebook_is_packed_all_the_same_and_what_is_broken_is_told_apart(folder, source, kind, told):
    solve(folder / "tiny.ipynb", source)
    (folder / "out").mkdir()
    (folder / "out" / "tiny-hand-in.zip").write_bytes(b"an earlier one")
    receipt = submit(folder / "tiny.ipynb", folder / "out")
    assert [one for one in getattr(receipt, kind) if told in one], receipt
    assert [one for one in receipt.text.splitlines() if told in one]
    assert notebook_in(folder / "out" / "tiny-hand-in.zip") == (folder / "tiny.ipynb").read_bytes()


@pytest.mark.parametrize("rubbish", [b"", b"{}", b"Dear professor", b'{"cells": [{"cell_type": "code", "sou'])
def test_what_is_no_notebook_never_takes_the_place_of_an_earlier_hand_in(folder, rubbish):
    solve(folder / "tiny.ipynb")
    good = (folder / "tiny.ipynb").read_bytes()
    assert redink("submit", cwd=folder).returncode == 0
    kept = {path.name: path.read_bytes() for path in (folder / "hand-in").iterdir()}
    (folder / "tiny.ipynb").write_bytes(rubbish)
    done = redink("submit", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "is left as it was" in done.stderr
    assert {path.name: path.read_bytes() for path in (folder / "hand-in").iterdir()} == kept
    assert notebook_in(folder / "hand-in" / "tiny-hand-in.zip") == good


def test_half_a_notebook_is_packed_where_there_is_no_earlier_one(folder):
    (folder / "tiny.ipynb").write_bytes((folder / "tiny.ipynb").read_bytes()[:300])
    receipt = submit(folder / "tiny.ipynb", folder / "out")
    assert "is not a notebook" in receipt.broken[0]
    assert notebook_in(folder / "out" / "tiny-hand-in.zip") == (folder / "tiny.ipynb").read_bytes()


@pytest.mark.parametrize(("source", "told"), [
    ("import os, numpy.linalg, IPython\nfrom matplotlib import pyplot", []),
    ("import requests.sessions as s, pytest", ["requests", "pytest"]),
    ("def f():\n    from pandas import read_csv", ["pandas"]),
    ("%matplotlib inline\nfrom . import beside\nimport shipped", []),
    ("try:\n    import tqdm\nexcept ImportError:\n    tqdm = iter", []),
    ("import sklearn", []),
    ("import (", []),
])  # fmt: skip
def test_imports_that_the_grader_does_not_have_are_told(source, told, monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.metadata.packages_distributions", lambda: {"sklearn": ["scikit_learn"]})
    spec = Spec(title="T", slug="t", questions=(), packages=("scikit-learn",), data=("shipped.py",))
    assert find_needs([Cell(index=4, source=source)], spec, tmp_path) == [
        f"cell 4 imports {name}, which the grader does not have" for name in told
    ]


@pytest.mark.parametrize(("source", "told"), [
    ("np.load('mine.csv')", ["mine.csv"]),
    ("with open('mine.csv', 'r') as file:\n    pass", ["mine.csv"]),
    ("Path('mine.csv').read_text()", ["mine.csv"]),
    ("np.savetxt('mine.csv', x)", []),
    ("open('mine.csv', mode='w')", []),
    ("np.load('data/ours.csv'), np.load('./data/ours.csv'), open('not there.csv')", []),
    ("x = 'a\\0b', 'y' * 1000, ''", []),
])  # fmt: skip
def test_files_that_the_grader_does_not_have_are_told(source, told, tmp_path):
    (tmp_path / "data").mkdir()
    for name in ("mine.csv", "data/ours.csv"):
        (tmp_path / name).write_text("1\n", encoding="utf-8")
    spec = Spec(title="T", slug="t", questions=(), data=("data/ours.csv",))
    assert find_needs([Cell(index=4, source=source)], spec, tmp_path) == [
        f"cell 4 opens {name}, a file that the grader does not have" for name in told
    ]


def test_what_the_grader_does_not_have_is_told_and_packed(folder):
    (folder / "mine.csv").write_text("1\n", encoding="utf-8")
    solve(folder / "tiny.ipynb", "import click\nopen('mine.csv')\ndef centre(X):\n    return X - X.mean(axis=0)")
    receipt = submit(folder / "tiny.ipynb", folder / "out")
    assert len(receipt.needs) == 2
    assert (receipt.broken, receipt.gaps) == ((), ())
    assert "nothing missing" not in receipt.text
    assert set(receipt.needs) <= {line.removeprefix("  - ") for line in receipt.text.splitlines()}


def test_the_course_says_what_to_do_with_the_file(folder):
    toml = folder / "assignment.toml"
    toml.write_text('hand_in = "upload it to Canvas, week 3"\n' + toml.read_text(encoding="utf-8"), encoding="utf-8")
    said = " ".join(redink("submit", "--to", "out", cwd=folder).stdout.split())
    assert said.endswith("tiny-hand-in.zip is written: upload it to Canvas, week 3.")


def test_a_notebook_that_is_not_there_is_one_sentence(folder):
    done = redink("submit", "tny.ipynb", "--to", "out", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "redink: tny.ipynb is not a file; did you mean tiny.ipynb?\n")
    assert not (folder / "out").exists()


def test_update_brings_new_checks_and_leaves_the_notebook_alone(folder, tiny):
    checks = tiny.assignment / "checks.py"
    checks.write_text(checks.read_text(encoding="utf-8") + "# newer\n", encoding="utf-8")
    (tiny.assignment / "tiny.ipynb").write_text("newer", encoding="utf-8")
    solve(folder / "tiny.ipynb")
    mine = (folder / "tiny.ipynb").read_bytes()
    done = redink("update", "--from", tiny.assignment, cwd=folder)
    assert done.stdout.startswith("new: checks.py; your notebook is as it was. "), done.stderr
    assert "restart its kernel" in done.stdout
    assert (folder / "checks.py").read_bytes() == checks.read_bytes()
    assert (folder / "tiny.ipynb").read_bytes() == mine
    assert redink("update", "--from", tiny.assignment, cwd=folder).stdout == "everything is up to date\n"


@pytest.mark.parametrize("packed", [True, False])
def test_update_takes_the_zip_of_a_newer_handout_or_the_folder_around_it(folder, tiny, tmp_path, packed):
    checks = tiny.assignment / "checks.py"
    checks.write_text(checks.read_text(encoding="utf-8") + "# newer\n", encoding="utf-8")
    newer = tmp_path / "newer"
    shutil.copytree(tiny.assignment, newer / "tiny")
    source = shutil.make_archive(str(tmp_path / "packed"), "zip", newer) if packed else newer
    done = redink("update", "--from", source, cwd=folder)
    assert done.stdout.startswith("new: checks.py; your notebook is as it was. "), done.stderr
    assert (folder / "checks.py").read_bytes() == checks.read_bytes()


@pytest.mark.parametrize(("name", "data", "told"), [
    ("x.zip", b"not a zip", "x.zip is no zip that can be read"),
    ("y.zip", b"PK\x05\x06" + bytes(18), "y.zip is not one handout: it holds 0 files assignment.toml"),
])  # fmt: skip
def test_update_refuses_a_zip_that_is_no_handout(folder, name, data, told):
    (folder / name).write_bytes(data)
    done = redink("update", "--from", name, cwd=folder)
    assert (done.returncode, told in done.stderr) == (1, True), done.stderr


def test_a_hand_in_goes_into_a_folder_of_its_own_where_none_is_named(folder):
    assert redink("submit", cwd=folder).returncode == 0
    assert (folder / "hand-in" / "tiny-hand-in.zip").is_file()


def test_update_refuses_another_assignment(folder, tiny):
    other = tiny.root / "other"
    shutil.copytree(tiny.assignment, other)
    toml = other / "assignment.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace('slug = "tiny"', 'slug = "other"'), encoding="utf-8")
    done = redink("update", "--from", other, cwd=folder)
    assert done.returncode == 1
    assert "is the assignment other, and . is tiny" in done.stderr
