"""The real otter-grader takes our folders: `otter check` and `otter run` work, and its scores are Redink's."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.other_tools import (
    SLUGS,
    HandedOver,
    Scores,
    compare,
    handed_over,
    hidden_values,
    stray_values,
    write_submission,
)
from tests.test_distribute import leaks, read_folder, secrets_of

HIDDEN_ONLY = "predicts_the_sign"
OTHERS = [slug for slug in SLUGS if slug != "perceptron"]  # at night: otter takes its time


GRADING = """
import json, sys
from otter.api import grade_submission

archive, *paths = sys.argv[1:]
found = {}
for path in paths:
    found[path] = {}
    for id, one in grade_submission(path, archive, quiet=True).results.items():
        failed = {case.test_case.name: case.message for case in one.test_case_results if not case.passed}
        found[path][id] = {"score": one.score, "failed": failed}
print(json.dumps(found))
"""


class OtterAssignment:
    """What students and instructors have, and otter's own grading of it."""

    def __init__(self, handed: HandedOver) -> None:
        self.handed = handed
        self.slug = handed.assignment.slug
        self.student = handed.folder / self.slug
        self.archive = handed.folder / f"{self.slug}-autograder.zip"
        self._found: dict[str, Any] = {}

    def hidden_values(self) -> set[bytes]:
        tests = (self.handed.folder / f"{self.slug}-autograder/tests").iterdir()
        return hidden_values((path.read_text(encoding="utf-8") for path in tests), self.handed.assignment)

    def hand_in(self, name: str) -> Path:
        notebook = self.student / f"{self.slug}.ipynb"
        return write_submission(notebook, self.handed.specimens[name], self.handed.folder / "submitted" / name)

    def grade(self, *names: str) -> dict[str, dict[str, Any]]:
        """Grade notebooks once, in one process of otter's: it leaves sockets open, and takes seconds to start."""
        if new := [name for name in names if name not in self._found]:
            paths = {name: str(self.hand_in(name)) for name in new}
            command = [sys.executable, "-W", "ignore", "-c", GRADING, str(self.archive), *paths.values()]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            found = json.loads(done.stdout.splitlines()[-1])
            self._found |= {name: found[path] for name, path in paths.items()}
        return {name: self._found[name] for name in names}

    def scores(self, *names: str) -> dict[str, Scores]:
        return {
            name: {id: one["score"] for id, one in questions.items()} for name, questions in self.grade(*names).items()
        }


@pytest.fixture(scope="module")
def assignments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Assignments in otter's form, made when they are first asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")  # as in the box; kernels that fight for a machine take many times as long

        @functools.cache
        def assignment(slug: str) -> OtterAssignment:
            return OtterAssignment(handed_over(slug, "otter", tmp_path_factory.mktemp(slug)))

        yield assignment


def otter(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "otter"), *map(str, arguments)]
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


# -- all assignments -------------------------------------------------------------------------------------------------


def test_a_solved_and_a_wrong_notebook_have_the_scores_of_redink(assignments):
    hold_to_redink(assignments("perceptron"), ["solved", HIDDEN_ONLY])


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
def test_scores_are_those_of_redink_before_errors_are_carried_forward(assignments, slug):
    hold_to_redink(assignments(slug), list(assignments(slug).handed.specimens))


def hold_to_redink(found: OtterAssignment, names: Sequence[str]) -> None:
    scores = found.scores(*names)
    assert sum(scores["solved"].values()) == pytest.approx(100)
    assert sum(scores.get("untouched", {}).values()) == 0
    compare(found.handed, "otter", scores)


@pytest.mark.parametrize("slug", ["perceptron", *(pytest.param(slug, marks=pytest.mark.slow) for slug in OTHERS)])
def test_the_students_folder_holds_no_solution_and_nothing_hidden(assignments, slug):
    found = assignments(slug)
    assert leaks(read_folder(found.student), secrets_of(found.handed.assignment)) == []
    values = found.hidden_values()
    assert len(values) > 50
    assert stray_values(found.student, values) == []
    assert stray_values(found.handed.folder / f"{slug}-autograder", values)  # the search finds them where they are


# -- one assignment --------------------------------------------------------------------------------------------------


def test_failures_are_told_in_our_sentences(assignments):
    found = assignments("perceptron")
    failed = [one for one in found.handed.judged[HIDDEN_ONLY]["score"].checks if one.verdict != "passed"]
    told = found.grade(HIDDEN_ONLY)[HIDDEN_ONLY]["score"]["failed"]
    assert told.keys() == {one.id for one in failed}
    assert all(" ".join(one.message.split()) in " ".join(told[one.id].split()) for one in failed)


