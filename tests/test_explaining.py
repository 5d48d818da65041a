"""Saying how a wrong answer relates to the right one: every relation is seen, and silence wherever two could be meant."""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from redink.checks import check
from redink.judging.answers import Answer
from redink.judging.diagnosing import Asked, Belief
from redink.judging.explaining import explain, find_hint
from redink.records import Hint
from redink.wire import Opaque

RNG = np.random.default_rng(0)
SIZES = [(4, 3), (7, 5), (6, 9)]
MATRICES = [RNG.normal(size=shape) for shape in SIZES]
VECTORS = [RNG.normal(size=size) for size in (5, 7, 8)]
POSITIVE = [np.abs(one) + 0.1 for one in MATRICES]
CUBES = [RNG.normal(size=shape) for shape in [(2, 4, 3), (3, 5, 4), (3, 6, 5)]]
SQUARES = [RNG.normal(size=(n, n)) for n in (4, 5, 6)]


@check("q", calls="f")
def direct():
    """Is right."""


@check("q", calls="g")
def of_another():
    """Is right too."""


@check("q", calls="f")
def with_a_then():
    """Has many right answers."""


@with_a_then.then
def _(seen):
    return False


def asked_of(wants, checked=direct, inputs=None):
    given = inputs or [{} for _ in wants]
    return [
        Asked(id=f"{checked.id}/p{n}", check=checked, inputs=one, expected=want)
        for n, (want, one) in enumerate(zip(wants, given, strict=True))
    ]


def returned(value):
    return Answer("returned", value)


def told(wants, gots, inputs=None, right=()) -> Hint | None:
    """What is said when all trials fail but those numbered in `right`."""
    asked = asked_of(wants, inputs=inputs)
    seen = {one.id: returned(got) for one, got in zip(asked, gots, strict=True)}
    return explain(asked, seen, [one.id for n, one in enumerate(asked) if n not in right])


def relation(wants, gots, **more):
    hint = told(wants, gots, **more)
    return None if hint is None else hint.relation


def changed(array, place, by=1.0):
    copy = array.copy()
    copy[place] += by
    return copy


# -- every relation is seen ------------------------------------------------------------------------------------------

