"""Answers that are no numbers: sets, exact numbers, dates, tuples, DataFrames; how they cross, agree, read and differ."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import time
from decimal import Decimal as D
from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from redink import wire
from redink.calling import decode_inputs
from redink.checks.comparing import difference, outgrown
from redink.checks.language import Check
from redink.checks.sizes import outgrows
from redink.errors import WireError
from redink.grader.author import derived
from redink.judging.answers import Answer
from redink.judging.feedback import show
from redink.judging.mistakes import fingerprint
from redink.judging.verdicts import find_fault
from redink.records import Observation
from redink.wire import Opaque, Table, TupleList
from redink.wire.encoding import Encoder
from redink.wire.values import Tag


def crossed(value: Any, tuples: bool = False) -> Any:
    return wire.decode(wire.encode(value, tuples=tuples))


def told(seen: Any, expected: Any, tol: float = 1e-8, tuples: bool = False) -> str | None:
    return difference(crossed(seen, tuples), crossed(expected, tuples), tol)


def named(value: Any) -> str:
    """Name a test by its value, where a set's own order of None is another in each process."""
    return "a set of four" if isinstance(value, set) and value else str(value)[:20]


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)


NAN_DAY = np.datetime64("NaT", "us")
DAYS = np.array(["2024-01-01", "2024-02-29"], "M8[D]")
MEANS = pd.Series([1.5, 2.5], index=["a", "b"], name="mean")

# -- the wire ----------------------------------------------------------------------------------------------------------

THINGS = [
    set(),
    {1, "a", (2, 3), None},
    frozenset({frozenset({1}), frozenset({2})}),
    D("1.50"),
    D("-1E+20"),
    D("0E-7"),
    F(-3, 7),
    F(10**300, 3),
    dt.date(2024, 2, 29),
    dt.datetime(2024, 2, 29, 12, 0, 0, 5),
    dt.datetime(2024, 2, 29, tzinfo=dt.timezone(dt.timedelta(hours=-3))),
    dt.time(23, 59),
    dt.timedelta(days=-2, microseconds=1),
]


@pytest.mark.parametrize("thing", THINGS, ids=named)
def test_a_thing_comes_back_as_it_was(thing: Any) -> None:
    assert type(crossed(thing)) is type(thing)
    assert crossed(thing) == thing
    assert crossed([thing, {"key": thing}]) == [thing, {"key": thing}]
    assert wire.encode(crossed(thing)) == wire.encode(thing)
    assert decode_inputs(wire.encode(thing)) == thing


def test_an_equal_set_gives_equal_bytes_whoever_made_it() -> None:
    code = "from redink import wire; print(wire.encode({'some', 'words', 'in', 'a', 'set'}).hex())"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert len(set(runs)) == 1


def test_what_has_no_exact_form_is_named_or_a_float() -> None:
    assert crossed(D("1e9999")) == Opaque("Decimal")
    assert crossed(D(1).scaleb(-5000)) == Opaque("Decimal")
    assert crossed(F(10**5000, 3)) == Opaque("Fraction")
    assert crossed(pd.NaT) == Opaque("NaTType")
    assert np.isnan(crossed(D("nan"))) and crossed(D("-inf")) == -np.inf
    assert crossed({object(), object()}) == {Opaque("object")}


def test_a_moment_of_numpy_or_pandas_is_a_moment() -> None:
    assert crossed(np.datetime64("2024-02-29")) == dt.date(2024, 2, 29)
    assert crossed(np.datetime64("2024-02-29T01", "ns")) == dt.datetime(2024, 2, 29, 1)
    assert crossed(pd.Timestamp("2024-02-29 01:00")) == dt.datetime(2024, 2, 29, 1)
    assert crossed(pd.Timedelta(hours=1)) == dt.timedelta(hours=1)
    assert crossed(DAYS).dtype == "datetime64[us]"
    assert crossed(DAYS - DAYS[0]).tolist() == [dt.timedelta(), dt.timedelta(59)]


def test_tuples_are_kept_apart_where_that_is_asked() -> None:
    value = [(1, (2,)), [3]]
    assert type(crossed(value)[0]) is list
    kept = crossed(value, tuples=True)
    assert (type(kept[0]), type(kept[0][1]), type(kept[1])) == (TupleList, TupleList, list)
    assert crossed(kept)[0] == kept[0] and type(crossed(kept)[0]) is TupleList
    assert decode_inputs(wire.encode(value, tuples=True)) == value


