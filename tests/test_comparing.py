"""When two answers are the same: no right answer fails for its form, no wrong one passes for its form."""

import math
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from redink.checks.comparing import NOT_PLAIN, difference, notes
from redink.checks.describing import describe, readable
from redink.wire import Opaque, Table, TensorArray, TupleList, decode, encode

NAN, INF = math.nan, math.inf
F32, F16, U8, U64, I64 = np.float32, np.float16, np.uint8, np.uint64, np.int64


def array(values, dtype=None):
    return np.array(values, dtype=dtype)


ACCEPTED = {
    "the same number": (1.5, 1.5),
    "a number within tolerance": (1.0 + 5e-9, 1.0),
    "what rounding leaves of 0": (1e-13, 0.0),
    "minus nothing": (-0.0, 0.0),
    "minus nothing in an array": (array([-0.0]), array([0.0])),
    "a whole float for an integer": (3.0, 3),
    "a float that misses an integer by its rounding": (np.exp(5 * np.log(3)), 243),
    "what rounding leaves of integers": (array([1e-16, 1.0]), array([0, 1])),
    "whole floats for integers": (array([1.0, 2.0]), array([1, 2])),
    "a whole float32 for integers": (array([1, 2], F32), array([1, 2])),
    "an integer for a float": (3, 3.0),
    "a 0-d array for a number": (array(2.5), 2.5),
    "a number for a 0-d array": (2.5, array(2.5)),
    "a list for an array": ([1.0, 2.0], array([1.0, 2.0])),
    "rows for a matrix": ([[1, 2], [3, 4]], array([[1.0, 2.0], [3.0, 4.0]])),
    "arrays in a list for a matrix": ([array([1, 2]), array([3, 4])], array([[1, 2], [3, 4]])),
    "an array for a list": (array([1.0, 2.0]), [1.0, 2.0]),
    "a small integer type for integers": (array([200, 1], U8), array([200, 1])),
    "float32": (array([0.1, 0.2], F32), array([0.1, 0.2])),
    "one float32 among others in a list": ([array(0.1, F32), 3.0], array([0.1, 3.0])),
    "float16": (array([0.1, 0.2], F16), array([0.1, 0.2])),
    "float32 expected, float64 seen": (array([0.1]), array([0.1], F32)),
    "complex numbers": (array([1 + 2j]), array([1 + 2j])),
    "a complex number without an imaginary part": (array(2 + 0j), 2.0),
    "0 and 1 for booleans": (array([0, 1]), array([False, True])),
    "whole floats for booleans": (array([1.0, 0.0]), array([True, False])),
    "NaN where it is expected": (array([NAN, 1.0]), array([NAN, 1.0])),
    "infinity where it is expected": (array([INF, -INF, 1.0]), array([INF, -INF, 1.0])),
    "small beside large": (array([1e6, 0.0]), array([1e6, 1e-3])),
    "texts": ("update", "update"),
    "None": (None, None),
    "empty arrays": (array([]), array([], I64)),
    "an empty list for no booleans": ([], array([], bool)),
    "a dict": ({"w": [1.0], "b": array(0)}, {"w": array([1.0]), "b": 0}),
    "integers as keys": ({1: 2.0, (0, 1): 3}, {1: 2.0, (0, 1): 3}),
    "what was returned where nothing was raised": ({"returns": array(3, I64)}, {"returns": 3}),
    "a whole float that was returned": ([{"returns": 3750.0}], [{"returns": 3750}]),
    "an object that cannot cross": ({"returns": Opaque("Account")}, {"returns": Opaque("Account")}),
    "several things": ([array([1.0, 2.0]), True, "x"], [array([1.0, 2.0]), True, "x"]),
    "arrays of different shapes": ([np.ones(3), np.ones((2, 2))], [np.ones(3), np.ones((2, 2))]),
    "a count beside a measure": ([3.0, 0.1], [3, 0.1]),
    "a stacked array for a list of arrays": (np.ones((2, 3)), [np.ones(3), np.ones(3)]),
    "ragged rows where they are expected": ([[1, 2], [3]], [[1, 2], [3]]),
    "an integer beyond 64 bits": (2**80, 2**80),
    "a whole float beyond 64 bits": (float(2**80), 2**80),
    "large integers of other types": (array(2**63, U64), 2**63),
    "long doubles": (np.longdouble([0.1, 0.2]), array([0.1, 0.2])),
    "an array of objects": (array([0.1, 0.2], object), array([0.1, 0.2])),
    "what numpy computes": ((np.int64(3), np.float32(0.5)), [3, 0.5]),
}
REFUSED = {
    "an error that was asked for": (
        {"returns": [1, 2]}, {"raises": "ValueError"}, "the call raises a ValueError, but it returns a list of 2",
    ),
    "an error for an answer": (
        [{"raises": "KeyError"}], [{"returns": 3}], "in result[0]: expected that the call returns a number, but it raises",
    ),
    "another answer where none was raised": ({"returns": 4}, {"returns": 3}, 'in result["returns"]: expected 3, got 4'),
    "an object of another type": ({"returns": Opaque("Loan")}, {"returns": Opaque("Account")}, "object of type Account"),
    "an answer for an object": ({"returns": 3}, {"returns": Opaque("Account")}, "got a number"),
    "a number beyond tolerance": (1.0 + 5e-8, 1.0, "expected 1.0, got 1.00000005"),
    "another number": (2.0, 1.0, "expected 1, got 2"),
    "not quite nothing": (1e-11, 0.0, "expected 0, got 1e-11"),
    "a part for a large integer": (1e12 + 0.002, 10**12, "expected 1000000000000"),
    "a part for 0": (1e-9, 0, "expected 0, got 1e-09"),
    "a part for an integer": (3.0000001, 3, "expected 3, got 3.0000001"),
    "a column for a vector": (np.ones((5, 1)), np.ones(5), "expected shape (5,), got (5, 1)"),
    "a row for a vector": (np.ones((1, 5)), np.ones(5), "expected shape (5,), got (1, 5)"),
    "a number for an array": (1.0, np.ones(3), "expected shape (3,), got a single number"),
    "a list for a number": ([1.0], 1.0, "expected a number, got a list of 1"),
    "an array for a number": (np.ones(1), 1.0, "expected a number, got an array of shape (1,)"),
    "empty arrays of other shapes": (np.ones(0), np.ones((0, 3)), "expected shape (0, 3), got (0,)"),
    "nothing for something": ([], array([1.0]), "expected shape (1,), got (0,)"),
    "NaN": (NAN, 1.0, "got NaN"),
    "NaN among numbers": (array([NAN, 1.0]), array([1.0, 1.0]), "1 of 2 numbers are NaN"),
    "NaN for an integer": (NAN, 1, "got NaN"),
    "NaN for infinity": (NAN, INF, "got NaN"),
    "NaN for nothing": (NAN, 0.0, "got NaN"),
    "a number for NaN": (1.0, NAN, "expected nan, got 1"),
    "infinity": (INF, 1.0, "expected 1, got inf"),
    "the other infinity": (-INF, INF, "expected inf, got -inf"),
    "infinity beside a huge number": (array([INF]), array([1.7e308]), "got inf"),
    "minus a huge number": (-1.7e308, 1.7e308, "expected 1.7e+308, got -1.7e+308"),
    "no complex number for a huge one": (0j, array(1.5e308 + 1.5e308j), "expected (1.5e+308+1.5e+308j), got 0j"),
    "another imaginary part": (array([1 + 3j]), array([1 + 2j]), "expected (1+2j), got (1+3j)"),
    "an imaginary part of its own": (array(1 + 1e-3j), 1.0, "expected 1, got"),
    "a complex number for an integer": (array(1 + 0j), 1, "expected an integer, got a complex number"),
    "the smallest integer for 0": (array(-(2**63)), 0, "expected 0, got -9223372036854775808"),
    "an integer that overflows to equality": (array([2**63 - 1]), array([-1]), "expected -1, got 9223372036854775807"),
    "the smallest byte for 0": (array([-128], np.int8), array([0], np.int8), "expected 0, got -128"),
    "bytes that underflow": (array([3], U8), array([5], U8), "expected 5, got 3"),
    "bytes that wrap": (array([255], U8), array([-1]), "expected -1, got 255"),
    "an integer that a float cannot tell apart": (array(2**53 + 1, U64), array(2**53), "got 9007199254740993"),
    "a float that hides the last digit": (float(2**53), 2**53 + 1, "expected 9007199254740993"),
    "a huge unsigned integer for a negative one": (array(2**63, U64), array(-(2**63)), "expected -9223372036854775808"),
    "a huge integer": (2**70, 5, "expected 5, got 1180591620717411303424"),
    "a huge integer for a number": (2**70, 5.0, "expected 5, got 1.18059e+21"),
    "an integer that no float can hold": (10**400, 5.0, "got one that no float can hold"),
    "a list with such an integer": ([10**400, 1.5], array([1.0, 1.5]), "got one that no float can hold"),
    "another huge integer": (2**80 + 1, 2**80, "expected 1208925819614629174706176"),
    "a boolean for an integer": (True, 1, "expected an integer, got a boolean"),
    "booleans for integers": (array([True]), array([1]), "expected integers, got booleans"),
    "a boolean among integers": ([1, True], array([1, 1]), "expected integers, got booleans"),
    "a boolean for a number": (True, 1.0, "expected a number, got a boolean"),
    "booleans for numbers": (array([True, False]), array([1.0, 0.0]), "expected numbers, got booleans"),
    "2 for True": (2, True, "expected True or False, got 2"),
    "0.5 for True": (0.5, True, "expected True or False, got 0.5"),
    "NaN for True": (array([NAN, 1.0]), array([True, True]), "expected True or False everywhere"),
    "False for True": (False, True, "expected True, got False"),
    "wrong booleans": (array([True, True]), array([True, False]), "1 of 2 booleans are wrong"),
    "a string that looks like a number": ("3", 3, "expected a number, got a string"),
    "texts that look like numbers": (["1", "2"], array([1, 2]), "expected an array of shape (2,), got a list of 2"),
    "a number for a string": (3, "3", "expected a string, got a number"),
    "another text": ("skip", "update", "expected 'update', got 'skip'"),
    "None for a number": (None, 1.0, "expected a number, got None"),
    "a number for None": (0, None, "expected None, got a number"),
    "ragged rows": ([[1, 2], [3]], np.ones((2, 2)), "got rows of different lengths"),
    "an array for ragged rows": (np.ones((3, 2)), [[[1, 2], 3], 4, 5], "expected 3 values"),
    "a dict for an array": ({0: 1.0}, array([1.0]), "expected an array of shape (1,), got a dict with keys 0"),
    "an array for a dict": (array([1.0]), {0: 1.0}, "expected a dict, got an array of shape (1,)"),
    "a missing key": ({}, {"w": 1}, "the key w is missing"),
    "a key too many": ({"w": 1, "v": 2}, {"w": 1}, "the key v is not expected"),
    "a string as a key for a number": ({"1": 1}, {1: 1}, "the key 1 is missing"),
    "a wrong value in a dict": ({"w": [1.0, 3.0]}, {"w": array([1.0, 2.0])}, 'in result["w"]: 1 of 2 numbers differ'),
    "a wrong value in a list": ([np.ones(2), False], [np.ones(2), True], "in result[1]: expected True, got False"),
    "too few values": ([np.ones(2)], [np.ones(2), True], "expected 2 values, got 1; the first one agrees"),
    "an array is one value": (np.ones(2), [np.ones(2), True], "a boolean), got one: an array of shape (2,)"),
    "too few entries": ([3, 4, 5], [3, 4, 5, 6], "expected 4 entries, got 3; the first 3 agree"),
    "too many entries": (np.arange(9.0), array([0.0, 1.0]), "expected 2 entries, got 9; the first 2 agree"),
    "other entries, and too few": ([3, 4, 6], [3, 4, 5, 6], "expected 4 entries, got 3; [2] is the first that differs"),
    "too few words": (["a", "b"], ["a", "c", "d"], "expected 3 values, got 2; [1] is the first that differs"),
    "three values for one": ([1, 2, 3], ["[UNK]"], "expected 1 value, got 3"),
    "one value of two": (np.float64(1), [np.ones(2), True], "expected 2 values, got a number"),
    "a measure that hides behind a count": ([10**6, 0.009], [10**6, 0.001], "in result[1]: expected 0.001, got 0.009"),
    "a masked array": (np.ma.masked_array([1.0], mask=[True]), array([1.0]), "got a masked array, which is not accepted"),
    "an integer that cannot be written": (10**5000 + 1, 10**5000, "an integer of about 5000 digits"),
    "a key that rewrites the screen": ({"\x1b[2J": 1, "w": 1}, {"w": 1}, "the key [2J is not expected"),
    "a huge key": ({(1, (2, 3), *range(9)): 1, "w": 1}, {"w": 1}, "the key (1, (…), 0, 1, …) is not expected"),
    "an object": (Opaque("Model"), 1.0, "expected a number, got an object of type Model"),
    "an object for an object": (Opaque("Model"), Opaque("Model"), NOT_PLAIN),
    "objects in a list": ([Opaque("A"), 1.0], array([1.0, 1.0]), "got a list of 2"),
    "float32 beyond its tolerance": (array([0.101], F32), array([0.1]), "expected 0.1, got 0.101"),
    "float16 beyond its tolerance": (array([0.12], F16), array([0.1]), "expected 0.1, got 0.11"),
    "the place": (array([[1, 2], [3, 9]]), array([[1, 2], [3, 4]]), "1 of 4 numbers differ; at [1, 1] expected 4, got 9"),
}  # fmt: skip


