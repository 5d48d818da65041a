"""A hand-in: the file is always written, what it lacks is told, and the grader takes it; an update spares the notebook."""

import hashlib
import io
import json
import shutil
import zipfile

import pytest

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
    assert "Nothing is missing." in done.stdout
    assert "upload tiny-hand-in.zip to your course page" in done.stdout
    assert hashlib.sha256(content).hexdigest() in done.stdout
    assert "Public: 100 of 100 public points" in done.stdout
    assert done.stdout.endswith("tiny-hand-in.zip is written: upload tiny-hand-in.zip to your course page.\n")
    receipt = (folder / "hand in" / "tiny.receipt.txt").read_text(encoding="utf-8")
    assert receipt in done.stdout
    ada = tmp_path / "class" / "ada"
    ada.mkdir(parents=True)
    shutil.copy(archive, ada)
    graded = redink("grade", "tiny", ada.parent, "--json", "-", cwd=tiny.root)
    (result,) = json.loads(graded.stdout)["results"]
    assert (result["submission"]["id"], result["state"], result["score"]) == ("ada", "graded", 100)


@pytest.mark.parametrize(("source", "gap"), [
    ("1 / 0", "fails when the notebook runs from top to bottom: ZeroDivisionError: division by zero"),
    ("1 / 0", "Centre the data (centre): 1 of 1 public checks fail"),
    ("def centre(X):\n    raise NotImplementedError", "Centre the data (centre): not written yet"),
    ("import os\nos._exit(3)", "ended the process that ran it (exit code 3)"),
])  # fmt: skip
def test_an_incomplete_notebook_is_packed_all_the_same_and_its_gaps_are_listed(folder, source, gap):
    solve(folder / "tiny.ipynb", source)
    receipt = submit(folder / "tiny.ipynb", folder / "out")
    assert [told for told in receipt.gaps if gap in told], receipt.gaps
    assert notebook_in(folder / "out" / "tiny-hand-in.zip") == (folder / "tiny.ipynb").read_bytes()


def test_half_a_notebook_is_packed_and_told(folder):
    (folder / "tiny.ipynb").write_bytes((folder / "tiny.ipynb").read_bytes()[:300])
    receipt = submit(folder / "tiny.ipynb", folder / "out")
    assert "is not a notebook" in receipt.gaps[0]
    assert notebook_in(folder / "out" / "tiny-hand-in.zip") == (folder / "tiny.ipynb").read_bytes()


def test_the_course_says_what_to_do_with_the_file(folder):
    toml = folder / "assignment.toml"
    toml.write_text('hand_in = "upload it to Canvas, week 3"\n' + toml.read_text(encoding="utf-8"), encoding="utf-8")
    assert (
        "tiny-hand-in.zip is written: upload it to Canvas, week 3."
        in redink("submit", "--to", "out", cwd=folder).stdout
    )


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
    assert done.stdout == "new: checks.py; your notebook is as it was\n", done.stderr
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
    assert done.stdout == "new: checks.py; your notebook is as it was\n", done.stderr
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
