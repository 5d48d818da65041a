"""A course of another kind, through the real pipeline: a survey in pandas and some algorithms, as docs/authors.md tells."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redink.assignment.handout import read_handout
from redink.grader.assignment.assignment import read_assignment
from redink.grader.course import Course
from tests.concept_keys import concept_key, told
from tests.conftest import SECRET, Desk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")

COURSE = Path(__file__).parent / "any_course"
FULL = {"surveys": 17, "algorithms": 15}

SUBMISSIONS = {path.stem: path for path in sorted(COURSE.glob("submissions/*/*.py"))}


def declared(name: str) -> dict[str, str]:
    """Read what a submission says of itself: the questions that it loses, and words of a message that a student reads."""
    head = SUBMISSIONS[name].read_text(encoding="utf-8").split('"""')[1]
    return dict(line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)


def submissions(slug: str, *, right: bool) -> list[str]:
    """Name the submissions to one assignment that are right, or those that are wrong."""
    return [name for name, path in SUBMISSIONS.items() if path.parent.name == slug and bool(declared(name)) != right]


@pytest.fixture(scope="module")
def course(shared: Any) -> Path:
    """The course, built once, with the class that hands in."""

    def fill(root: Path) -> None:
        shutil.copytree(COURSE, root, dirs_exist_ok=True)
        (root / ".redink").mkdir(mode=0o700)
        (root / ".redink" / "secret").write_text(SECRET, encoding="utf-8")
        done = Desk(root, "surveys").redink("build")
        assert done.returncode == 0, done.stderr

    return shared("any_course", fill)


@pytest.fixture(scope="module", params=["surveys", "algorithms"])
def graded(request: Any, course: Path) -> tuple[Desk, dict[str, dict[str, Any]]]:
    desk = Desk(course, request.param)
    folder = f"class_of_{desk.slug}"
    desk.hand_in("solved", folder=folder)
    for name in (*submissions(desk.slug, right=True), *submissions(desk.slug, right=False)):
        desk.hand_in(name, {1000: SUBMISSIONS[name].read_text(encoding="utf-8")}, folder=folder)
    altered = desk.hand_in("altered", folder=folder).parent / "reading.py"
    altered.write_text("raise SystemExit('the copy of a student')", encoding="utf-8")
    return desk, desk.grade(folder)


def test_right_answers_have_full_marks_in_whatever_form(graded):
    desk, results = graded
    names = ["solved", "altered", *submissions(desk.slug, right=True)]
    assert {name: results[name]["score"] for name in names} == dict.fromkeys(names, FULL[desk.slug])
    assert [cell for name in names for cell in results[name]["cells"] if cell["status"] != "ok"] == []


def test_wrong_answers_lose_their_question_and_say_why(graded):
    desk, results = graded
    for name in submissions(desk.slug, right=False):
        questions, said = results[name]["questions"], declared(name)
        lost = [one for one in questions if one["score"] < one["max_score"]]
        assert [one["id"] for one in lost] == said["loses"].split(", "), name
        told = [check["message"] for one in lost for check in one["checks"]]
        assert any(said.get("says", "").casefold() in message.casefold() for message in told), (name, told)


def test_no_right_answer_of_a_concept_question_is_in_any_value_that_ships(course):
    assignment = read_assignment(Course(course), "surveys")
    key = concept_key(assignment)
    assert key == {"silence": "telling", "half_width": 0.5}
    assert told(read_handout(assignment.folder), key) == set()


@pytest.mark.parametrize("slug", ["surveys", "algorithms"])
def test_it_is_proven(course, slug):
    done = Desk(course, slug).redink("verify", slug, "--draft")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "specimens as they should be" in done.stdout


def test_the_course_lists_its_own_assignments_alone(course, tmp_path):
    listed = Desk(course, "surveys").redink("list").stdout
    assert [line.split()[1] for line in listed.splitlines()] == ["surveys", "algorithms"]
    for name in ("assignments", "solutions"):
        (tmp_path / name).mkdir()
    assert "perceptron" not in Desk(tmp_path, "none").redink("list").stdout


def test_students_check_and_see_values_at_home(course, tmp_path):
    desk = Desk(course, "surveys")
    home = tmp_path / "home"
    shutil.copytree(course / "assignments" / "surveys", home)
    notebook = desk.hand_in("home", {1000: SUBMISSIONS["a_lost_column"].read_text(encoding="utf-8")}, folder="at_home")
    shutil.copy(notebook, home / "surveys.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "redink_cli", "check", "surveys.ipynb"], cwd=home, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert "the columns 'count' and 'mean' are missing" in done.stdout.casefold().replace("\n", " "), (
        done.stdout + done.stderr
    )
    assert "DataFrame {index:" in done.stdout