@pytest.mark.parametrize("case", ACCEPTED)
def test_this_passes(case):
    seen, expected = ACCEPTED[case]
    seen = decode(encode(seen)) if case in ("long doubles", "an array of objects") else seen
    assert difference(seen, expected) is None


@pytest.mark.parametrize("case", REFUSED)
def test_this_is_told_to_be_wrong(case):
    seen, expected, sentence = REFUSED[case]
    seen = decode(encode(seen)) if case == "a masked array" else seen
    assert sentence in (difference(seen, expected) or "nothing")


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e9])
def test_tolerance_goes_by_the_largest_number_expected(factor):
    expected = factor * array([1.0, 100.0, -50.0])
    assert difference(expected + factor * 9e-7, expected) is None
    assert "3 of 3 numbers differ" in difference(expected + factor * 2e-6, expected)


def test_the_largest_number_is_taken_among_the_finite_ones():
    expected = array([INF, 1.0])
    assert difference(array([INF, 1.0 + 1e-9]), expected) is None
    assert "at [1]" in difference(array([INF, 2.0]), expected)


def test_the_worst_number_is_named():
    assert "at [2] expected 0, got -7" in difference(array([1.0, 0.0, -7.0]), np.zeros(3))


def test_two_numbers_that_print_alike_are_printed_longer():
    assert difference(0.3333333, 1 / 3) == "expected 0.3333333333333333, got 0.3333333"


