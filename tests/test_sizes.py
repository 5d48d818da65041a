"""Sizes: whatever is returned, looking at it costs what the expected answer is worth.

Work is counted, not timed: calls of Python functions, items that are taken from lists, and memory.
"""

from __future__ import annotations

import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest

from redink.checks import check
from redink.checks.comparing import difference, notes, outgrown
from redink.checks.describing import describe
from redink.checks.sizes import measure, outgrows, outline
from redink.judging.answers import Answer, read_answer
from redink.judging.feedback import show
from redink.judging.mistakes import fingerprint
from redink.judging.verdicts import judge, same, viewed
from redink.records import Observation
from redink.wire import Opaque, encode

MANY = 200_000


class Counted(list):  # type: ignore[type-arg]
    """A list that counts the items that are taken from it."""

    taken = 0

    def __iter__(self) -> Any:
        for item in super().__iter__():
            Counted.taken += 1
            yield item


def chain(depth: int) -> Any:
    value: Any = 1.0
    for _ in range(depth):
        value = Counted([value])
    return value


def bush(width: int, depth: int) -> Any:
    return Counted(bush(width, depth - 1) for _ in range(width)) if depth else 1.0


HOSTILE = {
    "a million numbers": Counted([0.5] * MANY),
    "a million words": Counted(["word"] * MANY),
    "deep and wide": Counted(chain(38) for _ in range(2_000)),
    "a bush": bush(12, 5),
    "many keys": {f"key {n}": n for n in range(MANY)},
    "pairs as keys": {(n, n): n for n in range(MANY)},
    "one long key": {"k" * 4_000_000: 1},
    "a tuple for a key": {tuple(range(MANY)): 1},
    "a long text": "x" * 4_000_000,
    "a long array": np.zeros(2_000_000),
    "a column": np.ones((100_000, 1)),
    "rows of nothing": np.zeros((1_000_000, 0)),
    "half": np.zeros(4_000_000, np.float16),
    "one row is long": Counted([Counted([0.5] * MANY), Counted([0.5])]),
    "arrays in a list": Counted([np.ones(3)] * MANY),
    "long integers": Counted([10**4000] * 10_000),
    "under a key": {"a": Counted([0.5] * MANY)},
}
EXPECTED = {
    "an array": np.arange(10.0), "a table": [[1.0, 2.0], [3.0, 4.0]], "several things": [np.arange(10.0), 5],
    "a dict": {"a": np.arange(10.0)}, "a number": 1.5, "a text": "word", "None": None, "an integer": 3,
}  # fmt: skip


def plain() -> Any:
    @check("q")
    def a_check() -> None:
        """A sentence."""

    return a_check


def never(seen: Any) -> Any:
    raise SystemError("asked about an answer that is far too large")