TABLES = [
    frame(a=[1, 2], b=[0.5, np.nan], c=["x", None], d=[True, False], e=pd.to_datetime(["2024-01-01", None])),
    frame(
        n=pd.array([1, 2], "Int64"), m=pd.array([1, None], "Int64"), k=pd.Categorical(["u", "v"]), o=[D("1.5"), None]
    ),
    pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index(["r", "s"], name="row")),
    frame(g=["u", "u", "v"], h=[1, 2, 2], x=[1.0, 2.0, 3.0]).groupby(["g", "h"]).sum(),
    frame(g=["u", "v"], h=[1, 2], x=[1.0, 2.0]).pivot(index="g", columns="h", values=["x"]),
    pd.DataFrame(),
    MEANS,
    pd.Series([], dtype=float),
    frame(day=pd.to_datetime(["2024-01-01"]).tz_localize("UTC")),
]


@pytest.mark.parametrize("value", TABLES, ids=lambda value: str(value.shape))
def test_a_frame_crosses_and_is_one_again_where_code_uses_it(value: Any) -> None:
    data = wire.encode(value)
    table = wire.decode(data)
    assert isinstance(table, Table)
    assert table.is_series == isinstance(value, pd.Series)
    assert wire.encode(table) == data
    again = decode_inputs(data)
    assert type(again) is type(value)
    assert list(again.index) == list(value.index) and again.index.names == value.index.names
    assert wire.encode(again) == data
    assert difference(crossed(again), table) is None


def test_two_columns_of_one_name_are_no_table() -> None:
    assert crossed(pd.DataFrame([[1, 2]], columns=["a", "a"])) == Opaque("DataFrame with two columns of one name")


class LyingDecimal(D):
    def __str__(self) -> str:
        return "1e99999999"


class LyingDay(dt.date):
    def isoformat(self) -> str:
        return "no day"


class LyingFraction(F):
    numerator = property(lambda self: "seven")  # type: ignore[assignment]


class LyingSet(set):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return iter([self])

    def __len__(self) -> int:
        return 10**9


class LyingFrame(pd.DataFrame):
    columns = property(lambda self: 1 / 0)  # type: ignore[assignment]


class EndlessZone(dt.tzinfo):
    def utcoffset(self, moment: Any) -> Any:
        raise RecursionError


