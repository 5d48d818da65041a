"""The real nbgrader takes our course folder: every step of it works, and its scores are Redink's."""

from __future__ import annotations

import functools
import html
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.other_tools import (
    IN_EVERY_RUN,
    SLUG_OF_A_RUN,
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

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's own libraries warn
HIDDEN_ONLY = "predicts_the_sign"


class NbgraderCourse:
    """A course folder, and the steps of nbgrader in it, without starting nbgrader anew for each."""

    def __init__(self, handed: HandedOver) -> None:
        from nbgrader.apps.api import NbGraderAPI
        from traitlets.config.loader import PyFileConfigLoader

        self.handed = handed
        self.root = handed.folder
        self.slug = handed.assignment.slug
        config = PyFileConfigLoader("nbgrader_config.py", path=str(self.root)).load_config()
        config.CourseDirectory.root = str(self.root)
        self.config = config
        self.api = NbGraderAPI(config=config)
        self.done(self.api.generate_assignment(self.slug))

    @property
    def release(self) -> Path:
        return self.root / "release" / self.slug / f"{self.slug}.ipynb"

    def done(self, outcome: dict[str, Any]) -> None:
        assert outcome["success"], outcome["log"] + outcome.get("error", "")

    def hidden_values(self) -> set[bytes]:
        cells = cells_of(self.root / "source" / self.slug / f"{self.slug}.ipynb")
        return hidden_values(("".join(cell["source"]) for cell in cells), self.handed.assignment)

    def hand_in(self, name: str) -> Path:
        return write_submission(self.release, self.handed.specimens[name], self.root / "submitted" / name / self.slug)

    @functools.cache  # noqa: B019 - there are two of them
    def graded(self, name: str) -> Scores:
        """Hand in one of the notebooks and grade it, once."""
        self.hand_in(name)
        return self.grade(name)

    def grade(self, name: str) -> Scores:
        """Grade what somebody handed in."""
        self.done(self.api.autograde(self.slug, name))
        with self.api.gradebook as book:
            submission = book.find_submission(self.slug, name)
            assert not submission.needs_manual_grade
            return {grade.name: grade.score for one in submission.notebooks for grade in one.grades}

    def feedback(self, name: str) -> str:
        self.done(self.api.generate_feedback(self.slug, name))
        return (self.root / "feedback" / name / self.slug / f"{self.slug}.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Courses of one assignment each, made when they are first asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")  # nbgrader runs alembic
        patch.setenv("OMP_NUM_THREADS", "1")  # as in the box; kernels that fight for a machine take many times as long

        @functools.cache
        def course(slug: str) -> NbgraderCourse:
            return NbgraderCourse(handed_over(slug, "nbgrader", tmp_path_factory.mktemp(slug) / "course"))

        yield course


def cells_of(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_text(encoding="utf-8"))["cells"])


