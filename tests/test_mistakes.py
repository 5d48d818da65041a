"""What a class got wrong, and how a mistake that nobody foresaw becomes a misconception. No student's code runs here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from redink.assignment.spec import Question, Spec
from redink.errors import CourseError
from redink.grader.assignment.assignment import read_assignment
from redink.grader.course import Course
from redink.grader.desk.adopting import _edits
from redink.grader.desk.edits import edits_of_answers, edits_of_definition, in_few
from redink.grader.desk.mistakes import UnknownGroup
from redink.grader.pipeline.report import mistake_groups
from redink.records import Cell
from tests.conftest import CENTRE, SCALE, Desk, _copy, write_notebook

ANSWERS = 8  # the place of the cell with the concept answers
DOUBLES = "def scale(X):\n    return (X - X.mean(axis=0)) / (2 * X.std(axis=0))"
DOUBLES_TOO = "def half(v):\n    return v / 2\n\ndef scale(X):\n    return half(X - X.mean(axis=0)) / X.std(axis=0)"
CLASS: dict[str, dict[int, str]] = {
    "ada": {SCALE: DOUBLES},
    "ben": {SCALE: DOUBLES_TOO},
    "cem": {SCALE: DOUBLES},
    "dan": {CENTRE: "def centre(X):\n    return X - X.mean(axis=1, keepdims=True)"},
    "eve": {SCALE: "def scale(X):\n    return X * 0 + 7.5"},
    "fay": {ANSWERS: 'answers = {"mean_runs_over": "rows", "spread_is_a": "length"}'},
    "gus": {ANSWERS: 'answers = {"mean_runs_over": "rows", "spread_is_a": "length"}'},
    "hal": {},
}


@pytest.fixture(scope="session")
def wrong_course(shared: Any, little_course: Any) -> Any:
    """The little course with a class that shares mistakes, graded once; two handed in blank notebooks."""

    def fill(root: Any) -> None:
        import shutil

        shutil.copytree(little_course, root, dirs_exist_ok=True)
        desk = Desk(root, "little")
        for name, changes in CLASS.items():
            desk.hand_in(name, changes)
        for name in ("ida", "jim"):
            write_notebook(root / f"class/{name}/little.ipynb", desk.sources(solved=False).values())
        done = desk.redink("grade", "little", "class", "--jobs", 2)
        assert done.returncode == 0, done.stderr
        (root / "first.txt").write_text(done.stdout, encoding="utf-8")

    return shared("wrong", fill)


@pytest.fixture
def wrong(wrong_course: Any, tmp_path: Any) -> Desk:
    return _copy(wrong_course, tmp_path, "little")


def mistakes(desk: Desk, *options: str) -> dict[str, Any]:
    done = desk.redink("mistakes", "little", "--json", "mistakes.json", *options, boxes=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads((desk.root / "mistakes.json").read_bytes())
    return found


def group_of(desk: Desk, student: str) -> dict[str, Any]:
    (found,) = [one for one in mistakes(desk)["unknown"] if student in one["students"]]
    return dict(found)


# -- what is listed ----------------------------------------------------------------------------------------------------


def test_misconceptions_are_counted_and_unknown_mistakes_are_grouped(wrong):
    found = mistakes(wrong)
    assert [(one["misconception"], one["students"]) for one in found["known"]] == [
        ("takes_the_mean_over_rows", ["dan"])
    ]
    groups = [(one["question"], one["students"]) for one in found["unknown"]]
    assert groups[:2] == [("scale", ["ada", "ben", "cem"]), ("ideas", ["fay", "gus"])]
    assert ("scale", ["eve"]) in groups


def test_blank_answers_are_no_mistake(wrong, wrong_course):
    assert not [one for one in mistakes(wrong)["unknown"] if {"ida", "jim"} & {*one["students"]}]
    told = (wrong_course / "first.txt").read_text(encoding="utf-8")
    assert "2 submissions share an unknown mistake in ideas: fay, gus" in told
    assert told.count("share an unknown mistake") == 2
    assert "next: redink mistakes little " in told


def test_a_group_shows_its_checks_an_example_and_its_name(wrong):
    said = wrong.redink("mistakes", "little", boxes=False).stdout
    name = group_of(wrong, "ada")["name"]
    assert f"3  {name}: ada, ben, cem" in said
    assert "fails has_unit_spread" in said
    assert "numbers differ" in said
    assert "1 more of one student each: --all lists them" in said
    assert ": eve" not in said
    assert ": eve" in wrong.redink("mistakes", "little", "--all", boxes=False).stdout


def test_a_class_that_was_not_graded_is_told(tiny):
    done = tiny.redink("mistakes", "tiny", boxes=False)
    assert done.returncode == 1
    assert "there is no gradebook" in done.stderr


def spec(**uses: tuple[str, ...]) -> Spec:
    questions = tuple(Question(id=id, title=id, points=1, asks=(id,), uses=used) for id, used in uses.items())
    return Spec(title="t", slug="t", questions=questions)


def test_a_trio_that_is_alike_in_three_questions_is_listed_once_under_the_first():
    course = spec(step=(), train=("step",), experiment=("train",), other=())
    trio = {name: {"experiment": "e", "train": "t", "step": "s"} for name in ("a", "b", "c")}
    (group,) = mistake_groups(trio, course)
    assert (group.question, group.submissions, group.also) == ("step", ("a", "b", "c"), ("train", "experiment"))


def test_a_part_of_a_group_is_not_listed_again_but_who_joins_later_is():
    course = spec(step=(), train=("step",))
    both = {"a": {"step": "s", "train": "t"}, "b": {"step": "s"}, "c": {"step": "s", "train": "t"}}
    assert [one.question for one in mistake_groups(both, course)] == ["step"]
    joined = {**both, "d": {"train": "t"}}
    assert [(one.question, one.submissions) for one in mistake_groups(joined, course)] == [
        ("step", ("a", "b", "c")),
        ("train", ("a", "c", "d")),
    ]


def test_two_mistakes_of_the_same_students_in_unrelated_questions_are_two_groups():
    pair = {name: {"step": "s", "other": "o"} for name in ("a", "b")}
    assert [one.question for one in mistake_groups(pair, spec(step=(), other=()))] == ["step", "other"]


# -- adopting ----------------------------------------------------------------------------------------------------------


def adopt(desk: Desk, group: str, *options: str) -> Any:
    return desk.redink("mistakes", "little", "--adopt", group, *options, boxes=False)


def test_an_adopted_mistake_gives_everybody_in_the_group_its_hint(wrong):
    done = adopt(wrong, group_of(wrong, "ada")["name"], "--name", "halves_the_spread")
    assert done.returncode == 0, done.stderr
    assert "write its hint in line" in done.stdout
    refused = wrong.redink("rejudge", "little", "--apply", boxes=False)
    assert refused.returncode == 1
    assert "halves_the_spread: a misconception needs a hint" in refused.stderr
    wrong.edit(wrong.solution / "misconceptions.py", 'hint=""', 'hint="How long is a column of spread 1?"')
    assert wrong.redink("build", "little").returncode == 0
    judged = wrong.redink("rejudge", "little", "--apply")
    assert judged.returncode == 0, judged.stderr
    (found,) = [one for one in mistakes(wrong)["known"] if one["misconception"] == "halves_the_spread"]
    assert found["students"] == ["ada", "ben", "cem"]
    assert not [one for one in mistakes(wrong)["unknown"] if "ada" in one["students"]]


def test_the_line_that_is_told_is_that_of_the_hint_and_no_student_is_named(wrong):
    done = adopt(wrong, group_of(wrong, "ada")["name"])
    line = int(done.stdout.split("write its hint in line ")[1].split(",")[0])
    lines = (wrong.solution / "misconceptions.py").read_text(encoding="utf-8").splitlines()
    assert lines[line - 1].strip().startswith('hint="",')
    assert "ada" not in "\n".join(lines)


def test_wrong_concept_answers_are_adopted_too(wrong):
    assert adopt(wrong, group_of(wrong, "fay")["name"], "--name", "means_rows").returncode == 0
    text = (wrong.solution / "misconceptions.py").read_text(encoding="utf-8")
    assert "old='mean_runs_over=\"examples\"'" in text
    assert "new='mean_runs_over=\"rows\"'" in text


def test_of_an_endless_notebook_nothing_is_adopted(wrong):
    cells = [Cell(index=1, source="a = 0\n" * 20_000), Cell(index=2, source="def scale(X):\n    return X")]
    group = UnknownGroup(name="g", question="scale", also=(), students=("ada",), checks=(), message="")
    with pytest.raises(CourseError, match="its code is longer than 100,000 characters, too long to be read"):
        _edits(read_assignment(Course(wrong.root), "little"), group, cells)


@pytest.mark.parametrize(
    ("group", "options", "told"),
    [
        ("nothing-12", (), "no group of unknown mistakes is called 'nothing-12' in little; there are: scale-"),
        ("scale", (), "2 groups begin with 'scale'"),
        ("ideas", ("--name", "Not a name"), "'Not a name' is no name for a misconception"),
        ("ideas", ("--name", "divides_by_the_variance"), "has a misconception divides_by_the_variance already"),
    ],
)
def test_what_cannot_be_adopted_is_told_and_nothing_is_written(wrong, group, options, told):
    before = (wrong.solution / "misconceptions.py").read_bytes()
    done = adopt(wrong, group, *options)
    assert done.returncode == 1
    assert told in done.stderr
    assert (wrong.solution / "misconceptions.py").read_bytes() == before


# -- code as an edit ---------------------------------------------------------------------------------------------------

MASTER = (
    Cell(index=1, source="import numpy as np\nRATE = 0.5"),
    Cell(index=2, source='def step(w, x):\n    """Move w."""\n    d = w @ x\n    return w + x * d'),
    Cell(index=3, source='words = {"a": None, "b": None}\nwords.update(a="left", b="right")'),
)


def edits(source: str, *others: str) -> list[tuple[str, str]]:
    cells = [Cell(index=place, source=one) for place, one in enumerate((*others, source), start=1)]
    return [tuple(one) for one in edits_of_definition(MASTER, cells, "step", {"step"})]


def test_an_edit_is_no_longer_than_what_differs():
    assert edits("def step(w, x):\n    d = w @ x\n    return w - x * d") == [("return w + x * d", "return w - x * d")]
    assert edits("def step(w, x):  # mine\n    d = w @ x\n    return w + x * d") == []


def test_imports_helpers_and_constants_that_it_needs_come_along():
    found = edits(
        "def step(w, x):\n    return w + EPS * twice(x)",
        "import math\nEPS = 1e-9\ndef twice(x):\n    return math.e * x",
    )
    assert found[0] == (
        "def step(w, x):",
        "import math\nEPS = 1e-09\ndef twice(x):\n    return math.e * x\n\n\ndef step(w, x):",
    )
    cells = [Cell(index=1, source="import math\n\ndef step(w, x):\n    return math.pi * w")]
    (one,) = in_few(list(edits_of_definition(MASTER, cells, "step", {"step"})), MASTER)
    assert one.new.startswith("import math\n\n\ndef step(w, x):")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("step = lambda w, x: w", "makes step without def or class"),
        ("x = 1", "it defines no step"),
        ("def step(w, x):\n    return w * table", "it uses table, which nothing in the notebook defines"),
        ("table = open('f').read()\ndef step(w, x):\n    return table", "it uses table, which its notebook works out"),
        ("RATE = 7\ndef step(w, x):\n    return RATE * w", "it has another RATE"),
        ("def step(w, x):\n" + "    w = w + x\n" * 200 + "    return w", "has 202 lines"),
        ("%time 3\ndef step(w, x):\n    return x", "is not Python alone"),
    ],
)
def test_code_that_cannot_be_an_edit_is_refused_in_one_sentence(source, told):
    with pytest.raises(CourseError, match=told):
        edits(source)


@pytest.mark.parametrize(
    "source",
    [
        'words = {"a": "up", "b": "right"}',
        'words = dict(a="up")',
        'words = {}\nwords["a"] = "up"',
        'words = {"a": None}\nwords.update(a="up")',
    ],
)
def test_a_concept_answer_is_read_however_it_is_written(source):
    cells = [Cell(index=1, source=source)]
    assert [tuple(one) for one in edits_of_answers(MASTER, cells, "words", {"a"})] == [('a="left"', 'a="up"')]


def test_a_concept_answer_that_is_computed_is_refused():
    with pytest.raises(CourseError, match="is not written down"):
        list(edits_of_answers(MASTER, [Cell(index=1, source='words = {"a": input()}')], "words", {"a"}))