@pytest.mark.parametrize(
    "value",
    [LyingDecimal("0.5"), LyingDay(2024, 1, 1), LyingFraction(1, 2), LyingSet(), LyingFrame({"a": [1]}),
     dt.datetime(2024, 1, 1, tzinfo=EndlessZone()), pd.DataFrame({"a": [object()]}), pd.Series([[1], {2}])],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_lying_thing_crosses_as_something(value: Any) -> None:
    assert crossed([value, 1])[1] == 1


def extension(tag: int, content: Any) -> bytes:
    data = content if isinstance(content, bytes) else msgspec.msgpack.encode(content)
    return msgspec.msgpack.encode(msgspec.msgpack.Ext(tag, data))


ALIKE = [Encoder().tree(1 + n * (2**61 - 1), 0) for n in range(100)]  # of one hash


@pytest.mark.parametrize(
    "data",
    [
        extension(Tag.DECIMAL, b"1E+99999"),
        extension(Tag.DECIMAL, b"1" * 5000),
        extension(Tag.DECIMAL, b"NaN"),
        extension(Tag.DECIMAL, b"sNaN123"),
        extension(Tag.FRACTION, b"1/0"),
        extension(Tag.FRACTION, b"1" * 5000 + b"/3"),
        extension(Tag.FRACTION, b"0.5"),
        extension(Tag.MOMENT, b"d0000-01-01"),
        extension(Tag.MOMENT, b"s999999999999,0,0"),
        extension(Tag.MOMENT, b"xtomorrow"),
        extension(Tag.SET, [[1], {"a": 1}]),
        extension(Tag.SET, {"a": 1}),
        extension(Tag.SET, ALIKE),
        extension(Tag.FROZENSET, [[one, 1] for one in ALIKE]),
        extension(Tag.TABLE, [False, [None], [], [[one, []] for one in ALIKE]]),
        extension(Tag.TUPLE, 7),
        extension(Tag.TABLE, [False, [None], [0, 1], [["a", [1]]]]),
        extension(Tag.TABLE, [False, [None], [0], [["a", [1]], ["a", [2]]]]),
        extension(Tag.TABLE, [False, [None], [0], [[["a", {}], [1]]]]),
        extension(Tag.TABLE, [True, [None], [0], []]),
        extension(Tag.TABLE, [True, [None], [0], [["a", [1]], ["b", [1]]]]),
        extension(Tag.TABLE, [0, [None], [0], [["a", [1]]]]),
        extension(Tag.TABLE, [False, [], [0], [["a", [1]]]]),
        extension(Tag.TABLE, [False, [None], [0], [["a", "x"]]]),
        extension(Tag.TABLE, [False, [None], [0]]),
    ],
)
def test_a_thing_that_cannot_be_is_a_wire_error(data: bytes) -> None:
    with pytest.raises(WireError):
        wire.decode(data)


@pytest.mark.parametrize("tag", [Tag.SET, Tag.FROZENSET, Tag.TUPLE, Tag.TABLE])
def test_parts_inside_a_thing_are_counted_before_it_is_made(tag: int) -> None:
    data = extension(tag, b"\xdd\x00\x0f\xff\xff" + b"\xc0" * 0xFFFFF)
    with pytest.raises(wire.SizeError, match="more than 5000"):
        wire.decode(data, most=5000)


def test_the_dearest_numbers_cost_no_more_than_their_bytes() -> None:
    digits = b"9" * 4300
    many = [msgspec.msgpack.Ext(Tag.FRACTION, digits + b"/" + b"8" * 4299 + b"7") for _ in range(200)]
    many += [msgspec.msgpack.Ext(Tag.DECIMAL, digits + b"E-4000") for _ in range(200)]
    begun = time.process_time()
    value = wire.decode(msgspec.msgpack.encode(many))
    assert difference(value, value) is None
    assert difference(value, [0.5] * 400) is not None
    show(value)
    assert time.process_time() - begun < 2


# -- the same or not ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ({1, 2}, frozenset({2, 1})),
        ({0.1 + 0.2, 5}, {0.3, 5}),
        ({("a", 1)}, {("a", 1)}),
        (D("1.50"), D("1.5")),
        (2, D(2)),
        (F(2, 4), F(1, 2)),
        (3, F(3)),
        (F(1, 4), 0.25),
        ([D("0.1"), F(1, 5)], [0.1, 0.2]),
        ([D(3)], [3]),
        (dt.datetime(2024, 1, 1, 1, tzinfo=dt.UTC),
         dt.datetime(2024, 1, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=1)))),
        (np.append(DAYS, NAN_DAY), np.append(DAYS, NAN_DAY)),
        (frame(a=[1, 2], b=[0.1 + 0.2, 0]), frame(b=[0.3, 0.0], a=[1.0, 2.0])),
        (frame(a=[1.0, np.nan]), frame(a=[1.0, np.nan])),
        (MEANS.rename("other"), MEANS),
        (pd.Series([1.0], index=pd.Index([3], name="x")), pd.Series([1], index=[3])),
    ],
)  # fmt: skip
def test_the_same_thing_in_another_form_passes(seen: Any, expected: Any) -> None:
    assert told(seen, expected) is None


