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
    SLUG_OF_A_RUN,
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
HIDDEN_ONLY = "keeps_the_first_of_equal_scores"


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

    def hand_in(self, name: str) -> Path:
        return write_submission(self.release, self.handed.specimens[name], self.root / "submitted" / name / self.slug)

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

        @functools.cache
        def course(slug: str) -> NbgraderCourse:
            return NbgraderCourse(handed_over(slug, "nbgrader", tmp_path_factory.mktemp(slug) / "course"))

        yield course


def cells_of(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_text(encoding="utf-8"))["cells"])


def plain(page: str) -> str:
    """Return what a page says."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("slug", SLUG_OF_A_RUN)
def test_scores_are_those_of_redink_before_errors_are_carried_forward(courses, slug):
    course = courses(slug)
    for name in course.handed.specimens:
        course.hand_in(name)
    found = {name: course.grade(name) for name in course.handed.specimens}
    assert sum(found["solved"].values()) == 100
    assert sum(found["untouched"].values()) == 0
    compare(course.handed, "nbgrader", found)


@pytest.mark.parametrize("slug", SLUG_OF_A_RUN)
def test_the_release_version_holds_no_solution_and_nothing_hidden(courses, slug):
    course = courses(slug)
    release = course.release.parent
    assert leaks(read_folder(release), secrets_of(course.handed.assignment)) == []
    values = hidden_values(course.handed, "nbgrader")
    assert len(values) > 50
    assert stray_values(release, values) == []
    assert stray_values(course.root / "source" / slug, values)  # the search finds them where they are
