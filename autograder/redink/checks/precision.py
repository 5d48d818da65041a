"""How exact an answer must be: what the question says, never what the student chose.

A question allows `double`, `single` (unless it says otherwise) or `half`. Numbers of an allowed type are compared at
that type's own tolerance. Coarser ones are read as the allowed type and compared at its tolerance, so they pass only
where they happen to be exact enough.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from redink.checks.sizes import inner
from redink.records import Precision
from redink.wire import SCALARS, BFloat16Array, Table, TensorArray

SINGLE, HALF = 1e-4, 1e-2
_INNER = (np.ndarray, np.generic, list, tuple, dict)
COMPLEX = frozenset(["complex", *(np.dtype(code).name for code in np.typecodes["Complex"])])
_NUMBERS = (
    COMPLEX
    | frozenset(np.dtype(code).name for code in (*np.typecodes["AllInteger"], *np.typecodes["Float"]))
    | {"bool", "int", "float", "bfloat16"}
)
TOLERANCES: Mapping[str, float] = MappingProxyType(
    {"float32": SINGLE, "complex64": SINGLE, "float16": HALF, "bfloat16": HALF}
)
_COARSER: Mapping[Precision, Mapping[str, str]] = MappingProxyType(
    {  # what is too coarse, and as what it is read
        "double": {"float32": "float64", "complex64": "complex128", "float16": "float64", "bfloat16": "float64"},
        "single": {"float16": "float32", "bfloat16": "float32"},
        "half": {},
    }
)


def kinds(value: Any) -> set[str]:
    """Name the types of all numbers and other leaves in a value, and "dict" for a dict; arrays by their dtype."""
    if isinstance(value, np.ndarray):
        return {_dtype(value)}
    if type(value) in SCALARS:
        return {type(value).__name__}
    found: set[str] = set()
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, np.ndarray | np.generic):
            found.add(_dtype(one))
        elif isinstance(one, list | tuple | dict):
            items = one.values() if isinstance(one, dict) else one
            types = set(map(type, items))
            found |= {kind.__name__ for kind in types if not issubclass(kind, _INNER)}
            found |= {"dict"} if isinstance(one, dict) else set()
            if any(issubclass(kind, _INNER) for kind in types):
                waiting += [item for item in inner(items) if isinstance(item, _INNER)]
        else:
            found.add(type(one).__name__)
    return found


def is_numeric(value: Any) -> bool:
    """Tell whether a value is a number or a boolean, or holds nothing else."""
    return kinds(value) <= _NUMBERS


def _dtype(value: np.ndarray[Any, Any] | np.generic) -> str:
    return "bfloat16" if isinstance(value, BFloat16Array) else _name(value.dtype)


@functools.cache
def _name(dtype: np.dtype[Any]) -> str:
    return dtype.name  # numpy spells it out afresh each time


def refined(value: Any, allowed: Precision) -> Any:
    """Read numbers that are coarser than allowed as the coarsest type that is; without any, return `value` itself."""
    coarser = _COARSER[allowed]
    return _refined(value, coarser) if coarser and not kinds(value).isdisjoint(coarser) else value


def remark(value: Any, allowed: Precision) -> str:
    """Say which numbers are too coarse, and what to return instead."""
    found = sorted(kinds(value) & _COARSER[allowed].keys())
    better = "float64" if allowed == "double" else "float32 or float64"
    return f"returned {', '.join(found)}, which is too coarse here: return {better}"


def _refined(value: Any, coarser: Mapping[str, str]) -> Any:
    if isinstance(value, BFloat16Array):
        return value.view(TensorArray).astype(coarser["bfloat16"])
    if isinstance(value, np.ndarray):
        return value.astype(coarser.get(_dtype(value), value.dtype), copy=False)
    if isinstance(value, list):
        return type(value)(_refined(item, coarser) for item in value)
    if isinstance(value, Table):
        return value.like_this(((key, _refined(item, coarser)) for key, item in value.items()))
    if isinstance(value, dict):
        return {key: _refined(item, coarser) for key, item in value.items()}
    return value
