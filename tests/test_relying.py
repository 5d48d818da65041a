"""An earlier error excuses an answer that follows from it, but no empty function and nothing that was forbidden."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from redink.judging.relying import directly_used, fits_its_checks, is_guessable, is_trivial, relies_on, shares_code
from tests.conftest import CENTRE, SCALE, Desk

TRIVIAL = [
    0.0,
    [],
    None,
    np.zeros((2, 3)),
    [np.zeros(3), [], False],
    {"w": np.ones(2), "n": 1},
    [[np.inf], np.inf],
    [np.full(2, np.nan), np.nan],
]
TELLING = [[0.0, 1.0], np.arange(3), [np.zeros(2), [3], True], {"w": np.zeros(2), "n": 5}, ["a", "b"]]


@pytest.mark.parametrize("value", TRIVIAL, ids=str)
def test_a_value_of_one_number_could_be_a_constant(value):
    assert is_trivial(value)


@pytest.mark.parametrize("value", TELLING, ids=str)
def test_a_value_of_several_numbers_tells_something(value):
    assert not is_trivial(value)


@pytest.mark.parametrize(
    ("passed", "calls", "agreed", "fits"),
    [
        ([True, True], 9, 9, True),
        ([True, True], 9, 8, False),  # right in all its checks, so right in all calls
        ([True, True], 0, 0, True),
        ([True, True, False], 9, 5, True),
        ([True, True, False], 9, 4, False),  # right in most checks, wrong in most calls
        ([True, False], 9, 0, True),
        ([False, False], 9, 9, True),
    ],
)
def test_a_borrowed_function_must_be_about_as_right_as_its_checks_say(passed, calls, agreed, fits):
    assert fits_its_checks(passed, calls, agreed) is fits


@pytest.mark.parametrize("values", [[], [None], [0.0, np.zeros(3)], [np.nan, np.full(2, np.nan)], [17], [True], ["a"]])
def test_one_whole_number_throughout_could_be_a_guess(values):
    assert is_guessable(values)


@pytest.mark.parametrize("values", [[0.25], [0.0, 1.0], [np.full(3, 1.5)], [np.nan, 0.0]])
def test_what_must_have_been_computed_is_no_guess(values):
    assert not is_guessable(values)


STEP = "def step(w, x):\n    return w + x"
USES = {
    "directly": "def train(X):\n    return step(X, X)",
    "by a helper": "def helper(X):\n    return step(X, X)\ndef train(X):\n    return helper(X)",
    "by another name": "move = step\ndef train(X):\n    return move(X, X)",
    "in a class": "class Net:\n    def run(self, X):\n        return step(X, X)\ndef train(X):\n    return Net().run(X)",
    "decorated": "def train(X):\n    return step(X, X)\ntrain = cached(train)",
    "in two cells": "def train(X):\n    return loop(X)\n# %%\ndef loop(X):\n    return step(X, X)",
}
DOES_NOT = {
    "a constant": "def train(X):\n    return 0",
    "its own copy": "def train(X):\n    step = lambda w, x: w\n    return step(X, X)",
    "elsewhere": "def other(X):\n    return step(X, X)\ndef train(X):\n    return 0",
    "overwritten": "def train(X):\n    return step(X, X)\ndef train(X):\n    return 0",
    "not at all": "x = step(1, 2)",
}


@pytest.mark.parametrize("source", USES.values(), ids=USES)
def test_a_function_that_uses_the_other_relies_on_it(source):
    assert relies_on([STEP, *source.split("# %%")], ["train"], ["step"])


@pytest.mark.parametrize("source", DOES_NOT.values(), ids=DOES_NOT)
def test_a_function_that_does_not_use_the_other_does_not_rely_on_it(source):
    assert not relies_on([STEP, source], ["train"], ["step"])


@pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")
def test_neither_a_constant_nor_a_ban_is_excused_by_an_earlier_error(little: Desk):
    """With a `centre` that gives only zeros the right `scale` gives only zeros, and so does one that nobody wrote."""
    bank = little.solution / "misconceptions.py"
    zeros = 'misconception("gives_zeros", "centre", hint="Subtract only the mean.", old="X - X.mean(axis=0)", new="X * 0.0")'
    bank.write_text(bank.read_text(encoding="utf-8") + f"\n{zeros}\n", encoding="utf-8")
    little.edit(little.solution / "little.py", "np.sqrt((centred * centred).mean(axis=0))", "(X.std(axis=0) + 1e-300)")
    text = bank.read_text(encoding="utf-8").replace(
        "np.sqrt((centred * centred).mean(axis=0))", "(X.std(axis=0) + 1e-300)"
    )
    bank.write_text(text.replace("(centred * centred).mean(axis=0)", "X.var(axis=0)"), encoding="utf-8")
    toml = little.assignment / "assignment.toml"
    little.edit(toml, 'asks = ["scale"]\n', 'asks = ["scale"]\nforbids = ["numpy.var"]\n')
    wrong, right = (
        "def centre(X):\n    return X * 0.0",
        "def scale(X):\n    return centre(X) / (X.std(axis=0) + 1e-300)",
    )
    little.hand_in("honest", {CENTRE: wrong, SCALE: right})
    little.hand_in("empty", {CENTRE: wrong, SCALE: "def scale(X):\n    return X * 0.0"})
    little.hand_in("banned", {CENTRE: wrong, SCALE: right.replace("X.std", "np.var(X) and X.std")})
    graded = little.grade("class")
    found = {name: one["questions"][1]["score"] for name, one in graded.items()}
    assert found == {"honest": 40.0, "empty": 0.0, "banned": 0.0}
    notes = {note for check in graded["honest"]["questions"][1]["checks"] for note in check["notes"]}
    assert "an empty function might have answered so too: a person should look" in notes


# -- code that is shared otherwise than the reference shares it --------------------------------------------------------

EARLIER = "def augment(X):\n    return np.c_[X, 1]\n\ndef scores(X, w):\n    return augment(X) @ w"


@pytest.mark.parametrize(
    ("late", "shared"),
    [
        ("def margin(X, w):\n    return scores(X, w).min()", False),  # as the reference does: that can be tried
        ("def margin(X, w):\n    return (augment(X) @ w).min()", True),  # by another function of that question
        ("def helper(X, w):\n    return augment(X) @ w\ndef margin(X, w):\n    return helper(X, w).min()", True),
        ("def margin(X, w):\n    return (np.c_[X, 1] @ w).min()", False),  # by code of its own
        ("import numpy as np\nLIMIT = 3\ndef margin(X, w):\n    return np.min(X) * LIMIT", False),
    ],
)
def test_code_that_borrowing_cannot_try_is_found(late, shared):
    assert shares_code([EARLIER, late], ["margin"], ["augment", "scores"], {"scores"}) == shared


def test_a_helper_of_both_is_shared():
    both = [
        "def length(u):\n    return u @ u",
        "def step(u):\n    return length(u)",
        "def late(u): return length(u) + step(u)",
    ]
    assert shares_code(both, ["late"], ["step"], {"step"})
    assert directly_used(both, ["late"], ["step"]) == {"step"}


def test_what_a_used_function_uses_itself_is_not_used_directly():
    late = "def margin(X, w):\n    return scores(X, w).min()"
    assert directly_used([EARLIER, late], ["margin"], ["augment", "scores"]) == {"scores"}