SEEN = [
    ("opposite", MATRICES, lambda want: -want),
    ("twice", MATRICES, lambda want: 2 * want),
    ("half", MATRICES, lambda want: want / 2),
    ("factor", MATRICES, lambda want: 0.3 * want),
    ("base", MATRICES, lambda want: want / math.log(2)),
    ("one more", MATRICES, lambda want: want + 1),
    ("one less", MATRICES, lambda want: want - 1),
    ("offset", MATRICES, lambda want: want + 0.37),
    ("squared", MATRICES, lambda want: want**2),
    ("root", POSITIVE, np.sqrt),
    ("exponential", MATRICES, np.exp),
    ("logarithm", POSITIVE, np.log),
    ("inverse", MATRICES, lambda want: 1 / want),
    ("absolute", MATRICES, np.abs),
    ("clipped", MATRICES, lambda want: np.maximum(want, 0)),
    ("complement", MATRICES, lambda want: 1 - want),
    ("whole", MATRICES, np.trunc),
    ("decimals", MATRICES, lambda want: np.round(want, 2)),
    ("transposed", MATRICES, lambda want: want.T),
    ("axes", CUBES, lambda want: want.transpose(0, 2, 1)),
    ("sorted", VECTORS, np.sort),
    ("reversed numbers", VECTORS, lambda want: want[::-1]),
    ("reversed rows", MATRICES, lambda want: want[::-1]),
    ("reversed columns", MATRICES, lambda want: want[:, ::-1]),
    ("reversed axis two", CUBES, lambda want: want[:, ::-1]),
    ("permuted numbers", VECTORS, lambda want: want[[2, 0, 1, *range(3, len(want))]]),
    ("permuted rows", MATRICES, lambda want: want[[2, 0, 1, *range(3, len(want))]]),
    ("permuted columns", MATRICES, lambda want: want[:, [2, 0, 1, *range(3, want.shape[1])]]),
    ("one place too late, numbers", VECTORS, lambda want: np.r_[0.0, want[:-1]]),
    ("one place too early, numbers", VECTORS, lambda want: np.roll(want, -1)),
    ("lacks one at the end, number", VECTORS, lambda want: want[:-1]),
    ("lacks one at the beginning, column", MATRICES, lambda want: want[:, 1:]),
    ("exceeds one at the beginning, number", VECTORS, lambda want: np.r_[9.0, want]),
    ("lacks some at the end", VECTORS, lambda want: want[:3]),
    ("exceeds some at the end", VECTORS, lambda want: np.r_[want, 1.0, 2.0]),
    ("another shape", VECTORS, lambda want: want[:, None]),
    ("summed", MATRICES, lambda want: want.sum(axis=0)),
    ("averaged", MATRICES, lambda want: want.mean()),
    ("first row", MATRICES, lambda want: changed(want, 0)),
    ("last column", MATRICES, lambda want: changed(want, (slice(None), -1))),
    ("border", SQUARES, lambda want: np.where(np.pad(np.zeros(np.array(want.shape) - 2), 1, constant_values=1), 9, want)),
    ("diagonal", SQUARES, lambda want: want + np.diag(np.arange(1.0, len(want) + 1))),
    ("above the diagonal", SQUARES, lambda want: want + np.triu(np.ones_like(want), 1) * want.max()),
    ("below the diagonal", SQUARES, lambda want: np.triu(want)),
    ("where 0 is right", [np.maximum(one, 0) for one in SQUARES], lambda want: np.where(want == 0, -0.3, want)),
    ("nan", MATRICES, lambda want: want * np.nan),
    ("nan in places", MATRICES, lambda want: changed(want, 1, np.nan)),
    ("nan where 0 is right", [np.maximum(one, 0) for one in SQUARES], lambda want: np.where(want == 0, np.nan, want)),
    ("infinite", [1.0, 2.0], lambda want: math.inf),
    ("infinite in places", MATRICES, lambda want: changed(want, 1, np.inf)),
    ("values in another order", [[one, one @ one.T] for one in MATRICES], lambda want: want[::-1]),
    ("later values", [[one, one] for one in VECTORS], lambda want: [want[0], want[0] ** 3 + 1]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "wants", "wrong"), SEEN, ids=[name for name, *_ in SEEN])
def test_each_relation_is_seen_and_said_in_a_sentence(name, wants, wrong):
    hint = told(wants, [wrong(want) for want in wants])
    assert hint is not None
    assert (hint.relation, hint.misconception) == (name, "")
    assert hint.text[0].isupper()
    assert hint.text[-1] in "?."
    assert not re.search(r"[{}]|[2-9]|\d\d", hint.text)


@pytest.mark.parametrize(
    ("named", "factor"),
    [
        ("times the number of rows of `X`", lambda X: len(X)),
        ("divided by the number of rows of `X`", lambda X: 1 / len(X)),
        ("times the number of columns of `X`", lambda X: X.shape[1]),
        ("divided by the square root of the number of columns of `X`", lambda X: X.shape[1] ** -0.5),
        ("one less than the number of rows of `X`", lambda X: len(X) / (len(X) - 1)),
        ("times the number of entries of `X`", lambda X: X.size),
    ],
)
def test_a_factor_is_named_by_the_size_that_it_is_on_every_trial(named, factor):
    inputs = [{"X": one} for one in MATRICES]
    wants = [float(one.std()) for one in MATRICES]
    gots = [want * factor(one) for want, one in zip(wants, MATRICES, strict=True)]
    assert relation(wants, gots, inputs=inputs) == named


def test_a_factor_that_is_a_number_among_the_inputs_is_named_by_it():
    inputs = [{"heads": n} for n in (3, 4, 8)]
    wants = [1.5, 2.7, 3.1]
    assert (
        relation(wants, [w * i["heads"] for w, i in zip(wants, inputs, strict=True)], inputs=inputs) == "times `heads`"
    )


