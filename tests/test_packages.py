"""What an assignment needs besides Redink: packages by pip's names, and helper files beside the notebook."""

from __future__ import annotations

from importlib import metadata

import pytest

from redink.assignment.packages import missing, modules_of
from redink.assignment.spec import Spec, read_spec
from redink.errors import AuthorError, CourseError
from redink.grader import digests
from redink.grader.author.ci_files import pinned
from redink.grader.pipeline.job import BoxSettings
from redink.grader.sandbox.template import Template
from tests.conftest import ROOT, Desk

QUESTION = '[[questions]]\nid = "q"\ntitle = "Q"\npoints = 1\nasks = ["f"]\n'


def needs(desk: Desk, *lines: str) -> None:
    path = desk.assignment / "assignment.toml"
    desk.edit(path, "minutes = 20\n\n[[questions]]", "minutes = 20\n" + "\n".join(lines) + "\n\n[[questions]]")


def test_a_package_is_imported_under_the_names_of_its_modules():
    assert modules_of(["pandas", "python-dateutil", "PyYAML"]) == ("pandas", "dateutil", "yaml")


def test_a_package_that_is_not_here_is_told_with_what_to_do():
    with pytest.raises(CourseError, match="the package nosuch is not installed here: pip install nosuch"):
        modules_of(["pandas", "nosuch"])
    with pytest.raises(CourseError, match=r"called yaml: it is a module of PyYAML; write packages = \['PyYAML'\]"):
        modules_of(["yaml"])
    assert missing(["pandas", "nosuch"]) == {"nosuch": "pip install nosuch"}


@pytest.mark.parametrize("name", ["pandas>=2", "", "../pandas", "pan das", "-pandas", "torch"])
def test_what_is_no_name_of_a_package_is_refused(tmp_path, name):
    (tmp_path / "assignment.toml").write_text(
        f'title = "T"\nslug = "t"\npackages = ["{name}"]\n{QUESTION}', encoding="utf-8"
    )
    with pytest.raises(AuthorError, match="packages names"):
        read_spec(tmp_path)


@pytest.mark.parametrize("name", ["statistics.py", "numpy.py", "redink.py"])
def test_a_helper_that_hides_a_module_is_refused(tmp_path, name):
    (tmp_path / "assignment.toml").write_text(
        f'title = "T"\nslug = "t"\ndata = ["{name}"]\n{QUESTION}', encoding="utf-8"
    )
    with pytest.raises(AuthorError, match="hides a module"):
        read_spec(tmp_path)


def test_every_command_says_which_package_is_missing(tiny):
    needs(tiny, 'packages = ["nosuch"]')
    tiny.hand_in("ada")
    for words in (("build", "tiny"), ("grade", "tiny", "class")):
        done = tiny.redink(*words)
        assert done.returncode == 1
        assert "the package nosuch is not installed here: pip install nosuch" in done.stderr
    home = tiny.assignment
    (home / "redink_check.ipynb").write_bytes((tiny.root / "class" / "ada" / "tiny.ipynb").read_bytes())
    done = tiny.redink("check", home / "redink_check.ipynb")
    assert "pip install nosuch" in done.stdout + done.stderr


def test_wherever_boxes_are_made_for_an_assignment_they_have_its_packages():
    """A box without them would take their import from the student's own time."""
    made = {
        path: path.read_text(encoding="utf-8").count("BoxSettings(") for path in (ROOT / "autograder").rglob("*.py")
    }
    assert [path.name for path, count in made.items() if count] == ["job.py"]
    spec = Spec(title="T", slug="t", questions=(), packages=("pandas",), torch=True)
    assert BoxSettings.of(spec, hidden=("/here",)) == BoxSettings(torch=True, packages=("pandas",), hidden=("/here",))


def test_another_version_of_a_package_is_another_stamp_and_only_where_it_is_needed(monkeypatch):
    def stamps() -> list[str]:
        made = (digests.box_stamp, digests.given_stamp)
        return [stamp.__wrapped__(packages) for stamp in made for packages in ((), ("pandas",))]

    real, before = metadata.version, stamps()
    monkeypatch.setattr(metadata, "version", lambda name: "99" if name == "pandas" else real(name))
    assert [one == other for one, other in zip(before, stamps(), strict=True)] == [True, False, True, False]


def test_constraints_have_the_packages_and_what_they_need():
    lines = pinned(["pandas"])
    assert {f"{name}=={metadata.version(name)}" for name in ("pandas", "python-dateutil")} <= set(lines)
    assert not any(line.startswith("pandas") for line in pinned())


def test_a_package_that_cannot_be_warmed_up_ends_the_template_with_its_name(tmp_path, monkeypatch):
    with pytest.raises(CourseError, match="pip install nosuch"):
        Template(torch=False, packages=["nosuch"])


def test_given_may_ask_a_reference_that_imports_a_helper_and_opens_data(tiny: Desk):
    needs(tiny, 'data = ["shifts.py", "shift.txt"]')
    (tiny.assignment / "shifts.py").write_text(
        "def shift():\n    return float(open('shift.txt').read())\n", encoding="utf-8"
    )
    (tiny.assignment / "shift.txt").write_text("2.5", encoding="utf-8")
    master = tiny.solution / "tiny.py"
    tiny.edit(
        master, "from redink import check\n", "import shifts\n\nfrom redink import check\n\nSHIFT = shifts.shift()\n"
    )
    checks = tiny.assignment / "checks.py"
    tiny.edit(checks, "(rng, trial)", "(rng, trial, reference)")
    tiny.edit(checks, ".astype(float))", ".astype(float) + reference.SHIFT)")
    done = tiny.redink("build", "tiny")
    assert done.returncode == 0, done.stderr
    tiny.hand_in("ada")
    assert tiny.grade("class")["ada"]["score"] == 100
