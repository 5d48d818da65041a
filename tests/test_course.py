"""The course root and its private folder."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from redink.errors import CourseError
from redink.grader.author.scaffold import scaffold
from redink.grader.course import Course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.delenv("REDINK_SECRET", raising=False)
    (tmp_path / "assignments").mkdir()
    (tmp_path / "solutions").mkdir()
    return Course(tmp_path)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_root_is_the_nearest_folder_upwards_with_both_folders(course):
    deep = course.root / "a/b"
    deep.mkdir(parents=True)
    (deep / "assignments").mkdir()
    assert Course.find(deep).root == course.root


def test_no_course_is_one_sentence(tmp_path):
    with pytest.raises(CourseError, match="is not in a course: no folder upwards has assignments/ and solutions/"):
        Course.find(tmp_path)


def test_the_secret_is_made_once_and_is_for_its_owner_alone(course):
    first = course.secret()
    assert len(first) == 64
    assert course.secret() == Course(course.root).secret() == first
    assert mode(course.private) == 0o700
    assert mode(course.private / "secret") == 0o600
    assert [path.name for path in course.private.iterdir()] == ["secret"]


def test_two_graders_that_start_at_once_use_one_secret(course):
    command = [sys.executable, "-c", "from redink.grader.course import Course; print(Course.find().secret().decode())"]
    both = [subprocess.Popen(command, cwd=course.root, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert len({process.communicate()[0] for process in both}) == 1


def test_the_environment_comes_before_the_file(course, monkeypatch):
    own = course.secret()
    monkeypatch.setenv("REDINK_SECRET", "told")
    assert course.secret() == b"told"
    monkeypatch.setenv("REDINK_SECRET", "")
    assert course.secret() == own


def test_a_secret_is_named_without_being_told(course, monkeypatch):
    monkeypatch.setenv("REDINK_SECRET", "told")
    name = course.secret_name()
    assert "told" not in name
    assert name == course.secret_name()
    monkeypatch.setenv("REDINK_SECRET", "told otherwise")
    assert name != course.secret_name()


def test_an_assignment_counts_when_it_has_both_folders(course):
    scaffold(course, "whole")
    (course.assignments / "half").mkdir()
    (course.assignments / "half/assignment.toml").touch()
    assert course.slugs() == ["whole"]


@pytest.mark.parametrize("slug", ["", "Perceptron", "2nd", "a-b", "../up", "a b", "ä"])
def test_a_slug_that_is_no_name_is_refused(course, slug):
    with pytest.raises(CourseError, match="cannot be a slug"):
        scaffold(course, slug)
    assert not list(course.assignments.iterdir())


def test_nothing_is_scaffolded_over_what_is_there(course):
    scaffold(course, "whole")
    with pytest.raises(CourseError, match="exists already; choose another slug"):
        scaffold(course, "whole")