@pytest.mark.parametrize(
    ("seen", "expected", "sentence"),
    [
        ([1, 2], {1, 2}, "expected a set of 2, got a list of 2"),
        ({1}, {1, 2, "x"}, "the set lacks 'x' and 2"),
        ({1, 2, 3, 4, 5, 6}, {1}, "the set should not have 2, 3, 4 and 2 more"),
        ({1, 3}, {1, 2}, "the set lacks 2, and should not have 3"),
        ({1.0001}, {1.0}, "the set lacks 1.0, and should not have 1.0001"),
        ({True, 2}, {1, 2}, "expected an integer, got a boolean"),
        ({(True, 2)}, {(1, 2)}, "expected integers, got booleans"),
        ({0.5}, {F(1, 2)}, "expected a Fraction, got a float, which is not exact"),
        ({1}, [1], "expected a list of 1, got a set of 1"),
        ({1}, 1, "expected a number, got a set of 1"),
        (0.1, D("0.1"), "expected a Decimal, got a float, which is not exact"),
        (True, D(1), "expected a Decimal, got a boolean"),
        (D("0.5"), F(1, 2), "expected a Fraction, got a Decimal"),
        (D("1.51"), D("1.5"), "expected 1.5, got 1.51"),
        (F(1, 3), F(1, 2), "expected 1/2, got 1/3"),
        (F(1, 3), 0.3333, "expected 0.3333, got 0.333333"),
        (D("1e4000"), 1.0, "expected 1, got inf"),
        (F(10**4000, 3), 1.0, "got a number that no float can hold"),
        (dt.datetime(2024, 1, 1), dt.date(2024, 1, 1), "expected a date, got a datetime"),
        (dt.date(2024, 1, 2), dt.date(2024, 1, 1), "expected 2024-01-01, got 2024-01-02"),
        ("2024-01-01", dt.date(2024, 1, 1), "expected a date, got a string"),
        (dt.timedelta(1), dt.timedelta(2), "expected 2 days, 0:00:00, got 1 day, 0:00:00"),
        (np.array([DAYS[0]] * 2), DAYS, "1 of 2 are wrong; at [1] expected 2024-02-29"),
        ([0.0, 1.0], DAYS, "expected an array of datetimes of shape (2,), got a list of 2"),
        (DAYS, np.zeros(2), "expected an array of shape (2,), got an array of datetimes of shape (2,)"),
        (frame(a=[1]), np.ones(1), "got a pandas DataFrame, which is not accepted: return its .to_numpy()"),
        (MEANS, [1.5, 2.5], "got a pandas Series, which is not accepted: return its .to_numpy()"),
        (np.ones(1), frame(a=[1]), "expected a pandas DataFrame with columns a, got an array of shape (1,)"),
        (MEANS, frame(mean=[1.5, 2.5]), "expected a pandas DataFrame with columns mean, got a pandas Series of 2"),
        ({"a": [1]}, frame(a=[1]), "expected a pandas DataFrame with columns a, got a dict with keys a"),
        (frame(a=[1]), frame(a=[1], b=[2]), "the column 'b' is missing"),
        (frame(a=[1]), frame(b=[1], c=[2]), "the columns 'b' and 'c' are missing"),
        (frame(a=[1], z=[2]), frame(a=[1]), "the column 'z' is not expected"),
        (frame(a=[1, 2]), frame(a=[1]), "expected 1 rows, got 2"),
        (frame(a=[1, 2]), frame(a=[1, 3]), 'in result["a"]: 1 of 2 numbers differ; at [1] expected 3, got 2'),
        (frame(a=["x"]), frame(a=["y"]), 'in result["a"][0]: expected \'y\', got \'x\''),
        (frame(a=["1", "2"]), frame(a=[1, 2]), 'in result["a"]: expected numbers, got texts'),
        (frame(a=[None, None]), frame(a=[1, 2]), 'in result["a"]: expected numbers, got missing values alone'),
        (frame(a=[1, 2]), frame(a=["x", "y"]), 'in result["a"]: expected texts, got numbers'),
        (frame(a=["2024-02-29"]), frame(a=DAYS[:1]), 'in result["a"]: expected datetimes, got texts'),
        (frame(a=[DAYS[0].astype(dt.date)]), frame(a=DAYS[:1]), 'in result["a"]: expected datetimes, got dates'),
        (frame(a=[1, "x"]), frame(a=[1, 2]), 'in result["a"]: expected numbers, got values of several kinds'),
        (MEANS, {"a": 1.5, "b": 2.5}, "expected a dict with keys a, b, got a pandas Series, which is not accepted"),
        (MEANS.reset_index(drop=True), MEANS, "in result.index[0]: expected a string, got a number"),
        (pd.Series([1.5, 2.6], index=["a", "b"]), MEANS, "1 of 2 numbers differ; at [1] expected 2.5, got 2.6"),
        ([frame(a=[1])], [frame(a=[2])], 'in result[0]["a"]'),
    ],
)  # fmt: skip
def test_what_differs_is_said_in_a_sentence(seen: Any, expected: Any, sentence: str) -> None:
    assert sentence in (told(seen, expected) or "passes")
    assert told(expected, expected) is None
    assert not isinstance(expected, dict) or "to_numpy" not in told(seen, expected)


@pytest.mark.parametrize(
    ("seen", "expected", "sentence"),
    [
        ([1, 2], (1, 2), "expected a tuple of 2, got a list of 2"),
        ((1, 2), [1, 2], "expected a list of 2, got a tuple of 2"),
        (np.array([1, 2]), (1, 2), "expected a tuple of 2, got an array of shape (2,)"),
        ([[1, 2], [3, 4]], [(1, 2), (3, 4)], "in result[0]: expected a tuple of 2, got a list of 2"),
        ([(1, 2), (3, 5)], [(1, 2), (3, 4)], "in result[1]: 1 of 2 numbers differ"),
    ],
)
def test_a_tuple_is_no_list_where_tuples_are_kept(seen: Any, expected: Any, sentence: str) -> None:
    assert sentence in (told(seen, expected, tuples=True) or "passes")
    assert told(expected, expected, tuples=True) is None
    if not isinstance(seen, np.ndarray) and "expected a" in sentence:
        assert told(seen, expected) is None


