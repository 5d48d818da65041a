"""A course of another kind in the real nbgrader and otter-grader: helper files, DataFrames, sets, printed text."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.other_tools import compare, handed_over
from tests.test_any_course import course as course  # a fixture
from tests.test_nbgrader import NbgraderCourse
from tests.test_otter import OtterAssignment

pytestmark = [
    pytest.mark.slow,  # each tool takes some seconds to start
    pytest.mark.filterwarnings("ignore"),  # their own libraries warn
    pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux"),
]
HELPERS = {"surveys": {"reading.py", "survey.csv"}, "algorithms": set()}


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv(
        "PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )  # nbgrader runs alembic


@pytest.mark.parametrize("slug", HELPERS)
def test_nbgrader_gives_the_points_that_redink_gives(course, slug, tmp_path):
    found = NbgraderCourse(handed_over(slug, "nbgrader", tmp_path / "course", root=course))
    assert {path.name for path in found.release.parent.iterdir()} >= HELPERS[slug]
    scores = {name: found.graded(name) for name in found.handed.specimens}
    assert scores["solved"].keys() == scores["untouched"].keys() != set()
    assert sum(scores["untouched"].values()) == 0
    compare(found.handed, "nbgrader", scores)


@pytest.mark.parametrize("slug", HELPERS)
def test_otter_gives_the_points_that_redink_gives(course, slug, tmp_path):
    found = OtterAssignment(handed_over(slug, "otter", tmp_path / "handed", root=course))
    assert {path.name for path in found.student.iterdir()} >= HELPERS[slug]
    scores = found.scores(*found.handed.specimens)
    assert sum(scores["untouched"].values()) == 0
    compare(found.handed, "otter", scores)
