"""When two answers are the same, and how to say in words how they differ.

The policy: numbers agree within `tol` of the largest number expected; float32 is accepted at its own tolerance, with a
note (what a question allows, and half precision: precision.py); a list passes for an array, a 0-d array for a number; whole
floats pass for integers, which must agree exactly, at any size; complex numbers pass for real ones where they agree, with
a note; 0 and 1, floats or not, pass for booleans, but no boolean for a number; NaN and infinities pass only where they are
expected. Every rule is written so that NaN fails, and none raises, whatever a student returned. An answer that is far
larger than the expected one is not looked at any further (sizes.py).
"""

from __future__ import annotations

import itertools
from types import MappingProxyType
from typing import Any

import numpy as np

from redink.checks.precision import TOLERANCES, kinds
from redink.checks.sizes import inner, outgrows, outline
from redink.texts import clean
from redink.texts import number as written
from redink.wire import Opaque, TensorArray

IN_RESULT = "in result"  # how a sentence about a part of an answer begins: "in result[1][0]: …"
TINY = 1e-12  # what rounding leaves where the truth is 0
NOT_PLAIN = "the check compares something that is not plain data"
_REFUSED = MappingProxyType(
    {
        "MaskedArray": "a masked array, which is not accepted: return a plain one",
        "DataFrame": "a pandas DataFrame, which is not accepted: return its .to_numpy()",
        "Series": "a pandas Series, which is not accepted: return its .to_numpy()",
        "Index": "a pandas Index, which is not accepted: return its .to_numpy()",
    }
)
_SAFE = 2**53  # up to here a float is exact for integers
_COMPLEX = frozenset(["complex", *(np.dtype(code).name for code in np.typecodes["Complex"])])
_NUMBERS = frozenset(
    ["bool", "int", "float", "bfloat16", *(np.dtype(code).name for code in np.typecodes["AllInteger"])]
)
_NUMBERS |= _COMPLEX | {np.dtype(code).name for code in np.typecodes["Float"]}


def difference(seen: Any, expected: Any, tol: float = 1e-8) -> str | None:
    """Say in words how `seen` differs from `expected`; None when it does not."""
    return outgrown(seen, expected) or _difference(seen, expected, tol)


def outgrown(seen: Any, expected: Any) -> str | None:
    """Say what was expected and what came, where that is so much larger that it cannot be meant as an answer."""
    if not outgrows(seen, expected):
        return None
    if isinstance(seen, dict) and isinstance(expected, dict):
        inside = ((_key(key), seen[key], expected[key]) for key in expected if key in seen)
    elif isinstance(seen, list) and isinstance(expected, list) and len(seen) == len(expected):
        inside = ((f"[{place}]", *pair) for place, pair in enumerate(zip(seen, expected, strict=True)))
    else:
        return f"expected {_extent(expected)}, got {_extent(seen)}"
    worse = (placed(where, told) for where, one, other in inside if (told := outgrown(one, other)))
    return next(worse, f"expected {_extent(expected)}, got one with far more in it")


def _difference(seen: Any, expected: Any, tol: float) -> str | None:
    seen, expected = _plain(seen), _plain(expected)
    if expected is None:
        return None if seen is None else f"expected None, got {describe(seen)}"
    if isinstance(expected, Opaque):
        return NOT_PLAIN
    if isinstance(expected, str):
        return _string_difference(seen, expected)
    if isinstance(expected, dict):
        return _dict_difference(seen, expected, tol)
    if isinstance(expected, list) and not is_table(expected):
        return _list_difference(seen, expected, tol)
    return _number_difference(seen, expected, tol)


def notes(seen: Any, expected: Any) -> tuple[str, ...]:
    """List what was accepted although it is not quite what was asked for."""
    if outgrows(seen, expected):
        return ()
    found, wanted = kinds(seen), kinds(expected)
    told = [f"returned {name}" for name in sorted(found & TOLERANCES.keys()) if name not in wanted]
    if found & _COMPLEX and not wanted & _COMPLEX:
        told.append("returned complex numbers")
    if _has(expected, TensorArray) != _has(seen, TensorArray) and _has(seen, np.ndarray):
        told.append("returned a tensor" if _has(seen, TensorArray) else "returned a numpy array, not a tensor")
    return tuple(told)


def describe(value: Any) -> str:
    """Name what a value is, not what is in it."""
    if isinstance(value, Opaque):
        return _described_object(value.type_name)
    if isinstance(value, np.ndarray) and value.shape:
        return f"{'a tensor' if isinstance(value, TensorArray) else 'an array'} of shape {value.shape}"
    if value is None:
        return "None"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, dict):
        return f"a dict with keys {', '.join(map(key_name, itertools.islice(value, 6))) or '(none)'}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if _numeric(value):
        return "a boolean" if np.asarray(value).dtype.kind == "b" else "a number"
    return _described_object(type(value).__name__)


