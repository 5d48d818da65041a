"""A check of weight 0 informs: it is told, it can draw a hint, and it costs nothing."""

from __future__ import annotations

import json

import pytest

from redink.student.card import Card
from redink.student.homework import Homework, Work

KEEPS = '''
import numpy as np

@check("centre", weight=0, trials=1)
def keeps_single_precision(rng):
    """Gives back the kind of numbers it was given."""
    return dict(X=rng.normal(size=(4, 3)).astype(np.float32))


@keeps_single_precision.when
def _(student, X):
    return str(student.centre(X).dtype)
'''
WIDENS = """

misconception(
    "widens",
    "centre",
    hint="What kind of numbers did you get?",
    old="return X - X.mean(axis=0)",
    new="return (X - X.mean(axis=0)).astype(float)",
)
"""


@pytest.fixture
def informing(tiny):
    """The tiny course with a check that informs."""
    for path, text in ((tiny.assignment / "checks.py", KEEPS), (tiny.solution / "misconceptions.py", WIDENS)):
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    done = tiny.redink("build", "tiny")
    assert done.returncode == 0, done.stderr
    return tiny


def test_verify_wants_its_misconception_caught_though_no_point_is_lost(informing):
    done = informing.redink("verify", "tiny", "--json", "found.json")
    (found,) = json.loads((informing.root / "found.json").read_bytes())
    assert found["broken"] == found["missing"] == [], done.stdout
    assert found["kills"]["widens"] == ["keeps_single_precision"]


def test_a_grade_tells_it_with_its_hint_and_full_marks(informing):
    cell = next(index for index, source in informing.sources().items() if "def centre" in source)
    informing.hand_in("wide", {cell: "def centre(X):\n    return (X - X.mean(axis=0)).astype(float)"})
    (question,) = informing.grade("class")["wide"]["questions"]
    told = {check["id"]: check for check in question["checks"]}
    assert question["score"] == question["max_score"] == 100
    assert told["keeps_single_precision"]["verdict"] == "failed"
    assert told["keeps_single_precision"]["max_score"] == 0
    assert question["hint"]["misconception"] == "widens"


def test_the_card_says_that_it_carries_no_points(informing):
    wide = Card(
        Homework(informing.assignment).report("centre", Work({"centre": lambda X: (X - X.mean(0)).astype(float)}))
    )
    assert wide.passed
    for shown in (repr(wide), wide._repr_html_()):
        assert "1 of 1 public checks pass" in shown
        assert "for your information only: it carries no points" in shown
        assert "What kind of numbers did you get?" in shown
    right = Card(Homework(informing.assignment).report("centre", Work({"centre": lambda X: X - X.mean(0)})))
    assert "for your information" not in repr(right)


def test_where_no_public_check_carries_points_the_card_counts_them_all(tiny):
    tiny.edit(tiny.assignment / "checks.py", '@check("centre"', '@check("centre", weight=0')
    wrong = Card(Homework(tiny.assignment).report("centre", Work({"centre": lambda X: X})))
    assert not wrong.passed
    assert "0 of 1 public checks pass" in repr(wrong)
    assert "for your information" not in repr(wrong)