def test_a_thing_that_is_far_too_large_is_not_looked_at() -> None:
    large = crossed(set(range(5000)))
    assert outgrows(large, {1})
    assert outgrown(large, {1}) == "expected a set of 1, got a set of 5000"
    for value in (frame(a=np.zeros(5000)), pd.DataFrame(index=range(5000)), pd.Series(range(5000))):
        assert outgrows(crossed(value), crossed(frame(a=[1.0])))
    assert "rows" in str(outgrown(crossed(pd.DataFrame(index=range(5000))), crossed(frame(a=[1.0]))))
    assert not outgrows(crossed(frame(a=np.zeros(5000))), crossed(frame(a=np.ones(5000))))


# -- what is judged and shown ------------------------------------------------------------------------------------------


def check_with(then: Any = None, view: Any = None) -> Check:
    made = Check("q", lambda: {}, kind="call", calls="f", trials=1, weight=1, tol=1e-8, covers="")
    made.then_function, made.view_function = then, view
    return made


def test_a_then_gets_only_what_is_of_the_expected_kind() -> None:
    def then(seen: Any) -> None:
        raise AssertionError(f"then saw {type(seen).__name__}")

    cases: list[tuple[Any, Any, str]] = [
        ({1}, [1.0, 2.0], "got a set"),
        ([1.0], {1}, "expected a set"),
        (D("0.5"), 0.25, "then saw float"),
        (D("0.5"), D("0.25"), "then saw Decimal"),
        (frame(a=[1.0]), frame(a=[2.0]), "then saw Table"),
        (frame(a=[1.0]), {"a": np.ones(1)}, "which is not accepted"),
        (frame(a=[np.nan]), frame(a=[2.0]), "numbers are NaN"),
        (D("1e4000"), D("0.25"), "expected 0.25"),
        (dt.date(2024, 1, 1), dt.date(2024, 1, 2), "then saw date"),
    ]
    for seen, expected, sentence in cases:
        assert sentence in (find_fault(check_with(then), crossed(seen), crossed(expected), {}) or "passes"), sentence


def test_coarse_columns_are_read_as_what_the_question_allows() -> None:
    check = check_with()
    check.precision = "double"
    right, coarse = frame(a=[0.1, 0.2]), frame(a=np.array([0.1, 0.2], np.float32))
    assert find_fault(check, crossed(right), crossed(right), {}) is None
    assert "returned float32, which is too coarse here" in str(find_fault(check, crossed(coarse), crossed(right), {}))
    check.precision = "single"
    assert find_fault(check, crossed(coarse), crossed(right), {}) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({3, 1, 2}, "{1, 2, 3}"),
        (set(), "set()"),
        ({"b", "a"}, "{'a', 'b'}"),
        (set(range(20)), "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …}"),
        (D("1.50"), "Decimal('1.50')"),
        (F(1, 2), "Fraction(1, 2)"),
        (dt.date(2024, 1, 2), "datetime.date(2024, 1, 2)"),
        (frame(a=[1, 2], b=["x", None]), "DataFrame {index: [0, 1], a: [1, 2], b: ['x', None]}"),
        (MEANS, "Series {index: ['a', 'b'], mean: [1.5, 2.5]}"),
    ],
)
def test_a_thing_is_shown(value: Any, text: str) -> None:
    assert show(crossed(value)) == text


def test_a_tuple_is_shown_as_one_where_it_is_kept() -> None:
    assert show(crossed([(1,), (1, 2), [3]], tuples=True)) == "[(1,), (1, 2), [3]]"


def test_different_mistakes_have_different_names_and_equal_ones_the_same() -> None:
    wrong: list[Any] = [{1, 2}, {1, 3}, D("0.5"), D("0.25"), F(1, 2), dt.date(2024, 1, 1), dt.date(2024, 1, 2),
                        frame(a=[1]), frame(a=[2]), frame(b=[1]), frame(a=[1]).set_index(pd.Index([7]))]  # fmt: skip
    names = [fingerprint([(check_with(), Answer("returned", crossed(one)), None, {})]) for one in wrong]
    assert len(set(names)) == len(wrong)
    same = [fingerprint([(check_with(), Answer("returned", crossed(one)), None, {})]) for one in ({2, 1}, {1, 2})]
    assert same[0] == same[1]


@pytest.mark.parametrize("value", [*THINGS[1:], *TABLES[:4], MEANS, (1.5, 2), DAYS], ids=named)
def test_trivial_answers_in_the_form_of_a_thing_are_never_right(value: Any) -> None:
    right = [Observation(status="returned", value=wire.encode(value, tuples=True))]
    for make in (lambda one: derived.constant(one, 7.0), derived.empty, derived.stretched):
        (made,) = make(right)
        assert difference(wire.decode(made.value), wire.decode(right[0].value)) is not None
    (noisy,) = derived.noisy(right)
    assert difference(wire.decode(noisy.value), wire.decode(right[0].value)) is None