def _described_object(type_name: str) -> str:
    if type_name in _REFUSED:
        return _REFUSED[type_name]
    return f"an object of type {clean(type_name, 100)}"


def _extent(value: Any) -> str:
    """Name a value by its size."""
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


def _key(key: Any) -> str:
    return f'["{key_name(key)}"]' if isinstance(key, str) else f"[{key_name(key)}]"


def _string_difference(seen: Any, expected: str) -> str | None:
    if not isinstance(seen, str):
        return f"expected a string, got {describe(seen)}"
    return None if seen == expected else f"expected {expected[:200]!r}, got {seen[:80]!r}"


def _dict_difference(seen: Any, expected: dict[Any, Any], tol: float) -> str | None:
    if not isinstance(seen, dict):
        return f"expected a dict, got {describe(seen)}"
    if missing := [key for key in expected if key not in seen]:
        return f"the key {key_name(missing[0])} is missing"
    if len(seen) > len(expected):
        return f"the key {key_name(next(key for key in seen if key not in expected))} is not expected"
    return next((placed(_key(key), d) for key in expected if (d := _difference(seen[key], expected[key], tol))), None)


def _list_difference(seen: Any, expected: list[Any], tol: float) -> str | None:
    if isinstance(seen, np.ndarray) and seen.ndim and _may_be_stacked(seen, expected):
        seen = list(seen)
    if not isinstance(seen, list) or len(seen) != len(expected):
        wanted = f"{len(expected)} value{'' if len(expected) == 1 else 's'}"
        return f"expected {wanted}, got {len(seen) if isinstance(seen, list) else describe(seen)}"
    if {type(item) for item in expected} == {int, float}:  # a count beside a real number: each at its own scale
        expected = [item if abs(item) > _SAFE else float(item) for item in expected]
    for place, (got, wanted) in enumerate(zip(seen, expected, strict=True)):
        if found := _difference(got, wanted, tol):
            return placed(f"[{place}]", found)
    return None


def _may_be_stacked(seen: np.ndarray[Any, Any], expected: list[Any]) -> bool:
    """Tell whether an array can stand for a list of several things: numbers, or arrays, of one shape."""
    for item in expected:
        if _numeric(item):
            one, _ = as_array(item)  # none of ragged rows
            if _is_boolean(item) or one is None or one.shape != seen.shape[1:]:
                return False
    return True


def _number_difference(seen: Any, expected: Any, tol: float) -> str | None:
    wanted, _ = as_array(expected)
    if wanted is None:
        return NOT_PLAIN
    got, complaint = as_array(seen)
    if got is None:
        return f"expected {describe(expected)}, {complaint}"
    if got.shape != wanted.shape:
        return _shapes(got.shape, wanted.shape)
    if not wanted.size:
        return None
    if wanted.dtype.kind == "b":
        return _boolean_difference(got, wanted)
    whole = wanted.dtype.kind in "iu" or (wanted.dtype.kind == "O" and all(isinstance(n, int) for n in wanted.flat))
    found = kinds(seen)
    if other := _other_kind(found, got, whole):
        return other
    if whole:
        return _integer_difference(got, wanted)
    coarse = max(TOLERANCES.get(name, 0.0) for name in found | kinds(expected))
    return _float_difference(got, wanted, max(tol, coarse), max(TINY, 1e-2 * coarse))


def _other_kind(kinds_seen: set[str], got: np.ndarray[Any, Any], whole: bool) -> str | None:
    if "bool" in kinds_seen:
        found = "booleans" if got.shape else "a boolean"
    elif whole and got.dtype.kind == "c":
        found = "complex numbers" if got.shape else "a complex number"
    else:
        return None
    if got.shape:
        return f"expected {'integers' if whole else 'numbers'}, got {found}"
    return f"expected {'an integer' if whole else 'a number'}, got {found}"


def as_array(seen: Any) -> tuple[np.ndarray[Any, Any] | None, str]:
    """Read numbers from an array, a number or a list of them; otherwise say what was found."""
    if not _numeric(seen):
        return None, f"got {describe(seen)}"
    try:
        return np.asarray(seen), ""  # of objects, where integers are too large for numpy
    except (ValueError, OverflowError):
        return None, "got rows of different lengths"


