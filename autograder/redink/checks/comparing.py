"""When two answers are the same, and how to say in words how they differ.

The policy: numbers agree within `tol` of the largest number expected; float32 is accepted at its own tolerance, with a
note (what a question allows, and half precision: precision.py); a list passes for an array, a 0-d array for a number; floats
that are whole, up to their rounding, pass for integers, which otherwise must agree exactly, at any size; complex numbers
pass for real ones where they agree, with a note; 0 and 1, floats or not, pass for booleans, but no boolean for a number; NaN
and infinities pass only where they are expected. Every rule is written so that NaN fails, and none raises, whatever a
student returned. An answer that is far larger than the expected one is not looked at any further (sizes.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redink.checks.describing import describe, extent, key_name, part, placed, readable, short
from redink.checks.precision import COMPLEX, TOLERANCES, is_numeric, kinds
from redink.checks.sizes import inner, outgrows
from redink.checks.things import EXACT, is_thing, thing_difference, unlike
from redink.texts import clean
from redink.wire import Opaque, TensorArray, TupleList

TINY = 1e-12  # what rounding leaves where the truth is 0
NOT_PLAIN = "the check compares something that is not plain data"
_EXACT_NAMES = frozenset(kind.__name__ for kind in EXACT)
_NAMED = 4  # values of which each is described
_COMPARED = 1000  # entries among which the first that differs is sought
_SAFE = 2**53  # up to here a float is exact for integers
_ROUNDING, _NEARLY_WHOLE = 1e-9, 1e-3  # how far a float may miss an integer: relative, and at most


def difference(seen: Any, expected: Any, tol: float = 1e-8) -> str | None:
    """Say in words how `seen` differs from `expected`; None when it does not."""
    return outgrown(seen, expected) or _difference(seen, expected, tol)


def outgrown(seen: Any, expected: Any) -> str | None:
    """Say what was expected and what came, where that is so much larger that it cannot be meant as an answer."""
    if not outgrows(seen, expected):
        return None
    if isinstance(seen, dict) and isinstance(expected, dict):
        inside = ((part(key), seen[key], expected[key]) for key in expected if key in seen)
    elif isinstance(seen, list) and isinstance(expected, list) and len(seen) == len(expected):
        inside = ((f"[{place}]", *pair) for place, pair in enumerate(zip(seen, expected, strict=True)))
    else:
        return f"expected {extent(expected)}, got {extent(seen)}"
    worse = (placed(where, told) for where, one, other in inside if (told := outgrown(one, other)))
    return next(worse, f"expected {extent(expected)}, got one with far more in it")


def _difference(seen: Any, expected: Any, tol: float) -> str | None:
    seen, expected = _plain(seen), _plain(expected)
    if expected is None:
        return None if seen is None else f"expected None, got {describe(seen)}"
    if isinstance(expected, Opaque):
        return NOT_PLAIN
    if told := unlike(seen, expected):
        return told
    if is_thing(expected):
        return thing_difference(seen, expected, tol, _difference)
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
    if found & COMPLEX and not wanted & COMPLEX:
        told.append("returned complex numbers")
    if _has(expected, TensorArray) != _has(seen, TensorArray) and _has(seen, np.ndarray):
        told.append("returned a tensor" if _has(seen, TensorArray) else "returned a numpy array, not a tensor")
    return tuple(told)


def _string_difference(seen: Any, expected: str) -> str | None:
    if not isinstance(seen, str):
        return f"expected a string, got {describe(seen)}"
    return None if seen == expected else f"expected {expected[:200]!r}, got {seen[:80]!r}"


def _dict_difference(seen: Any, expected: dict[Any, Any], tol: float) -> str | None:
    if not isinstance(seen, dict):
        return f"expected a dict, got {describe(seen)}"
    if told := other_ending(seen, expected):
        return told
    if seen.keys() == expected.keys() == {"returns"} and isinstance(expected["returns"], Opaque):
        return _type_difference(seen["returns"], expected["returns"])
    if missing := [key for key in expected if key not in seen]:
        return f"the key {key_name(missing[0])} is missing"
    if len(seen) > len(expected):
        return f"the key {key_name(next(key for key in seen if key not in expected))} is not expected"
    return next((placed(part(key), d) for key in expected if (d := _difference(seen[key], expected[key], tol))), None)


def other_ending(seen: dict[Any, Any], expected: dict[Any, Any]) -> str | None:
    """Say that one of two calls raised, as `raised` tells it, and the other returned."""
    told = {"raises", "returns"}
    if not (len(seen) == len(expected) == 1 and seen.keys() | expected.keys() == told):
        return None
    return f"expected that the call {_ending(expected)}, but it {_ending(seen)}"


def _ending(told: dict[str, Any]) -> str:
    return f"raises a {clean(str(told['raises']), 100)}" if "raises" in told else f"returns {describe(told['returns'])}"


def _type_difference(seen: Any, expected: Opaque) -> str | None:
    """Compare what `raised` tells of an object that cannot cross: the name of its type is all there is."""
    alike = isinstance(seen, Opaque) and seen.type_name == expected.type_name
    return None if alike else f"expected {describe(expected)}, got {describe(seen)}"


def _list_difference(seen: Any, expected: list[Any], tol: float) -> str | None:
    if isinstance(seen, np.ndarray) and seen.ndim and _may_be_stacked(seen, expected):
        seen = list(seen)
    if not isinstance(seen, list) or len(seen) != len(expected):
        return miscounted(seen, expected) + (_agreement(seen, expected, tol) if isinstance(seen, list) else "")
    if {type(item) for item in expected} == {int, float}:  # a count beside a real number: each at its own scale
        expected = [item if abs(item) > _SAFE else float(item) for item in expected]
    for place, (got, wanted) in enumerate(zip(seen, expected, strict=True)):
        if found := _difference(got, wanted, tol):
            return placed(f"[{place}]", found)
    return None


def miscounted(seen: Any, expected: list[Any]) -> str:
    """Say how many values were expected and what came instead; of an array, which holds numbers, that it is one value."""
    wanted = f"{len(expected)} value{'' if len(expected) == 1 else 's'}"
    if isinstance(seen, list):
        return f"expected {wanted}, got {len(seen)}"
    if not isinstance(seen, np.ndarray) or not seen.ndim or not 1 < len(expected) <= _NAMED:
        return f"expected {wanted}, got {describe(seen)}"
    return f"expected {wanted} ({' and '.join(map(describe, expected))}), got one: {describe(seen)}"


def _agreement(seen: Any, expected: Any, tol: float) -> str:
    """Say how far two sequences of unlike lengths agree."""
    both = min(len(seen), len(expected))
    if not both:
        return ""
    if _difference(seen[:both], expected[:both], tol) is None:
        return f"; the first {'one agrees' if both == 1 else f'{both} agree'}"
    wrong = (place for place in range(both) if _difference(seen[: place + 1], expected[: place + 1], tol))
    return f"; [{next(wrong)}] is the first that differs" if both <= _COMPARED else ""


def _may_be_stacked(seen: np.ndarray[Any, Any], expected: list[Any]) -> bool:
    """Tell whether an array can stand for a list of several things: numbers, or arrays, of one shape."""
    for item in expected:
        if is_numeric(item):
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
    if not wanted.shape and isinstance(seen, list):
        return f"expected a number, got {describe(seen)}"
    if got.shape != wanted.shape:
        along = _agreement(got, wanted, tol) if got.ndim == wanted.ndim == 1 else ""
        return f"expected {len(wanted)} entries, got {len(got)}{along}" if along else _shapes(got.shape, wanted.shape)
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
    try:
        seen = rounded(seen)
    except OverflowError:
        return None, "got a number that no float can hold"
    if not is_numeric(seen):
        return None, f"got {describe(seen)}"
    try:
        return np.asarray(seen), ""  # of objects, where integers are too large for numpy
    except (ValueError, OverflowError):
        return None, "got rows of different lengths"


def rounded(seen: Any) -> Any:
    """Read exact numbers as floats, where floats or integers are expected."""
    if isinstance(seen, EXACT):
        return float(seen)
    if isinstance(seen, list | tuple) and not kinds(seen).isdisjoint(_EXACT_NAMES):
        return [rounded(item) for item in seen]
    return seen


def is_table(expected: list[Any]) -> bool:
    """Tell whether a list holds numbers, or rows of them of one length, and not several things."""
    if {type(item) for item in expected} == {int, float} or _holds_tuples(expected):
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


def _holds_tuples(value: list[Any]) -> bool:
    """Tell whether tuples that are not lists stand in a list."""
    return any(isinstance(one, TupleList) or (isinstance(one, list) and _holds_tuples(one)) for one in inner(value))


def _leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list | tuple) else [value]


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
    """Compare integers, also where neither a float nor a machine integer can hold them: exactly, but for rounding."""
    if np.result_type(got, wanted).kind in "iu":
        right = got == wanted
    elif got.dtype.kind == "f" and wanted.dtype.kind != "O" and np.all(np.abs(wanted) <= _SAFE):
        with np.errstate(all="ignore"):
            right = np.abs(got.astype(np.float64) - wanted) <= np.clip(_ROUNDING * np.abs(wanted), TINY, _NEARLY_WHOLE)
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
        texts = short(np.asarray(wanted).item()), short(np.asarray(got).item())
    return f"expected {texts[0]}, got {texts[1]}"


def _has(value: Any, kind: type) -> bool:
    if isinstance(value, list | dict):
        return any(_has(item, kind) for item in inner(value.values() if isinstance(value, dict) else value))
    return isinstance(value, kind)
