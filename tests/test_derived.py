"""Answers made from the reference's own: the form stays, and what must stay equal does."""

import numpy as np
import pytest

from redink.grader.author import derived
from redink.records import Observation
from redink.wire import TensorArray, decode, encode

NUMBERS = np.array([[0.1, -0.1, 3.0], [0.0, 1e-7, np.nan]])


def made(make, value, *more):
    """Derive one answer from one value."""
    (seen,) = make([Observation(status="returned", value=encode(value))], *more)
    assert seen.status == "returned"
    return decode(seen.value)


def test_noise_is_small_and_the_same_every_time():
    noisy = made(derived.noisy, NUMBERS)
    np.testing.assert_array_equal(noisy, made(derived.noisy, NUMBERS))
    np.testing.assert_allclose(noisy, NUMBERS, rtol=2e-12)
    assert (noisy != NUMBERS)[[0, 0, 1], [0, 1, 1]].all()


def test_noise_leaves_whole_numbers_and_equal_numbers_as_they_are():
    noisy = made(derived.noisy, NUMBERS)
    assert (noisy[0, 2], noisy[1, 0]) == (3.0, 0.0)
    assert noisy[0, 0] == -noisy[0, 1]
    assert made(derived.noisy, [0.3, [0.3], {"a": np.array(0.3)}])[0] == made(derived.noisy, 0.3)
    assert made(derived.noisy, [7, True, "seven", None, np.arange(3)])[:4] == [7, True, "seven", None]


def test_noise_moves_both_ways():
    values = np.random.default_rng(0).normal(size=1000)
    up = (np.abs(made(derived.noisy, values)) > np.abs(values)).mean()
    assert 0.4 < up < 0.6


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_noise_keeps_the_type_and_that_it_was_a_tensor(dtype):
    noisy = made(derived.noisy, NUMBERS.astype(dtype).view(TensorArray))
    assert (noisy.dtype, type(noisy)) == (dtype, TensorArray)
    assert (noisy != NUMBERS.astype(dtype)).sum() > 1


def test_float32_is_tried_where_it_is_allowed():
    single = made(derived.in_single, [NUMBERS, 0.1, np.arange(3)], "single")
    assert (single[0].dtype, single[2].dtype) == (np.float32, np.int64)
    assert single[1] == float(np.float32(0.1)) != 0.1
    assert made(derived.in_single, NUMBERS, "double").dtype == np.float64


def test_constants_have_the_form_of_the_answer_and_may_be_imaginary():
    value = {"w": NUMBERS.astype(np.float32), "n": 4, "b": [True, 0.5, "text"]}
    huge = made(derived.constant, value, 1e16)
    assert (huge["w"].dtype, huge["w"].max(), huge["n"], huge["b"]) == (
        np.float32,
        np.float32(1e16),
        10**16,
        [True, 1e16, ""],
    )
    imaginary = made(derived.constant, value, 1e12j)
    assert (imaginary["w"] == 1e12j).all()
    assert imaginary["n"] == 1e12j


def test_random_answers_are_huge_and_at_a_right_angle_to_inputs_of_their_shape():
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(3, 4)), rng.normal(size=(2, 2))
    inputs = {"x": x, "more": [w, "text"]}
    dx, dw, db = made(lambda seen: derived.scattered(seen, [inputs], 1e12), [x, w, np.ones(5)])
    for seen, given in ((dx, x), (dw, w)):
        assert np.linalg.norm(seen) > 1e11
        assert abs(np.sum(seen * given)) < 1e-9 * np.linalg.norm(seen) * np.linalg.norm(given)
    assert len(set(db)) == 5


EMPTY = {
    "an array": (np.ones((2, 3)), np.zeros((0, 3))),
    "a number": (1.5, []),
    "a table": ([[1, 2], [3, 4]], []),
    "several things": ([np.ones((2, 3)), 4, "x"], [np.zeros((0, 3)), 4, "x"]),
    "a dict": ({"w": np.ones(2), "n": 4}, {"w": np.zeros(0), "n": 4}),
    "what is empty already": (np.zeros((0, 3)), None),
    "only single numbers": ({"n": 4}, None),
}


@pytest.mark.parametrize("case", EMPTY)
def test_an_empty_answer_keeps_its_rank_and_whatever_is_no_array(case):
    value, wanted = EMPTY[case]
    assert encode(made(derived.empty, value)) == encode(wanted)


def test_a_stretched_answer_has_every_array_twice():
    assert made(derived.stretched, [[1, 2], [3, 4]]) == [[1, 2], [3, 4], [1, 2], [3, 4]]
    assert made(derived.stretched, {"w": np.ones((2, 3)), "n": 4})["w"].shape == (4, 3)
    assert made(derived.stretched, 0.5) == [0.5, 0.5]
    assert made(derived.stretched, np.zeros((0, 3))) is None