def test_a_size_of_two_is_a_size_like_others():
    inputs = [{"X": np.ones((rows, 5))} for rows in (2, 3, 2)]
    gots = [want / rows for want, rows in zip(MATRICES, (2, 3, 2), strict=True)]
    assert relation(MATRICES, gots, inputs=inputs) == "divided by the number of rows of `X`"
    assert relation(MATRICES, [want / 2 for want in MATRICES], inputs=inputs[:1] * 3) == "half"


def test_a_mask_that_is_transposed_is_seen():
    masks = [np.tril(np.ones((n, n), dtype=bool)) for n in (5, 6)]
    assert relation(masks, [one.T for one in masks]) == "transposed"


def test_what_is_not_averaged_is_seen():
    wants = [float(one.mean()) for one in VECTORS]
    assert relation(wants, VECTORS) == "not averaged"


def test_right_for_one_example_and_wrong_for_several():
    rows = [1, 1, 3, 4, 5]
    inputs = [{"X": RNG.normal(size=(n, 3))} for n in rows]
    wants = [one["X"] @ np.ones(3) for one in inputs]
    gots = [want if len(want) == 1 else RNG.normal(size=len(want)) for want in wants]
    assert relation(wants, gots, inputs=inputs, right=(0, 1)) == "several examples"
    assert relation(wants[1:], gots[1:], inputs=inputs[1:], right=(0,)) is None  # the first trial is tiny anyway


# -- which part, which function, which trials --------------------------------------------------------------------------


def test_the_part_that_is_wrong_is_named_by_its_place_or_its_key():
    pairs = [[float(one.sum()), one] for one in MATRICES]
    hint = told(pairs, [[first, 2 * second] for first, second in pairs])
    assert hint.text.startswith("The second value is twice the right one")
    dicts = [{"loss": one.sum(), "slope": one} for one in MATRICES]
    hint = told(dicts, [{**one, "slope": -one["slope"]} for one in dicts])
    assert hint.text.startswith("The value under `slope` is the right one with the opposite sign")


def test_checks_that_return_several_values_agree_wherever_theirs_is_wrong():
    @check("q", calls="f")
    def of_another_form():
        """Is right with a value before it."""

    @of_another_form.when
    def _(student, x):
        return 1.0, student.f(x)

    asked = asked_of(MATRICES) + asked_of([[1.0, want] for want in MATRICES], of_another_form)
    twice = {one.id: [1.0, 2 * one.expected[1]] if one.check is of_another_form else 2 * one.expected for one in asked}
    hint = explain(asked, {id: returned(value) for id, value in twice.items()}, list(twice))
    assert hint is not None and hint.relation == "twice"
    twice |= {one.id: [1.0, -one.expected[1]] for one in asked if one.check is of_another_form}
    assert explain(asked, {id: returned(value) for id, value in twice.items()}, list(twice)) is None


def test_where_some_values_are_right_and_several_wrong_the_sentence_says_so():
    wants = [[1.5, first, second] for first, second in zip(MATRICES, VECTORS, strict=True)]
    gots = [[loss, 2 * first, 2 * second] for loss, first, second in wants]
    assert told(wants, gots).text.startswith("Where it is wrong, your answer is twice the right one")


def test_keys_that_may_come_from_the_inputs_are_not_told():
    dicts = [{f"token {n}": one, "b": one[0]} for n, one in enumerate(MATRICES)]
    assert told(dicts, [{key: 2 * value for key, value in one.items()} for one in dicts]) is None


def test_the_function_is_named_where_a_question_has_several():
    asked = [*asked_of(MATRICES), *asked_of(VECTORS, of_another)]
    seen = {one.id: returned(2 * one.expected if one.check is direct else one.expected) for one in asked}
    hint = explain(asked, seen, [one.id for one in asked if one.check is direct])
    assert hint.text.startswith("In `f`, your answer is twice")


def test_two_functions_that_are_wrong_in_two_ways_draw_no_hint():
    asked = [*asked_of(MATRICES), *asked_of(VECTORS, of_another)]
    seen = {one.id: returned(2 * one.expected if one.check is direct else -one.expected) for one in asked}
    assert explain(asked, seen, list(seen)) is None