@pytest.mark.slow  # two processes of otter, which take ten seconds each
def test_otter_run_writes_our_sentences_and_check_knows_the_public_checks_alone(assignments):
    found = assignments("perceptron")
    path = found.hand_in(HIDDEN_ONLY)
    done = otter("run", "-a", found.archive, path, "-o", path.parent, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    tests = json.loads((path.parent / "results.json").read_text(encoding="utf-8"))["tests"]
    (score,) = [one for one in tests if one["name"] == "score"]
    failed = [one for one in found.handed.judged[HIDDEN_ONLY]["score"].checks if one.verdict != "passed"]
    assert " ".join(failed[0].message.split()) in " ".join(score["output"].split())
    assert (round(score["score"], 2), score["max_score"]) == (found.handed.judged[HIDDEN_ONLY]["score"].score, 10)
    assert failed[0].message not in tests[0]["output"]  # which is all that a student sees
    (found.student / "done.ipynb").write_bytes(path.read_bytes())
    checked = otter("check", "-t", "tests", "done.ipynb", cwd=found.student)
    (found.student / "done.ipynb").unlink()
    (found.student / ".OTTER_LOG").unlink(missing_ok=True)
    assert "All tests passed!" in checked.stdout, checked.stdout + checked.stderr


def test_the_autograder_has_every_check_that_carries_points_and_the_student_the_public_ones(assignments):
    found = assignments("perceptron")
    checks = [check for check in found.handed.assignment.checks if check.weight]
    public = {check.id for check in found.handed.assignment.public if check.weight}
    with zipfile.ZipFile(found.archive) as archive:
        whole = "".join(archive.read(name).decode() for name in archive.namelist() if name.startswith("tests/"))
        assert archive.read("files/published.json") == (found.student / "published.json").read_bytes()
    ours = "".join(path.read_text(encoding="utf-8") for path in (found.student / "tests").iterdir())
    assert {check.id for check in checks if f"def test_{check.id}(env)" in whole} == {check.id for check in checks}
    assert {check.id for check in checks if f"def test_{check.id}(env)" in ours} == public
    assert whole.count("hidden=True") == len(checks) - len(public)
    assert "hidden=True" not in ours


def test_the_notebook_finds_its_tests_under_any_name_and_explorations_are_not_run(assignments):
    found = assignments("perceptron")
    cells = json.loads((found.student / "perceptron.ipynb").read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    assert "grader = otter.Notebook()" in sources[0]
    tested = [source for source in sources if source.startswith("grader.check")]
    assert len(tested) == len(list((found.student / "tests").iterdir()))
    ignored = [cell for cell in cells if "otter_ignore" in cell["metadata"].get("tags", [])]
    assert len(ignored) == sum(cell.explore for cell in found.handed.assignment.master.cells) > 0


@pytest.mark.slow  # as above
def test_otter_generate_takes_the_autograders_folder(assignments, tmp_path):
    found = assignments("perceptron")
    folder = found.handed.folder / "perceptron-autograder"
    target = tmp_path / "gradescope.zip"
    files = ("assignment.toml", "checks.py", "published.json")
    done = otter(
        "generate", "-t", "tests", "-c", "otter_config.json", "-r", "requirements.txt", "-o", target, *files, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(target) as archive:
        names = set(archive.namelist())
    assert {"run_autograder", "setup.sh", "tests/train.py", *(f"files/{name}" for name in files)} <= names


def test_a_folder_with_other_files_is_never_written_over(tiny):
    done = tiny.redink("distribute", "tiny", "--format", "otter", "--to", "out")
    assert done.returncode == 0, done.stderr
    (tiny.root / "out/tiny/mine.txt").write_text("mine", encoding="utf-8")
    before = (tiny.root / "out/tiny-autograder.zip").read_bytes()
    refused = tiny.redink("distribute", "tiny", "--format", "otter", "--to", "out")
    assert refused.returncode == 1
    assert "mine.txt is not part of a bundle and would be lost" in refused.stderr
    (tiny.root / "out/tiny/mine.txt").unlink()
    assert tiny.redink("distribute", "tiny", "--format", "otter", "--to", "out").returncode == 0
    assert (tiny.root / "out/tiny-autograder.zip").read_bytes() == before