def test_float32_is_noted_and_only_where_it_was_not_asked_for():
    assert notes(array([0.1], F32), array([0.1])) == ("returned float32",)
    assert notes({"a": [array(1.0, F16)]}, {"a": [1.0]}) == ("returned float16",)
    assert notes(array([0.1], F32), array([0.1], F32)) == ()
    assert notes(array([0.1]), array([0.1])) == ()


def test_tensors_for_arrays_and_arrays_for_tensors_are_noted():
    tensor = np.ones(2).view(TensorArray)
    assert notes(tensor, np.ones(2)) == ("returned a tensor",)
    assert notes(np.ones(2), tensor) == ("returned a numpy array, not a tensor",)
    assert notes([1.0, 1.0], tensor) == ()
    assert difference(tensor, np.ones(2)) is None is difference(np.ones(2), tensor)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Opaque("Model"), "an object of type Model"),
        (np.ones((2, 3)), "an array of shape (2, 3)"),
        (np.ones(2).view(TensorArray), "a tensor of shape (2,)"),
        (None, "None"),
        ("x", "a string"),
        ({}, "a dict with keys (none)"),
        ({"k" * 99: 1}, f"a dict with keys {'k' * 39}…"),
        ([1, 2], "a list of 2"),
        (True, "a boolean"),
        (array(False), "a boolean"),
        (array(1.5), "a number"),
        (7, "a number"),
        ({1}, "a set of 1"),
        (TupleList([1]), "a tuple of 1"),
        (Decimal(1), "a Decimal"),
        (datetime(2024, 1, 2), "a datetime"),
        (date(2024, 1, 2), "a date"),
        (array(["2024-01-02"], "M8[us]"), "an array of datetimes of shape (1,)"),
        (Table([("a", [1])], [0]), "a pandas DataFrame with columns a"),
        (Table([("a", [1])], [0], is_series=True), "a pandas Series of 1"),
    ],
)
def test_a_value_is_named_by_what_it_is(value, words):
    assert describe(value) == words


