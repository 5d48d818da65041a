"""When two answers are the same, and how to say in words how they differ.

The policy: numbers agree within `tol` of the largest number expected; float32 is accepted at its own tolerance, with a
note; a list passes for an array, a 0-d array for a number; whole floats pass for integers, which must agree exactly, at
any size; 0 and 1, floats or not, pass for booleans, but no boolean for a number; NaN and infinities pass only
where they are expected. Every rule is written so that NaN fails, and none raises, whatever a student returned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redink.wire import Opaque, TensorArray

TINY = 1e-12  # what rounding leaves where the truth is 0
FLOAT32 = 1e-4
NOT_PLAIN = "the check compares something that is not plain data"
_SAFE = 2**53  # up to here a float is exact for integers
_COARSE = {"float32": FLOAT32, "complex64": FLOAT32, "float16": 1e-2}


def difference(seen: Any, expected: Any, tol: float = 1e-8) -> str | None:
    """Say in words how `seen` differs from `expected`; None when it does not."""
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
    found = [f"returned {name}" for name in _dtypes(seen) if name in _COARSE and name not in _dtypes(expected)]
    if _kinds(expected, TensorArray) != _kinds(seen, TensorArray) and _has_array(seen):
        found.append("returned a tensor" if _kinds(seen, TensorArray) else "returned a numpy array, not a tensor")
    return tuple(found)


def describe(value: Any) -> str:
    """Name what a value is, not what is in it."""
    if isinstance(value, Opaque):
        return f"an object of type {value.type_name}"
    if isinstance(value, np.ndarray) and value.shape:
        return f"{'a tensor' if isinstance(value, TensorArray) else 'an array'} of shape {value.shape}"
    if value is None:
        return "None"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, dict):
        return f"a dict with keys {', '.join(str(key)[:40] for key in list(value)[:6]) or '(none)'}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if _numeric(value):
        return "a boolean" if np.asarray(value).dtype.kind == "b" else "a number"
    return f"an object of type {type(value).__name__[:100]}"


def _string_difference(seen: Any, expected: str) -> str | None:
    if not isinstance(seen, str):
        return f"expected a string, got {describe(seen)}"
    return None if seen == expected else f"expected {expected!r}, got {seen[:80]!r}"


def _dict_difference(seen: Any, expected: dict[Any, Any], tol: float) -> str | None:
    if not isinstance(seen, dict):
        return f"expected a dict, got {describe(seen)}"
    missing = [str(key) for key in expected if key not in seen]
    if missing:
        return f"the key {missing[0][:40]} is missing"
    extra = [str(key) for key in seen if key not in expected]
    if extra:
        return f"the key {extra[0][:40]} is not expected"
    return next((f"at {key}: {d}" for key in expected if (d := difference(seen[key], expected[key], tol))), None)


def _list_difference(seen: Any, expected: list[Any], tol: float) -> str | None:
    if isinstance(seen, np.ndarray) and seen.ndim and _may_be_stacked(seen, expected):
        seen = list(seen)
    if not isinstance(seen, list) or len(seen) != len(expected):
        wanted = f"{len(expected)} value{'' if len(expected) == 1 else 's'}"
        return f"expected {wanted}, got {len(seen) if isinstance(seen, list) else describe(seen)}"
    if {type(item) for item in expected} == {int, float}:  # a count beside a real number: each at its own scale
        expected = [item if abs(item) > _SAFE else float(item) for item in expected]
    for place, (got, wanted) in enumerate(zip(seen, expected, strict=True), start=1):
        if found := difference(got, wanted, tol):
            return f"value {place} of {len(expected)}: {found}"
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
    if other := _other_kind(seen, got, whole):
        return other
    if whole:
        return _integer_difference(got, wanted)
    coarse = max((_COARSE.get(name, 0.0) for name in (*_dtypes(seen), *_dtypes(expected))), default=0.0)
    return _float_difference(got, wanted, max(tol, coarse), max(TINY, 1e-2 * coarse))


def _other_kind(seen: Any, got: np.ndarray[Any, Any], whole: bool) -> str | None:
    if any(_is_boolean(leaf) for leaf in _leaves(seen)):
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
    leaves = _leaves(expected)
    kinds = {type(leaf) for leaf in leaves}
    if kinds == {int, float} and any(isinstance(leaf, int) and abs(leaf) > _SAFE for leaf in leaves):
        return False  # no array holds such an integer and a float exactly
    return (kinds <= {int, float} or kinds == {bool}) and as_array(expected)[0] is not None


def _plain(value: Any) -> Any:
    """Read what a `then` or a `view` may compute as what the wire would make of it."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    return list(value) if isinstance(value, tuple) else value


def _leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list | tuple) else [value]


def _numeric(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_numeric(item) for item in value)
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "biufc"
    return isinstance(value, bool | int | float | complex)


def _is_boolean(leaf: Any) -> bool:
    return isinstance(leaf, bool) or (isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind == "b")


def _shapes(got: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    if not wanted:
        return f"expected a number, got an array of shape {got}"
    return f"expected shape {wanted}, got {got if got else 'a single number'}"


def _boolean_difference(got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> str | None:
    if got.dtype.kind not in "biuf" or not np.isin(got, (0, 1)).all():
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
    text = str(value)
    return text if len(text) <= 48 else f"{text[:20]}…{text[-20:]} ({len(text)} digits)"


def _dtypes(value: Any) -> list[str]:
    if isinstance(value, np.ndarray | np.generic):
        return [value.dtype.name]
    if isinstance(value, list | tuple | dict):
        items = value.values() if isinstance(value, dict) else value
        return sorted({name for item in items for name in _dtypes(item)})
    return []


def _kinds(value: Any, kind: type) -> bool:
    if isinstance(value, list | dict):
        return any(_kinds(item, kind) for item in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, kind)


def _has_array(value: Any) -> bool:
    return _kinds(value, np.ndarray)
