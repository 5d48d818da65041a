"""What a value is, in words: its kind and its size, the name of a key, a number that can be read."""

from __future__ import annotations

import datetime
import itertools
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from redink.checks.precision import is_numeric
from redink.checks.sizes import outline
from redink.texts import clean
from redink.texts import number as written
from redink.wire import Opaque, Table, TensorArray, TupleList

IN_RESULT = "in result"  # how a sentence about a part of an answer begins: "in result[1][0]: …"
_KINDS = (  # of what is no number and holds nothing; a datetime is a date too
    (datetime.datetime, "a datetime"),
    (datetime.date, "a date"),
    (datetime.time, "a time"),
    (datetime.timedelta, "a timedelta"),
    (Decimal, "a Decimal"),
    (Fraction, "a Fraction"),
    (str, "a string"),
    (type(None), "None"),
)
_REFUSED = MappingProxyType(
    {
        "MaskedArray": "a masked array, which is not accepted: return a plain one",
        "Index": "a pandas Index, which is not accepted: return its .to_numpy()",
    }
)


def describe(value: Any) -> str:
    """Name what a value is, not what is in it."""
    if isinstance(value, Opaque):
        return _described_object(value.type_name)
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    if isinstance(value, np.ndarray) and value.shape:
        return f"{_array(value)} of shape {value.shape}"
    if isinstance(value, list | tuple | set | frozenset | dict):
        return _collection(value)
    if is_numeric(value):
        return "a boolean" if np.asarray(value).dtype.kind == "b" else "a number"
    return _described_object(type(value).__name__)


def _array(value: np.ndarray[Any, Any]) -> str:
    if value.dtype.kind in "mM":
        return "an array of datetimes" if value.dtype.kind == "M" else "an array of timedeltas"
    return "a tensor" if isinstance(value, TensorArray) else "an array"


def _collection(value: Any) -> str:
    if isinstance(value, Table) and value.is_series:
        return f"a pandas Series of {len(value.index)}"
    if isinstance(value, dict):
        what = "a pandas DataFrame with columns" if isinstance(value, Table) else "a dict with keys"
        return f"{what} {', '.join(map(key_name, itertools.islice(value, 6))) or '(none)'}"
    if isinstance(value, set | frozenset):
        return f"a set of {len(value)}"
    return f"a {'tuple' if isinstance(value, TupleList) else 'list'} of {len(value)}"


def _described_object(type_name: str) -> str:
    if type_name in _REFUSED:
        return _REFUSED[type_name]
    return f"an object of type {clean(type_name, 100)}"


def extent(value: Any) -> str:
    """Name a value by its size."""
    if isinstance(value, Table):
        return f"a pandas {value.kind} with {len(value.index)} rows and {len(value)} columns"
    if isinstance(value, str):
        return f"a string of {len(value)} characters"
    if isinstance(value, dict):
        return f"a dict of {len(value)} keys"
    shape = outline(value)
    return f"lists of shape {shape}" if isinstance(value, list | tuple) and len(shape) > 1 else describe(value)


def key_name(key: Any, most: int = 40) -> str:
    """Write a key of a dict, or the beginning of it."""
    if isinstance(key, str):
        return clean(key, most)
    if isinstance(key, tuple):
        few = ", ".join("(…)" if isinstance(part, tuple) else key_name(part, 12) for part in key[:4])
        return f"({few}, …)" if len(key) > 4 else f"({few})"
    return written(key) if type(key) is int else clean(repr(key), most)


def placed(piece: str, told: str) -> str:
    """Say in which part of the answer something is so; what is deeper inside has a place already."""
    return f"{IN_RESULT}{piece}{told.removeprefix(IN_RESULT) if told.startswith(IN_RESULT) else f': {told}'}"


def part(key: Any) -> str:
    """Write the place of one value of a dict."""
    return f'["{key_name(key)}"]' if isinstance(key, str) else f"[{key_name(key)}]"


def readable(number: Any) -> str:
    """Write a number so that it can be read and, for simple ones, typed again."""
    value = np.asarray(number).item()
    return f"{value:.6g}" if isinstance(value, float) else short(value)


def short(value: Any) -> str:
    """Write a number in full, unless it is a very long integer."""
    return written(value) if type(value) is int else str(value)