def test_where_other_trials_are_right_the_sentence_says_so():
    gots = [MATRICES[0], 2 * MATRICES[1], 2 * MATRICES[2]]
    assert told(MATRICES, gots, right=(0,)).text.startswith("Where it is wrong, your answer is twice")


# -- silence -----------------------------------------------------------------------------------------------------------

EVEN = np.array([[1.0, 2.0, 3.0], [2.0, 5.0, 6.0], [3.0, 6.0, 9.0]])
TURNED = np.array([[1.5, 2.5, 3.5], [4.5, 6.5, 4.5], [3.5, 2.5, 1.5]])  # the same upside down

SILENT = [
    ("a number in a single trial", [3.5], [7.0]),
    ("two whole numbers", [2, 3], [4, 6]),
    ("the same number again and again", [3.5, 3.5, 3.5], [7.0, 7.0, 7.0]),
    ("a constant array", [np.full(6, 2.0)], [np.full(6, 4.0)]),
    ("a constant answer", VECTORS, [np.zeros(one.shape) for one in VECTORS]),
    ("another relation in each trial", MATRICES, [2 * MATRICES[0], MATRICES[1] + 1, -MATRICES[2]]),
    ("another factor in each trial", VECTORS, [2.3 * VECTORS[0], 3.1 * VECTORS[1], 4.7 * VECTORS[2]]),
    ("reversed and sorted", [np.sort(one) for one in VECTORS], [np.sort(one)[::-1] for one in VECTORS]),
    ("rows and columns reversed: which?", [TURNED], [TURNED[::-1]]),
    ("twice or squared", [np.array([2.0, 0.0, 2.0, 0.0])], [np.array([4.0, 0.0, 4.0, 0.0])]),
    ("a symmetric matrix, transposed and off by something", [EVEN], [EVEN.T + np.eye(3)]),
    ("one entry of five, in one trial", [VECTORS[0]], [changed(VECTORS[0], 0)]),
    ("wrong labels, as many of each", [np.array([0, 1, 0, 1, 1])], [np.array([1, 0, 1, 1, 0])]),
    ("another order of places", [np.array([3, 1, 0, 2])], [np.array([0, 2, 3, 1])]),
    ("opposite truths, one by one", [True, False, True], [False, True, False]),
    ("nothing simple", MATRICES, [np.sin(one) for one in MATRICES]),
    ("one trial that does not fit", MATRICES, [2 * MATRICES[0], 2 * MATRICES[1], 2.001 * MATRICES[2]]),
]


@pytest.mark.parametrize(("wants", "gots"), [case[1:] for case in SILENT], ids=[case[0] for case in SILENT])
def test_what_may_be_an_accident_or_two_things_draws_no_hint(wants, gots):
    assert told(wants, gots) is None


def test_a_symmetric_matrix_is_not_taken_for_transposed():
    nearly = EVEN + 0.0
    nearly[0, 2] += 1.0
    assert relation([nearly], [nearly.T]) is None  # two entries differ: too few to tell


def test_small_numbers_beside_a_large_one_are_compared_too():
    want = [np.array([0.0042, 0.05, 8000.0]), np.array([0.0099, 0.024, 27000.0])]
    assert told(want, [np.array([0.0001, 0.002, 8000.0]), np.array([0.00006, 0.0006, 27000.0])]) is None


def test_an_input_handed_back_draws_no_hint():
    inputs = [{"X": one} for one in MATRICES]
    assert told([2 * one for one in MATRICES], MATRICES, inputs=inputs) is None
    assert (
        told([[2 * one, 2 * one[:1]] for one in MATRICES], [[one, one[:1]] for one in MATRICES], inputs=inputs) is None
    )


def test_slopes_of_zero_and_one_are_not_taken_for_rounded_ones():
    slopes = [np.where(one > 0, 1.0, leak) for one, leak in zip(MATRICES, (0.1, 0.2, 0.3), strict=True)]
    assert relation(slopes, [np.floor(one) for one in slopes]) is None