def test_numbers_are_told_short():
    assert [readable(n) for n in (1.0, 1 / 3, 3, True, array(2.5))] == ["1", "0.333333", "3", "True", "2.5"]
    assert len(readable(10**400)) < 80


DTYPES = ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(10**500), max_value=10**500),
    st.sampled_from([2**53 + 1, 2**63, -(2**63), 2**64 - 1, 2**64, 10**400]),
    st.floats(),
    st.text(max_size=3),
    st.builds(Opaque, st.just("Thing")),
    st.sampled_from(DTYPES).flatmap(
        lambda name: hnp.arrays(name, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
    ),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2) | st.integers(0, 3), inner, max_size=3)
    ),
    max_leaves=6,
)


def has_opaque(value):
    if isinstance(value, list | dict):
        return any(has_opaque(item) for item in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, Opaque)


@settings(max_examples=400, deadline=None)
@given(VALUES, VALUES)
def test_no_pair_of_values_makes_the_comparison_stumble(seen, expected):
    one, other = decode(encode(seen)), decode(encode(expected))
    told = difference(one, other)
    assert told is None or (isinstance(told, str) and told)
    assert isinstance(notes(one, other), tuple)
    assert describe(one)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_every_plain_value_equals_itself(value):
    plain = decode(encode(value))
    assert (difference(plain, decode(encode(value))) is None) == (not has_opaque(plain))


INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([0, -1, 2**53, 2**53 + 1, -(2**63), 2**63 - 1])


@settings(max_examples=200, deadline=None)
@given(INTEGERS, INTEGERS)
def test_integers_are_equal_only_when_they_are(one, other):
    for seen in (one, array(one), [one]):
        expected = [other] if isinstance(seen, list) else other
        assert (difference(seen, expected) is None) == (one == other)
    assert (difference(float(one), other) is None) == (float(one) == other)
    assert (difference(array([one]), array([other])) is None) == (one == other)
    if one >= 0:
        assert (difference(array([one], U64), array([other])) is None) == (one == other)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["float16", "float32", "float64"]), st.floats(-6e4, 6e4), st.floats(-6e4, 6e4))
def test_numbers_are_equal_only_within_the_tolerance_of_their_type(name, one, other):
    coarse = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-8}[name]
    seen = array([one], name)
    apart = abs(float(seen[0]) - other)
    allowed = coarse * abs(other) + max(1e-12, 1e-2 * (coarse if name != "float64" else 0))
    told = difference(seen, array([other]))
    if apart > allowed * 1.001:
        assert told is not None
    if apart < allowed * 0.999:
        assert told is None
