"""Judging one trial: data in, a verdict out, whatever a student returned."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redink.checks import Fail, check, close
from redink.errors import AuthorError
from redink.judging.answers import read_answer
from redink.judging.verdicts import NOT_TRIED, find_fault, judge, same
from redink.records import Observation
from redink.wire import encode


def answer(**how):
    return read_answer(Observation(**how))


def returned(value, modified=()):
    return answer(status="returned", value=encode(value), modified=modified)


def raised(error, where=""):
    return answer(status="raised", error=error, where=where)


def plain(**options):
    @check("q", **options)
    def a_check():
        """A sentence."""

    return a_check


def with_then(function):
    return plain().then(function)


def word(made, value, expected, **inputs):
    return judge(made, returned(value), expected, inputs).verdict


def test_what_equals_the_reference_passes_and_says_nothing():
    verdict = judge(plain(), returned(np.arange(3.0)), np.arange(3.0), {})
    assert (verdict.verdict, verdict.message, verdict.notes) == ("passed", "", ())


def test_what_differs_fails_with_the_difference():
    verdict = judge(plain(), returned(np.ones((5, 1))), np.ones(5), {})
    assert (verdict.verdict, verdict.message) == ("failed", "expected shape (5,), got (5, 1)")


def test_float32_passes_with_a_note():
    verdict = judge(plain(), returned(np.full(3, 0.1, np.float32)), np.full(3, 0.1), {})
    assert (verdict.verdict, verdict.notes) == ("passed", ("returned float32",))


def test_the_checks_own_tolerance_is_used():
    assert word(plain(tol=1e-2), 1.005, 1.0) == "passed"
    assert word(plain(), 1.005, 1.0) == "failed"


def test_one_trial_is_judged_by_its_answer_alone_whatever_was_changed_in_place():
    verdict = judge(plain(), returned(1.0, modified=("X", "y")), 1.0, {"X": 1, "y": 2})
    assert (verdict.verdict, verdict.notes) == ("passed", ())


def test_a_then_may_charge_for_modified_inputs():
    def then(modified):
        if "X" in modified:
            raise Fail("X belongs to the caller")

    verdict = judge(with_then(then), returned(1.0, modified=("X",)), 1.0, {"X": 1})
    assert (verdict.verdict, verdict.message) == ("failed", "X belongs to the caller")


ENDINGS = {
    "unwritten": (raised("NotImplementedError: f is yours to write", "cell 3, line 2"), "not_run", "not written yet"),
    "no values": (raised("NotImplementedError: Cannot copy out of meta tensor; no data!"), "not_run", NOT_TRIED),
    "no item": (raised("RuntimeError: Tensor.item() cannot be called on meta tensors"), "not_run", NOT_TRIED),
    "boolean index": (raised("NotImplementedError: The register_meta function for torch.nonzero()"), "not_run", NOT_TRIED),
    "selected": (raised("NotImplementedError: aten::masked_select: ... with Meta tensors"), "not_run", NOT_TRIED),
    "to numpy": (
        raised("TypeError: can't convert meta device type tensor to numpy"),
        "error",
        "raised TypeError: can't convert meta device type tensor to numpy",
    ),
    "two devices": (
        raised("RuntimeError: Tensor on device cpu is not on the expected device meta!"),
        "error",
        "raised RuntimeError: Tensor on device cpu is not on the expected device meta!",
    ),
    "bare unwritten": (raised("NotImplementedError"), "not_run", "not written yet"),
    "raised": (raised("ValueError: no", "cell 3, line 2"), "error", "raised ValueError: no (cell 3, line 2)"),
    "raised nowhere": (raised("KeyError: 'w'"), "error", "raised KeyError: 'w'"),
    "missing": (answer(status="missing", error="f"), "not_run", "f is not defined"),
    "timeout": (answer(status="timeout", error="took more than 10 s"), "timeout", "took more than 10 s"),
    "bare timeout": (answer(status="timeout"), "timeout", "took too long"),
    "died": (answer(status="died", error="was killed (signal 11)"), "error", "was killed (signal 11)"),
    "too large": (answer(status="too_large", error="returned 9 bytes; 8 are allowed"), "failed", "returned 9 bytes"),
    "bare too large": (answer(status="too_large"), "failed", "returned too much data"),
    "unreachable": (answer(status="unreachable", error="the time was used up"), "not_run", "the time was used up"),
    "bare unreachable": (answer(status="unreachable"), "not_run", "could not be reached"),
}  # fmt: skip


@pytest.mark.parametrize("case", ENDINGS)
def test_a_call_that_returned_nothing_is_told_by_how_it_ended(case):
    seen, verdict, message = ENDINGS[case]
    told = judge(plain(), seen, 1.0, {})
    assert told.verdict == verdict
    assert message in told.message


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x92\x01", encode(1.0) + b"x", b"\xc7\xff\x01", b"\x81\x01\x02"])
def test_bytes_that_are_no_plain_data_fail(data):
    told = judge(plain(), answer(status="returned", value=data), 1.0, {})
    assert told.verdict == "error"
    assert told.message


# -- then --------------------------------------------------------------------------------------------------------------


def test_a_then_that_says_nothing_passes_even_what_differs_from_the_reference():
    assert word(with_then(lambda seen: None), 2.0, 1.0) == "passed"


@pytest.mark.parametrize("error", [Fail("w is not orthogonal"), AssertionError("w is not orthogonal")])
def test_the_sentence_of_a_then_is_the_message(error):
    def then(seen):
        raise error

    told = judge(with_then(then), returned(1.0), 1.0, {})
    assert (told.verdict, told.message) == ("failed", "w is not orthogonal")


def test_a_then_without_a_sentence_still_fails():
    def then(seen):
        raise AssertionError

    assert judge(with_then(then), returned(1.0), 1.0, {}).message == "the answer is wrong"


@pytest.mark.parametrize("answer", [False, np.False_, np.array([True, False]), "wrong", 0, 1, []])
def test_a_then_that_returns_anything_but_true_proves_nothing(answer):
    assert word(with_then(lambda seen: answer), 1.0, 1.0) == "failed"


@pytest.mark.parametrize("answer", [True, np.True_, None])
def test_a_then_that_returns_true_or_nothing_passes(answer):
    assert word(with_then(lambda seen: answer), 1.0, 1.0) == "passed"


@pytest.mark.parametrize(
    "error", [IndexError, KeyError, TypeError, ValueError, ZeroDivisionError, RecursionError, np.linalg.LinAlgError]
)
def test_a_then_that_stumbles_fails_and_tells_the_difference_from_the_reference(error):
    def then(seen):
        raise error("an internal matter: expected[3] = 0.123")

    told = judge(with_then(then), returned([1.0, 2.0]), [1.0, 3.0], {})
    assert told.verdict == "failed"
    assert "at [1] expected 3, got 2" in told.message
    assert "internal" not in told.message
    assert word(with_then(then), [1.0, 3.0], [1.0, 3.0]) == "failed"


def test_a_then_is_not_asked_about_another_kind_of_thing():
    def then(seen):
        raise AuthorError("must not be asked")

    made = with_then(then)
    cases = [
        ("x", 1.0, "expected a number, got a string"),
        (None, np.ones(2), "expected an array of shape (2,), got None"),
        (1.0, "x", "expected a string, got a number"),
        ([1.0], {"w": 1.0}, "expected a dict with keys w, got a list of 1"),
        (1.0, [np.ones(2), 1], "expected 2 values, got a number"),
        ([np.ones(2), "x"], [np.ones(2), 1], "in result[1]: expected a number, got a string"),
        ([np.ones(2)], [np.ones(2), 1], "expected 2 values, got 1"),
        (object(), 1.0, "expected a number, got an object of type object"),
        ([[1], [2, 3]], np.ones((2, 2)), "got rows of different lengths"),
    ]
    for value, expected, message in cases:
        assert message in judge(made, returned(value), expected, {}).message


def test_a_then_gets_lists_as_arrays_and_single_numbers_as_numbers():
    got = []

    def then(seen):
        got.append(seen)

    made = with_then(then)
    judge(made, returned([1, 2]), np.ones(2), {})
    judge(made, returned(np.float64(2.5)), 1.0, {})
    judge(made, returned(np.arange(2)), [3, 4], {})
    judge(made, returned({"w": [1, 2], "more": 1}), {"w": np.ones(2)}, {})
    judge(made, returned(np.ones((2, 3))), [np.ones(3), np.ones(3)], {})
    judge(made, returned({"w": [[1], [2, 3]]}), {"w": np.ones(2)}, {})
    assert isinstance(got[0], np.ndarray)
    assert type(got[1]) is float
    assert got[2] == [0, 1]
    assert isinstance(got[3]["w"], np.ndarray)
    assert [item.shape for item in got[4]] == [(3,), (3,)]
    assert got[5] == {"w": [[1], [2, 3]]}


def test_an_answer_with_nan_fails_before_then_is_asked():
    made = with_then(lambda seen: None)
    assert judge(made, returned(np.array([np.nan, 1.0])), np.ones(2), {}).message == "1 of 2 numbers are NaN"
    assert word(made, {"w": [1.0, float("nan")]}, {"w": np.ones(2)}) == "failed"
    assert word(made, [1, [complex("nan")]], [1, [2]]) == "failed"
    assert word(made, {"extra": float("nan"), "w": np.ones(2)}, {"w": np.ones(2)}) == "failed"


def test_nan_goes_to_then_where_the_reference_has_one():
    assert word(with_then(lambda seen: None), np.array([np.nan, 1.0]), np.array([np.nan, 2.0])) == "passed"


def test_numbers_that_overflow_in_a_then_or_view_are_only_wrong():
    def then(seen, expected):
        close(seen * seen / (seen - seen), expected)

    assert word(with_then(then), np.full(2, 1e300), np.ones(2)) == "failed"
    assert word(plain().view(lambda seen: np.exp(seen)), np.full(2, 1e300), np.ones(2)) == "failed"


@pytest.mark.parametrize("seen", [np.full(2, 1e12j), [1e12j, 1.0], {"w": np.ones(2), "b": np.array(1j)}])
def test_imaginary_numbers_never_come_to_a_then_or_view_that_expects_real_ones(seen):
    expected = {"w": np.ones(2), "b": 1.0} if isinstance(seen, dict) else np.ones(2)
    made = with_then(lambda seen: None)
    assert judge(made, returned(seen), expected, {}).message == "expected real numbers, got complex ones"
    assert word(plain().view(lambda seen: "x"), seen, expected) == "failed"
    assert word(made, seen, np.ones(2, dtype=complex)) == "passed" or isinstance(seen, dict)


def test_an_imaginary_part_that_is_rounding_is_left_out():
    got = []
    made = with_then(lambda seen: got.append(seen))
    judge(made, returned(np.array([1 + 1e-12j, 2])), np.ones(2), {})
    judge(made, returned([np.array(2 + 0j)]), [1.0], {})
    assert got[0].dtype == float
    assert got[1] == [2.0]
    assert np.isrealobj(got[1][0])


# -- view --------------------------------------------------------------------------------------------------------------


def test_a_view_brings_both_answers_into_one_form():
    made = plain().view(lambda seen: sorted(seen))
    assert word(made, [3, 1, 2], [1, 2, 3]) == "passed"
    assert word(made, np.array([3, 1, 2]), [1, 2, 3]) == "passed"
    assert word(made, [3, 1, 1], [1, 2, 3]) == "failed"


@pytest.mark.parametrize(
    "view",
    [
        lambda seen: np.outer(seen, seen), lambda seen: (abs(seen[0]), abs(seen[1])), lambda seen: np.abs(seen).max(),
        lambda seen: {"sum": np.abs(seen).sum()}, lambda seen: [np.int64(abs(n)) for n in seen], lambda seen: "x",
    ],
)  # fmt: skip
def test_a_view_may_give_whatever_numpy_gives(view):
    assert word(plain().view(view), np.array([-3.0, -4.0]), np.array([3.0, 4.0])) == "passed"


def test_a_view_that_stumbles_over_an_answer_fails_it():
    made = plain().view(lambda seen: seen[5])
    assert judge(made, returned([1, 2]), [1, 2, 3, 4, 5, 6], {}).message == "cannot be judged: got a list of 2"


def test_a_view_that_hides_the_difference_in_nan_does_not_pass_it():
    assert word(plain().view(lambda seen: seen / 0), np.array([1.0, np.nan]), np.array([1.0, 2.0])) == "failed"


# -- same --------------------------------------------------------------------------------------------------------------


def test_two_answers_are_the_same_under_the_view_and_within_tolerance():
    made = plain().view(lambda seen: np.abs(seen))
    assert same(made, returned(-1.0), returned(1.0 + 1e-10), {})
    assert not same(made, returned(-1.0), returned(2.0), {})
    assert same(plain(), returned(object()), returned(object()), {})


def test_two_errors_are_the_same_by_their_kind_and_a_vague_one_by_its_text_too():
    assert same(plain(), raised("ZeroDivisionError: a"), raised("ZeroDivisionError: b"), {})
    assert same(plain(), raised("ValueError: a"), raised("ValueError: a"), {})
    assert not same(plain(), raised("ValueError: a"), raised("ValueError: b"), {})
    assert not same(plain(), raised("ValueError: a"), raised("TypeError: a"), {})
    assert not same(plain(), raised("ValueError: a"), returned(1.0), {})
    assert not same(plain(), returned(1.0), answer(status="returned", value=b"\xc1"), {})


# -- hostile answers ---------------------------------------------------------------------------------------------------


class Hostile:
    def __getattr__(self, name):
        raise RuntimeError(name)

    def __eq__(self, other):
        return True

    def __array__(self, *_):
        return np.ones(3)

    __hash__ = None


def nested(depth):
    value = [1.0]
    for _ in range(depth):
        value = [value]
    return value


CIRCLE = []
CIRCLE.append(CIRCLE)
HOSTILE = {
    "an object that equals everything": Hostile(),
    "a list of them": [Hostile()] * 3,
    "an array of objects": np.array([len, None, "x"], dtype=object),
    "numbers as objects": np.array([1.0, 1.0, 2.0], dtype=object),
    "texts": np.array(["1.0", "1.0", "1.0"]),
    "a list in a circle": CIRCLE,
    "a deep list": nested(200),
    "deep but allowed": nested(36),
    "huge integers": [10**400, -(10**400), 2**64],
    "an integer too long to write": 10**5000,
    "too few": np.ones((0, 3)),
    "many axes": np.ones((1,) * 20),
    "booleans": np.array([True, True, True]),
    "complex": np.array([1 + 1j, 1, 1]),
    "half": np.array([1.5, 1, 1], dtype=np.float16),
    "bytes": b"\x01\x01\x01",
    "a set": {1.0},
    "dates": np.array(["2020-01-01"] * 3, dtype="datetime64[D]"),
    "records": np.zeros(3, dtype=[("a", int)]),
    "numbers by place": {0: 1.0, 1: 1.0, 2: 1.0},
    "strange keys": {None: 1, (1, 2): 3, 2.5: 4, True: 5, Hostile: 6},
    "not a number": float("nan"),
    "too much": np.array([1, 1, np.inf]),
    "ragged": [[1.0], [1.0, 1.0]],
    "a class": int,
    "a function": len,
    "half a character": "\ud800",
}
EXPECTED = [
    np.ones(3), np.array([1, 1, 1]), [1, 1, 1], [1.0, 1.0, 1.0], [1, 1.0, 1.0], 1, 1.0, True, np.array([True, False, True]),
    "1.0", None, {"0": 1.0}, {0: 1.0}, [np.ones(3), 1], 2**70, np.array([0.5j]), [], np.ones((1,) * 19),
]  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("kind", ["plain", "view", "then"])
def test_no_hostile_answer_passes_or_escapes(case, kind):
    made = {
        "plain": plain(),
        "view": plain().view(lambda seen: np.sort(seen) if isinstance(seen, np.ndarray) else seen),
        "then": with_then(lambda seen, expected: close(seen, expected)),
    }[kind]
    for expected in EXPECTED:
        told = judge(made, returned(HOSTILE[case]), expected, {})
        assert told.verdict == "failed", expected
        assert 0 < len(told.message) < 400


SMALL = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=2), st.just(10**400))
ANY = st.recursive(
    SMALL, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=2)
)


@settings(max_examples=300, deadline=None)
@given(ANY, ANY)
def test_judging_never_stumbles(value, expected):
    for made in (plain(), plain().view(lambda seen: seen), with_then(lambda seen, expected: close(seen, expected))):
        told = judge(made, returned(value), expected, {})
        assert told.verdict in ("passed", "failed")
        assert bool(told.message) == (told.verdict == "failed")
        assert same(made, returned(value), returned(value), {})


def test_find_fault_is_what_judge_uses():
    assert find_fault(plain(), 1.0, 1.0, {}) is None
    assert find_fault(plain(), 2.0, 1.0, {}) == "expected 1, got 2"


def by_its_own_size(seen, expected):
    """Judge as an author must not: within a tolerance that grows with what the student returned."""
    seen, expected = np.asarray(seen, dtype=float), np.asarray(expected, dtype=float)
    assert np.abs(seen - expected).max() <= 1e-6 * np.linalg.norm(seen) * np.linalg.norm(seen)


@pytest.mark.parametrize("number", [1e300, -1e300, 1e151, np.inf, -np.inf, 10**200])
@pytest.mark.parametrize("form", [lambda n: np.full(3, float(n)), lambda n: [n, n, n]])
def test_numbers_without_bounds_fail_before_then_is_asked(number, form):
    made = with_then(lambda seen, expected: by_its_own_size(seen, expected))
    assert word(made, form(number), np.arange(3.0)) == "failed"
    assert word(made, {"a": form(number)}, {"a": np.arange(3.0)}) == "failed"


def test_numbers_without_bounds_go_to_then_where_the_reference_has_some():
    made = with_then(lambda seen: None)
    assert word(made, np.array([np.inf, 1.0]), np.array([np.inf, 2.0])) == "passed"
    assert word(made, 1e200, 1e200) == "passed"


def test_a_then_is_not_asked_about_a_dict_with_none_of_the_expected_keys():
    made = with_then(lambda seen: all(part > 0 for part in seen.values()))
    assert word(made, {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 1.0}) == "passed"
    assert word(made, {}, {"a": 1.0, "b": 1.0}) == "failed"
    verdict = judge(made, returned({"c": 1.0}), {"a": 1.0, "b": 1.0}, {})
    assert (verdict.verdict, verdict.message) == ("failed", "the key a is missing")
    assert word(made, [{}], [{"a": 1.0}]) == "failed"
    assert word(made, {"b": 1.0}, {"a": 1.0, "b": 1.0}) == "passed"  # counts of what was drawn may lack one