def test_an_input_that_was_changed_in_place_is_another_explanation():
    asked = asked_of(MATRICES)
    seen = {one.id: Answer("returned", 2 * one.expected, modified=("X",)) for one in asked}
    assert explain(asked, seen, list(seen)) is None


def test_a_check_that_never_looks_at_the_expected_value_says_nothing():
    asked = asked_of(MATRICES, with_a_then)
    seen = {one.id: returned(2 * one.expected) for one in asked}
    assert explain(asked, seen, list(seen)) is None


def test_an_error_among_the_trials_contradicts_and_silence_does_not():
    asked = asked_of(MATRICES)
    seen = {one.id: returned(2 * one.expected) for one in asked}
    unwritten = Answer("raised", None, "NotImplementedError: yours")
    assert explain(asked, seen | {"direct/p0": unwritten}, list(seen)).relation == "twice"
    assert explain(asked, seen | {"direct/p0": Answer("raised", None, "ValueError: x")}, list(seen)) is None


def test_misconceptions_come_first_and_a_question_that_rests_on_a_wrong_one_is_not_explained():
    asked = asked_of(MATRICES)
    seen = {one.id: returned(2 * one.expected) for one in asked}
    belief = Belief("doubles", "q", "Why two?", seen)
    assert find_hint(asked, seen, list(seen), [belief]) == Hint(misconception="doubles", text="Why two?")
    assert find_hint(asked, seen, list(seen), []).relation == "twice"
    assert find_hint(asked, seen, list(seen), [], sound=False) is None


# -- whatever comes ----------------------------------------------------------------------------------------------------

NUMBERS = hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, max_side=6), elements=st.floats(-1e6, 1e6))


@settings(max_examples=60, deadline=None)
@given(NUMBERS, st.integers(0, 2**32))
def test_an_answer_within_tolerance_draws_none(want, seed):
    noise = np.random.default_rng(seed).uniform(-1, 1, size=want.shape)
    near = want + 1e-9 * np.abs(want).max(initial=0.0) * noise
    assert told([want, want], [near, near]) is None


@settings(max_examples=60, deadline=None)
@given(NUMBERS, st.sampled_from([-1.0, 2.0, 0.5]))
def test_whatever_is_said_of_a_factor_names_no_other_one(want, factor):
    found = relation([want], [factor * want])
    assert found in (None, {-1.0: "opposite", 2.0: "twice", 0.5: "half"}[factor])


HOSTILE: list[Any] = [
    None, True, "text", 10**400, math.nan, math.inf, [], {}, [[1.0], [1.0, 2.0]], [10**400, 1], {"a": [1, "b"]},
    Opaque("Model"), np.array([]), np.zeros((0, 3)), np.full((4, 3), np.nan), np.full((4, 3), 1e308),
    np.zeros((4, 3, 2, 2, 2)),
    np.array([[1 + 2j] * 3] * 4), np.zeros((4, 3), dtype=bool), [[None] * 3] * 4, np.zeros(100_000), [0.0] * 200_000,
]  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "want", [MATRICES[0], 2.5, [1.0, 2.0], [MATRICES[0], 3], {"a": 1.5, "b": MATRICES[0]}, "word", None]
)
def test_hostile_answers_raise_nothing_and_draw_nothing_untrue(want, value):
    hint = told([want, want], [value, value])
    assert hint is None or hint.relation in {"nan", "infinite"}


def test_a_sentence_holds_nothing_that_the_student_chose():
    dicts = [{"loss": one.sum(), "slope": one} for one in MATRICES]
    chosen = [{**one, "slope": 0.4242 * one["slope"]} for one in dicts]
    assert "4242" not in told(dicts, chosen).text
    assert told(dicts, [{"I am in": 1.0, **one} for one in chosen]) is None


def test_hints_of_older_results_are_still_read():
    old = msgspec.json.decode(b'{"misconception": "adds_one", "text": "Not one."}', type=Hint)
    assert (old.misconception, old.relation, old.name) == ("adds_one", "", "adds_one")
    assert Hint(text="…", relation="twice").name == "unknown (twice)"
