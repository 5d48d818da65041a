"""What every notebook tells of its checks: numbers of hidden ones, how a trial is replayed, what extras are worth."""

from __future__ import annotations

import json
from typing import Any

import pytest

from redink.grader.assignment.assignment import read_assignment
from redink.grader.assignment.telling import extras_worth
from redink.grader.author.build import student_notebook
from redink.grader.course import Course


def check(desk: Any, code: int) -> list[str]:
    done = desk.redink("build", "--check")
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout.splitlines()


def first_prose(desk: Any) -> str:
    document = json.loads((desk.assignment / f"{desk.slug}.ipynb").read_bytes())
    return next("".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "markdown")


def hidden_in(desk: Any) -> list[str]:
    document = json.loads((desk.assignment / f"{desk.slug}.ipynb").read_bytes())
    return [source for cell in document["cells"] if (source := "".join(cell["source"])).startswith("check(")]


def test_the_number_of_hidden_checks_stands_beside_each_check_and_no_name_does(little):
    assert hidden_in(little) == [
        'check("centre")  # 1 hidden check follows when it is graded',
        'check("scale")  # 1 hidden check follows when it is graded',
        'check("ideas")  # 2 hidden checks follow when it is graded',
    ]
    published = json.loads((little.assignment / "published.json").read_bytes())
    assert published["hidden"] == {"centre": 1, "scale": 1, "ideas": 2}


def test_another_hidden_check_is_drift_and_one_without_weight_is_not(tiny):
    hidden = tiny.solution / "hidden_checks.py"
    more = '\n\n@check("centre"%s)\ndef once_more(rng):\n    """Means."""\n    return dict(X=rng.normal(size=(4, 2)))\n'
    before = hidden.read_text(encoding="utf-8")
    hidden.write_text(before + more % ", weight=0", encoding="utf-8")
    check(tiny, 0)
    hidden.write_text(before + more % "", encoding="utf-8")
    assert check(tiny, 1) == [
        "tiny: tiny.ipynb is not what the master gives now",
        "tiny: README.md is not what the master gives now",
        "tiny: published.json: the number of hidden checks of a question has changed",
    ]


def test_the_first_cell_explains_a_replay(tiny):
    assert 'check.replay("subtracts_the_mean_of_each_column", 0)' in first_prose(tiny)
    assert "What extra questions are worth" not in first_prose(tiny)  # it has none


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            "",
            "They are for practice: their 20 points are counted apart, and your grade is made of the 80 "
            "points of the other questions alone.",
        ),
        ("extras = true", "Their points come on top of the 80 of the core: at most 20."),
        ("extras = true\nextras_cap = 12.5", "Their points come on top of the 80 of the core: at most 12.5."),
    ],
)
def test_what_extras_are_worth_is_told_as_course_toml_says(little, rules, said):
    little.edit(little.assignment / "assignment.toml", 'title = "Ideas"', 'title = "Ideas"\ntier = "extra"')
    (little.root / "course.toml").write_text(f"[defaults]\n{rules}\n", encoding="utf-8")
    assignment = read_assignment(Course(little.root), "little")
    assert extras_worth(assignment) == f"**What extra questions are worth.** {said}"
    assert extras_worth(assignment) in json.loads(student_notebook(assignment))["cells"][0]["source"][-1]