def plain(page: str) -> str:
    """Return what a page says."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


# -- all assignments -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", IN_EVERY_RUN)
def test_a_solved_and_a_wrong_notebook_have_the_scores_of_redink(courses, slug):
    hold_to_redink(courses(slug), ["solved", list(courses(slug).handed.specimens)[2]])


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
def test_scores_are_those_of_redink_before_errors_are_carried_forward(courses, slug):
    hold_to_redink(courses(slug), list(courses(slug).handed.specimens))


def test_an_untouched_notebook_gets_nothing(courses):
    assert set(courses("perceptron").graded("untouched").values()) == {0}


def hold_to_redink(course: NbgraderCourse, names: list[str]) -> None:
    found = {name: course.graded(name) for name in names}
    assert sum(found["solved"].values()) == 100
    assert sum(found.get("untouched", {}).values()) == 0
    compare(course.handed, "nbgrader", found)


@pytest.mark.parametrize("slug", SLUG_OF_A_RUN)
def test_the_release_version_holds_no_solution_and_nothing_hidden(courses, slug):
    course = courses(slug)
    release = course.release.parent
    assert leaks(read_folder(release), secrets_of(course.handed.assignment)) == []
    values = course.hidden_values()
    assert len(values) > 50
    assert stray_values(release, values) == []
    assert stray_values(course.root / "source" / slug, values)  # the search finds them where they are


# -- what a student and an instructor see ----------------------------------------------------------------------------


def test_feedback_shows_our_sentences_and_nothing_hidden(courses):
    course = courses("perceptron")
    course.graded(HIDDEN_ONLY)
    page = course.feedback(HIDDEN_ONLY)
    checks = course.handed.judged[HIDDEN_ONLY]["score"].checks
    failed = [one for one in checks if one.verdict != "passed"]
    assert [one.visibility for one in failed] == ["hidden"]
    assert f"Scores and predictions: {len(checks) - 1} of {len(checks)} checks pass" in plain(page)
    assert " ".join(failed[0].message.split()) in plain(page)
    assert "HIDDEN TESTS" not in page
    assert stray_values(course.root / "feedback", course.hidden_values()) == []


def test_validate_runs_the_public_checks_and_says_what_fails(courses):
    from nbgrader.validator import Validator

    course = courses("perceptron")
    untouched = Validator().validate(str(course.release))["failed"]
    assert len(untouched) == len(course.handed.assignment.spec.questions)
    assert "One step: not written yet" in untouched[1]["raw_error"]
    wrong_where_it_is_hidden = course.hand_in(HIDDEN_ONLY)
    for name in ("assignment.toml", "checks.py", "published.json"):
        (wrong_where_it_is_hidden.parent / name).write_bytes((course.release.parent / name).read_bytes())
    assert Validator().validate(str(wrong_where_it_is_hidden)) == {}


def test_grades_are_exported(courses, tmp_path):
    from nbgrader.plugins import CsvExportPlugin

    course = courses("perceptron")
    scores = course.graded("ignores_ties")
    plugin = CsvExportPlugin(to=str(tmp_path / "grades.csv"))
    with course.api.gradebook as book:
        plugin.export(book)
    rows = [line.split(",") for line in (tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines()]
    (row,) = [dict(zip(rows[0], one, strict=True)) for one in rows[1:] if one[3] == "ignores_ties"]
    assert float(row["score"]) == pytest.approx(sum(scores.values()))
    assert 0 < float(row["score"]) < float(row["max_score"]) == 100


# -- unlucky and dishonest notebooks ---------------------------------------------------------------------------------


def test_warnings_deleted_tests_and_tags_change_no_score(courses):
    """nbgrader gives 0 for a word on stderr, nothing for a deleted test cell, and full points for one that is not run."""
    course = courses("perceptron")
    path = course.hand_in("solved")
    cells = cells_of(path)
    by_id = {cell["id"]: cell for cell in cells}
    (scores,) = [cell for cell in cells if "def scores" in "".join(cell["source"])]
    scores["source"] = "".join(scores["source"]) + LOUD
    (train,) = [cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("grade_id") == "train-answer"]
    train["source"] = "def train(*arguments):\n    return None"
    by_id["perceptron-train"]["metadata"]["tags"] = ["skip-execution", "explore"]
    cells.remove(by_id["perceptron-step"])
    document = json.loads(path.read_text(encoding="utf-8"))
    unlucky = course.root / "submitted/unlucky/perceptron/perceptron.ipynb"
    unlucky.parent.mkdir(parents=True)
    unlucky.write_text(json.dumps(document | {"cells": cells}), encoding="utf-8")
    found = course.grade("unlucky")
    assert (found["score"], found["step"], found["train"]) == (10, 15, 0)


LOUD = """

import logging, sys, warnings
handler = logging.StreamHandler()
logging.getLogger().addHandler(handler)
quiet_scores = scores

def scores(*arguments):
    warnings.warn("a warning", stacklevel=1)
    logging.warning("a line in the log")
    print("a line", file=sys.stderr)
    return quiet_scores(*arguments)
"""


# -- the folder ------------------------------------------------------------------------------------------------------


def test_cells_have_what_nbgrader_asks_of_them(courses):
    course = courses("perceptron")
    cells = cells_of(course.root / "source/perceptron/perceptron.ipynb")
    known = [cell["metadata"]["nbgrader"] for cell in cells if "nbgrader" in cell["metadata"]]
    ids = [one["grade_id"] for one in known]
    questions = course.handed.assignment.spec.questions
    assert len(set(ids)) == len(ids)
    assert {one["schema_version"] for one in known} == {3}
    assert {one["grade_id"]: one["points"] for one in known if one["grade"]} == {
        one.id: one.points if one.tier == "core" else 0 for one in questions
    }
    assert {one.id + "-answer" for one in questions} == {one["grade_id"] for one in known if one["solution"]}
    assert all(one["locked"] == one["grade"] for one in known)


def test_what_is_hidden_stands_between_the_marks_alone(courses):
    course = courses("perceptron")
    values = course.hidden_values()
    source = course.root / "source/perceptron/perceptron.ipynb"
    outside = re.sub(
        r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", "", source.read_text(encoding="utf-8"), flags=re.S
    )
    (course.root / "outside").mkdir()
    (course.root / "outside/perceptron.ipynb").write_text(outside, encoding="utf-8")
    assert stray_values(course.root / "outside", values) == []
    tests = [cell for cell in cells_of(source) if cell["metadata"].get("nbgrader", {}).get("grade")]
    assert max(len(line) for cell in tests for line in cell["source"]) < 120


def test_settings_of_the_instructor_stay_and_sources_are_written_anew(tiny):
    first = tiny.redink("distribute", "tiny", "--format", "nbgrader", "--to", "course")
    assert first.returncode == 0, first.stderr
    assert "course/nbgrader_config.py" in first.stdout
    config = tiny.root / "course/nbgrader_config.py"
    config.write_text("# mine\n", encoding="utf-8")
    notebook = tiny.root / "course/source/tiny/tiny.ipynb"
    before = notebook.read_bytes()
    notebook.unlink()
    again = tiny.redink("distribute", "tiny", "--format", "nbgrader", "--to", "course")
    assert again.returncode == 0, again.stderr
    assert notebook.read_bytes() == before
    assert config.read_text(encoding="utf-8") == "# mine\n"
    assert "nbgrader_config.py" not in again.stdout
