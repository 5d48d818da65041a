"""Comparing what is no number: sets, exact numbers, dates and times, tuples that are no lists, DataFrames and Series.

A Decimal or Fraction must be exactly the expected one, and may come as an integer; where a float is expected, both are
read as one. A set has no order, and its items agree as others do: no boolean with a number, no float with a Fraction.
The columns of a DataFrame are found by their names, in any order; its rows are compared in their order, with their
labels. What an index or a Series is called does not count.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from redink.checks.describing import describe, key_name, part, placed
from redink.texts import clean
from redink.wire import Table, TupleList

Compare = Callable[[Any, Any, float], str | None]
EXACT = (Decimal, Fraction)
MOMENTS = (datetime.date, datetime.time, datetime.timedelta)
_NOT_ACCEPTED = "which is not accepted: return its .to_numpy()"
_OF_PANDAS = "which is not accepted"
_MOST_SHOWN = 3


def is_thing(expected: Any) -> bool:
    """Tell whether an expected value is compared here; a tuple is not, but for what it is."""
    if isinstance(expected, np.ndarray):
        return expected.dtype.kind in "mM"
    return isinstance(expected, EXACT + MOMENTS + (set, frozenset, Table))


def unlike(seen: Any, expected: Any) -> str | None:
    """Say where one of the two is such a thing, and the other is of another kind."""
    if isinstance(seen, Table) and not isinstance(expected, Table):
        advice = _NOT_ACCEPTED if isinstance(expected, np.ndarray | list | int | float | complex) else _OF_PANDAS
        return f"expected {describe(expected)}, got a pandas {seen.kind}, {advice}"
    if isinstance(expected, list) and isinstance(seen, TupleList) != isinstance(expected, TupleList):
        is_other = isinstance(expected, TupleList) or isinstance(seen, TupleList)
        return f"expected {describe(expected)}, got {describe(seen)}" if is_other else None
    if is_thing(expected) and not _is_alike(seen, expected):
        inexact = ", which is not exact" if isinstance(expected, EXACT) and isinstance(seen, float) else ""
        return f"expected {describe(expected)}, got {'a float' if inexact else describe(seen)}{inexact}"
    return None


def _is_alike(seen: Any, expected: Any) -> bool:
    if isinstance(expected, EXACT):
        return type(seen) is type(expected) or type(seen) is int
    if isinstance(expected, set | frozenset):
        return isinstance(seen, set | frozenset)
    if isinstance(expected, Table):
        return isinstance(seen, Table) and seen.is_series == expected.is_series
    if isinstance(expected, np.ndarray):
        return isinstance(seen, np.ndarray) and seen.dtype == expected.dtype
    return type(seen) is type(expected)


def thing_difference(seen: Any, expected: Any, tol: float, compare: Compare) -> str | None:
    """Say how two values of one kind differ; `compare` is for what they hold."""
    if isinstance(expected, Table):
        return _table_difference(seen, expected, tol, compare)
    if isinstance(expected, set | frozenset):
        return _set_difference(seen, expected, tol, compare)
    if isinstance(expected, np.ndarray):
        return _moments_difference(seen, expected)
    if seen == expected:
        return None
    texts = [clean(str(one), 80) for one in (expected, seen)]
    if texts[0] == texts[1]:
        texts = [clean(repr(one), 120) for one in (expected, seen)]
    return f"expected {texts[0]}, got {texts[1]}"


def _table_difference(seen: Table, expected: Table, tol: float, compare: Compare) -> str | None:
    if not expected.is_series and (told := _columns_difference(seen, expected)):
        return told
    if len(seen.index) != len(expected.index):
        return f"expected {len(expected.index)} rows, got {len(seen.index)}"
    if told := compare(seen.index, expected.index, tol):
        return placed(".index", told)
    if expected.is_series:
        (got,), (wanted,) = seen.values(), expected.values()
        return _column_difference(got, wanted, tol, compare)
    told_of = ((name, _column_difference(seen[name], expected[name], tol, compare)) for name in expected)
    return next((placed(part(name), told) for name, told in told_of if told), None)


def _column_difference(seen: Any, expected: Any, tol: float, compare: Compare) -> str | None:
    """Compare two columns; where one is an array and the other is not, they are of different kinds, and no lists."""
    told = compare(seen, expected, tol)
    kinds = _column_kind(expected), _column_kind(seen)
    return f"expected {kinds[0]}, got {kinds[1]}" if told and kinds[0] != kinds[1] else told


def _column_kind(column: Any) -> str:
    """Name what a column holds, where all of it is alike."""
    if isinstance(column, np.ndarray):
        return {"b": "booleans", "M": "datetimes", "m": "timedeltas"}.get(column.dtype.kind, "numbers")
    found = {describe(item) for item in column if item is not None}
    if not found:
        return "missing values alone"
    name = found.pop().removeprefix("a ")
    return {"string": "texts", "number": "numbers"}.get(name, f"{name}s") if not found else "values of several kinds"


def _columns_difference(seen: Table, expected: Table) -> str | None:
    lacking, extra = (
        [name for name in one if name not in other] for one, other in ((expected, seen), (seen, expected))
    )
    if not lacking and not extra:
        return None
    names = lacking or extra
    said = f"column {_listed(names)} is" if len(names) == 1 else f"columns {_listed(names)} are"
    return f"the {said} {'missing' if lacking else 'not expected'}"


def _set_difference(seen: Any, expected: Any, tol: float, compare: Compare) -> str | None:
    own = {item: item for item in seen}
    pairs = ((own[item], item) for item in expected if item in own)  # True is equal to 1, and 0.5 to a Fraction
    if others := [told for got, wanted in pairs if (told := compare(got, wanted, tol))]:
        return min(others)
    lacking, extra = expected - seen, seen - expected
    if not lacking and not extra:
        return None
    if len(lacking) == len(extra) and all(type(item) in (int, float) for item in (*lacking, *extra)):
        near = zip(sorted(extra), sorted(lacking), strict=True)
        if all(compare(got, wanted, tol) is None for got, wanted in near):
            return None
    if lacking:
        return f"the set lacks {_listed(lacking)}" + (f", and should not have {_listed(extra)}" if extra else "")
    return f"the set should not have {_listed(extra)}"


def _moments_difference(seen: Any, expected: Any) -> str | None:
    if seen.shape != expected.shape:
        return f"expected shape {expected.shape}, got {seen.shape}"
    wrong = ~((seen == expected) | (np.isnat(seen) & np.isnat(expected)))
    if not wrong.any():
        return None
    place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    where = ", ".join(str(int(i)) for i in place)
    return f"{int(wrong.sum())} of {wrong.size} are wrong; at [{where}] expected {expected[place]}, got {seen[place]}"


def _listed(items: Collection[Any]) -> str:
    """Write a few items, in an order that does not depend on how they are stored."""
    names = sorted(repr(item[:40]) if isinstance(item, str) else key_name(item) for item in items)
    more = len(names) - _MOST_SHOWN
    return f"{', '.join(names[:_MOST_SHOWN])} and {more} more" if more > 0 else " and ".join(names)