def is_table(expected: list[Any]) -> bool:
    """Tell whether a list holds numbers, or rows of them of one length, and not several things."""
    if {type(item) for item in expected} == {int, float}:
        return False
    found = kinds(expected)
    if not (found <= {"int", "float"} or found == {"bool"}):
        return False
    if found == {"int", "float"} and any(isinstance(leaf, int) and abs(leaf) > _SAFE for leaf in _leaves(expected)):
        return False  # no array holds such an integer and a float exactly
    return as_array(expected)[0] is not None


def _plain(value: Any) -> Any:
    """Read what a `then` or a `view` may compute as what the wire would make of it."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    return list(value) if isinstance(value, tuple) else value


def _leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list | tuple) else [value]


def _numeric(value: Any) -> bool:
    return kinds(value) <= _NUMBERS


def _is_boolean(leaf: Any) -> bool:
    return isinstance(leaf, bool) or (isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind == "b")


def _shapes(got: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    if not wanted:
        return f"expected a number, got an array of shape {got}"
    return f"expected shape {wanted}, got {got if got else 'a single number'}"


def _boolean_difference(got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> str | None:
    if got.dtype.kind not in "biuf" or not ((got == 0) | (got == 1)).all():
        return "expected True or False" + (" everywhere" if wanted.shape else f", got {readable(got)}")
    wrong = got.astype(bool) != wanted
    if not wrong.any():
        return None
    if not wanted.shape:
        return f"expected {bool(wanted)}, got {bool(got)}"
    return f"{int(wrong.sum())} of {wanted.size} booleans are wrong"


def _integer_difference(got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> str | None:
    """Compare integers: exactly, also where neither a float nor a machine integer can hold them."""
    if np.result_type(got, wanted).kind in "iu":
        right = got == wanted
    elif got.dtype.kind == "f" and wanted.dtype.kind != "O" and np.all(np.abs(wanted) <= _SAFE):
        right = got.astype(np.float64) == wanted
    else:
        right = got.astype(object) == wanted.astype(object)
    right = np.asarray(right, dtype=bool)
    return _missed(got, wanted, right, ~right)


def _float_difference(got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], tol: float, tiny: float) -> str | None:
    """Compare real or complex numbers: within `tol` of the largest expected, and `tiny` where the truth is 0."""
    try:
        got, wanted = (one.astype(np.complex128 if one.dtype.kind == "c" else np.float64) for one in (got, wanted))
    except (OverflowError, TypeError, ValueError):
        return "expected a number, got one that no float can hold"
    with np.errstate(all="ignore"):
        scale = float(np.abs(wanted).max(initial=0.0))
        if scale < np.inf and (np.abs(got - wanted) <= tol * scale + tiny).all():  # what is right is said soon
            return None
    finite = np.isfinite(wanted)
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    with np.errstate(all="ignore"):
        scale = min(float(np.abs(wanted[finite]).max(initial=0.0)), np.finfo(np.float64).max)
        error = np.abs(np.where(finite, got, 0) - np.where(finite, wanted, 0))
    right = np.where(finite, np.isfinite(got) & (error <= tol * scale + tiny), same)
    return _missed(got, wanted, right, np.where(right, -1.0, np.nan_to_num(error, nan=np.inf)))


def _missed(
    got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], right: np.ndarray[Any, Any], error: np.ndarray[Any, Any]
) -> str | None:
    """Say how many numbers are wrong, and show the one with the largest error."""
    if right.all():
        return None
    if got.dtype.kind in "fc" and (stray := np.isnan(got) & ~right).any():
        return f"{int(stray.sum())} of {got.size} numbers are NaN" if got.shape else "got NaN"
    if not wanted.shape:
        return _versus(wanted, got)
    worst = np.unravel_index(int(np.argmax(error)), wanted.shape)
    place = ", ".join(str(int(i)) for i in worst)
    return f"{int((~right).sum())} of {wanted.size} numbers differ; at [{place}] {_versus(wanted[worst], got[worst])}"


def _versus(wanted: Any, got: Any) -> str:
    """Write two different numbers so that the difference shows."""
    texts = readable(wanted), readable(got)
    if texts[0] == texts[1]:
        texts = _short(np.asarray(wanted).item()), _short(np.asarray(got).item())
    return f"expected {texts[0]}, got {texts[1]}"


def readable(number: Any) -> str:
    """Write a number so that it can be read and, for simple ones, typed again."""
    value = np.asarray(number).item()
    return f"{value:.6g}" if isinstance(value, float) else _short(value)


def _short(value: Any) -> str:
    return written(value) if type(value) is int else str(value)


def _has(value: Any, kind: type) -> bool:
    if isinstance(value, list | dict):
        return any(_has(item, kind) for item in inner(value.values() if isinstance(value, dict) else value))
    return isinstance(value, kind)