ACTS = {
    "difference": lambda seen, expected: difference(seen, expected),
    "notes": lambda seen, expected: notes(seen, expected) == (),
    "describe": lambda seen, expected: describe(seen),
    "show": lambda seen, expected: len(show(seen)) <= 1502,
    "judge": lambda seen, expected: judge(plain(), Answer("returned", seen), expected, {}).verdict == "failed",
    "viewed": lambda seen, expected: viewed(plain().view(never), seen, expected, {}) is seen,
    "then": lambda seen, expected: judge(plain().then(never), Answer("returned", seen), expected, {}).message,
    "same": lambda seen, expected: not same(plain(), Answer("returned", seen), Answer("returned", expected), {}),
    "fingerprint": lambda seen, expected: fingerprint([(plain(), Answer("returned", seen), expected, {})]),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_looking_at_an_answer_costs_what_the_expected_one_is_worth(kind: str, act: str) -> None:
    calls = 0

    def count(*event: Any) -> None:
        nonlocal calls
        calls += 1

    for expected in EXPECTED.values():
        Counted.taken = calls = 0
        tracemalloc.start()
        sys.setprofile(count)
        try:
            done = ACTS[act](HOSTILE[kind], expected)
        finally:
            sys.setprofile(None)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert done
        assert Counted.taken < 5_000
        assert calls < 60_000
        assert peak < 2_000_000


@pytest.mark.parametrize(
    "value",
    [np.arange(6.0), np.ones((40, 1, 1, 1, 1, 1)), np.ones((2, 3, 4)), np.ones((7, 0)), np.array(2.5), [np.ones(3), 1]],
)
def test_the_same_answer_in_another_form_never_outgrows(value: Any) -> None:
    as_lists = (
        value.tolist() if isinstance(value, np.ndarray) else [one if type(one) is int else list(one) for one in value]
    )
    assert not outgrows(as_lists, value)
    assert not outgrows(value, as_lists)
    assert not outgrows(value, value)


def test_many_small_rows_are_the_array_that_they_say() -> None:
    column = np.ones((20_000, 1, 1, 1))
    assert not outgrows(column.tolist(), column)
    assert measure(column) == measure(column.tolist()) == (1 + 4 * 20_000, 20_000)
    assert difference(column.tolist(), column) is None


@pytest.mark.parametrize(
    ("seen", "expected", "sentence"),
    [
        (np.zeros((10**5, 1)), np.ones(3), "expected an array of shape (3,), got an array of shape (100000, 1)"),
        ([0.0] * 5000, np.ones(3), "expected an array of shape (3,), got a list of 5000"),
        ([[0.0] * 300] * 9, np.ones(3), "expected an array of shape (3,), got lists of shape (9, 300)"),
        ("x" * 5000, "word", "expected a string of 4 characters, got a string of 5000 characters"),
        ([np.ones(5000), 1], [np.ones(3), 1], "in result[0]: expected an array of shape (3,), got an array of"),
        ({"w": np.ones(5000)}, {"w": np.ones(3)}, 'in result["w"]: expected an array of shape (3,), got an array of'),
        ({n: 1 for n in range(5000)}, {"w": 1}, "expected a dict of 1 keys, got one with far more in it"),
        ([0.0] * 5000, 1.5, "expected a number, got a list of 5000"),
    ],
)  # fmt: skip
def test_both_sizes_are_told(seen: Any, expected: Any, sentence: str) -> None:
    told = outgrown(seen, expected) or ""
    assert told.startswith(sentence)
    assert difference(seen, expected) == told


def test_a_then_may_get_an_answer_of_another_length_that_is_not_absurd() -> None:
    asked = []
    made = plain().then(lambda seen: asked.append(len(seen)))
    for length in (1, 30, 140):
        assert judge(made, Answer("returned", np.ones(length)), np.ones(10), {}).verdict == "passed"
    assert judge(made, Answer("returned", np.ones(141)), np.ones(10), {}).verdict == "failed"
    assert asked == [1, 30, 140]


def test_an_outer_product_is_not_made_of_a_long_column() -> None:
    made = plain().view(lambda seen: seen @ seen.T)
    tracemalloc.start()
    told = judge(made, Answer("returned", np.ones((10**5, 1))), np.ones((4, 2)), {})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (told.verdict, peak < 10**6) == ("failed", True)


def test_an_answer_of_far_more_parts_is_not_even_unpacked() -> None:
    seen = Observation(status="returned", value=encode([0.5] * 50_000))
    tracemalloc.start()
    told = read_answer(seen, most=20_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (told.status, told.error) == ("too_large", "returned more than 20000 values, far more than expected")
    assert peak < 100_000
    assert judge(plain(), told, np.ones(3), {}).verdict == "failed"


def test_an_outline_is_that_of_the_first_elements() -> None:
    assert outline([[1, 2, 3], [4]]) == (2, 3)
    assert outline([np.ones((2, 5))] * 4) == (4, 2, 5)
    assert outline([]) == (0,)
    assert outline(3.0) == outline(Opaque("x")) == ()
