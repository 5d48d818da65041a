"""When two answers are the same, and how to say in words that they are not.

The policy: numbers agree within `tol` of the largest number expected; float32 is accepted at its own tolerance, with a
note; a list passes for an array, a 0-d array for a number; whole floats pass for integers; NaN and infinities pass only
where they are expected. Every rule is written so that NaN fails.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redink.wire import Opaque, TensorArray

TINY = 1e-12  # what rounding leaves where the truth is 0
FLOAT32 = 1e-4
_COARSE = {"float32": FLOAT32, "complex64": FLOAT32, "float16": 1e-2}


def difference(seen: Any, expected: Any, tol: float = 1e-8) -> str | None:
    """Say in words how `seen` differs from `expected`; None when it does not."""
    if expected is None:
        return None if seen is None else f"expected None, got {describe(seen)}"
    if isinstance(expected, Opaque):
        return "the check compares something that is not plain data"
    if isinstance(expected, str):
        return _text(seen, expected)
    if isinstance(expected, dict):
        return _mapping(seen, expected, tol)
    if isinstance(expected, list) and not _numeric(expected):
        return _sequence(seen, expected, tol)
    return _numbers(seen, expected, tol)


def notes(seen: Any, expected: Any) -> tuple[str, ...]:
    """Tell what was accepted although it was not quite what was asked."""
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
        return "a text"
    if isinstance(value, dict):
        return f"a dict with keys {', '.join(map(str, list(value)[:6])) or '(none)'}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a truth value" if isinstance(value, bool | np.bool_) else "a number"


def _text(seen: Any, expected: str) -> str | None:
    if not isinstance(seen, str):
        return f"expected a text, got {describe(seen)}"
    return None if seen == expected else f"expected {expected!r}, got {seen[:80]!r}"


def _mapping(seen: Any, expected: dict[Any, Any], tol: float) -> str | None:
    if not isinstance(seen, dict):
        return f"expected a dict, got {describe(seen)}"
    missing = [str(key) for key in expected if key not in seen]
    if missing:
        return f"the key {missing[0]} is missing"
    extra = [str(key) for key in seen if key not in expected]
    if extra:
        return f"the key {extra[0][:40]} is not expected"
    return next((f"at {key}: {d}" for key in expected if (d := difference(seen[key], expected[key], tol))), None)


def _sequence(seen: Any, expected: list[Any], tol: float) -> str | None:
    if isinstance(seen, np.ndarray) and seen.ndim:
        seen = list(seen)
    if not isinstance(seen, list):
        return f"expected {len(expected)} values, got {describe(seen)}"
    if len(seen) != len(expected):
        return f"expected {len(expected)} values, got {len(seen)}"
    for place, (got, wanted) in enumerate(zip(seen, expected, strict=True), start=1):
        if found := difference(got, wanted, tol):
            return f"value {place} of {len(expected)}: {found}"
    return None


def _numbers(seen: Any, expected: Any, tol: float) -> str | None:
    wanted = np.asarray(expected)
    got, complaint = as_array(seen)
    if got is None:
        return f"expected {describe(expected)}, {complaint}"
    if got.shape != wanted.shape:
        return _shapes(got.shape, wanted.shape)
    if wanted.dtype.kind == "b":
        return _truths(got, wanted)
    if got.dtype.kind == "b" and wanted.dtype.kind in "iu":
        return "expected integers, got truth values" if wanted.shape else "expected an integer, got a truth value"
    if wanted.dtype.kind in "iu":
        tol, tiny = 0.0, 0.0
    else:
        coarse = max(_COARSE.get(got.dtype.name, 0.0), _COARSE.get(wanted.dtype.name, 0.0))
        tol, tiny = max(tol, coarse), max(TINY, 1e-2 * coarse)
    return _values(got, wanted, tol, tiny)


def as_array(seen: Any) -> tuple[np.ndarray[Any, Any] | None, str]:
    """Read numbers from an array, a number or a list of them; otherwise say what was found."""
    if isinstance(seen, np.ndarray):
        return np.asarray(seen), ""
    if isinstance(seen, bool | int | float):
        return np.asarray(seen), ""
    if isinstance(seen, list) and _numeric(seen):
        try:
            return np.asarray(seen), ""
        except ValueError:
            return None, "got rows of different lengths"
    return None, f"got {describe(seen)}"


def _numeric(value: Any) -> bool:
    if isinstance(value, list):
        return all(_numeric(item) for item in value)
    return isinstance(value, bool | int | float | np.ndarray)


def _shapes(got: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    if not wanted:
        return f"expected a number, got an array of shape {got}"
    return f"expected shape {wanted}, got {got if got else 'a single number'}"


def _truths(got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> str | None:
    if got.dtype.kind not in "biu" or not np.isin(got, (0, 1)).all():
        return "expected True or False" + (" everywhere" if wanted.shape else f", got {telling(got)}")
    wrong = got.astype(bool) != wanted
    if not wrong.any():
        return None
    if not wanted.shape:
        return f"expected {bool(wanted)}, got {bool(got)}"
    return f"{int(wrong.sum())} of {wanted.size} truth values are wrong"


def _values(got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], tol: float, tiny: float) -> str | None:
    finite = np.isfinite(wanted)
    stray = np.isnan(got) & ~np.isnan(wanted)
    if stray.any():
        return f"{int(stray.sum())} of {got.size} numbers are NaN" if got.shape else "got NaN"
    same = np.where(finite, False, (got == wanted) | (np.isnan(got) & np.isnan(wanted)))
    scale = float(np.abs(wanted[finite]).max(initial=0.0))
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(np.where(finite, got, 0) - np.where(finite, wanted, 0))
    right = np.where(finite, error <= tol * scale + tiny, same)
    if right.all():
        return None
    if not wanted.shape:
        return f"expected {telling(wanted)}, got {telling(got)}"
    worst = np.unravel_index(int(np.argmax(np.where(right, -1.0, np.nan_to_num(error, nan=np.inf)))), wanted.shape)
    place = ", ".join(str(int(i)) for i in worst)
    return (
        f"{int((~right).sum())} of {wanted.size} numbers differ; "
        f"at [{place}] expected {telling(wanted[worst])}, got {telling(got[worst])}"
    )


def telling(number: Any) -> str:
    """Write a number so that it can be read and, for simple ones, typed again."""
    value = np.asarray(number).item()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _dtypes(value: Any) -> list[str]:
    if isinstance(value, np.ndarray):
        return [value.dtype.name]
    if isinstance(value, list | dict):
        items = value.values() if isinstance(value, dict) else value
        return sorted({name for item in items for name in _dtypes(item)})
    return []


def _kinds(value: Any, kind: type) -> bool:
    if isinstance(value, list | dict):
        return any(_kinds(item, kind) for item in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, kind)


def _has_array(value: Any) -> bool:
    return _kinds(value, np.ndarray)
