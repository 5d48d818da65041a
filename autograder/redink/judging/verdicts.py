"""Judging one trial: a pure function of what was seen, what was expected and the inputs.

No files, no clock, no processes: the same data always give the same verdict, which is what makes re-judging safe.
"""

from __future__ import annotations

import operator
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from redink.checks.comparing import as_array, difference, is_table, miscounted, notes, other_ending, outgrown
from redink.checks.describing import describe, key_name, placed
from redink.checks.language import Check, Fail, Function, blamed, call_by_name
from redink.checks.precision import COMPLEX, kinds, refined, remark
from redink.checks.sizes import outgrows
from redink.checks.things import is_thing, unlike
from redink.errors import AuthorError
from redink.judging.answers import Answer
from redink.records import NOT_WRITTEN, Verdict
from redink.texts import clean
from redink.wire import SCALARS, Opaque, Table

NOT_TRIED = "could not be tried without a GPU: something here depends on the values of a tensor"
_BOUND = 1e150
_ROUNDING = 1e-6  # of complex numbers that are meant to be real
_LONGEST = 1000  # characters of an author's sentence, which may quote the student's
_VAGUE = frozenset(  # kinds of error that any mistake may raise
    ["AttributeError", "IndexError", "KeyError", "NameError", "RuntimeError", "TypeError", "ValueError"]
)
_AUTHORS = (NameError, ImportError, SyntaxError)
_READS_VALUES = re.compile(r"\bmeta tensors?\b|'Meta' backend|\bregister_meta\b", re.IGNORECASE)


def judge(check: Check, seen: Answer, expected: Any, inputs: dict[str, Any]) -> Verdict:
    """Judge one trial of one check, against the value that the reference returned."""
    if seen.status != "returned":
        return ended(seen)
    fault = find_fault(check, seen.value, expected, inputs, seen.modified)
    return Verdict(verdict="failed" if fault else "passed", message=fault or "", notes=notes(seen.value, expected))


def ended(seen: Answer) -> Verdict:
    """Say how a call ended that returned nothing."""
    place = f" ({seen.where})" if seen.where else ""
    if is_untried(seen):
        return Verdict(verdict="not_run", message=NOT_TRIED)
    if is_unwritten(seen):
        return Verdict(verdict="not_run", message=NOT_WRITTEN)
    if seen.status == "raised":
        return Verdict(verdict="error", message=f"raised {seen.error}{place}")
    if seen.status == "died":
        return Verdict(verdict="error", message=seen.error)
    if seen.status == "timeout":
        return Verdict(verdict="timeout", message=seen.error or "took too long")
    if seen.status == "missing":
        return Verdict(verdict="not_run", message=f"{seen.error} is not defined")
    if seen.status == "too_large":
        return Verdict(verdict="failed", message=seen.error or "returned too much data")
    return Verdict(verdict="not_run", message=seen.error or "could not be reached")


def is_unwritten(seen: Answer) -> bool:
    """Tell whether a function is still the stub that was handed out."""
    return seen.status == "raised" and seen.error.startswith("NotImplementedError") and not is_untried(seen)


def is_untried(seen: Answer) -> bool:
    """Tell whether a call read the values of a meta tensor, which has none: that says nothing about its device."""
    return seen.status == "raised" and bool(_READS_VALUES.search(seen.error))


def find_fault(
    check: Check, seen: Any, expected: Any, inputs: dict[str, Any], modified: tuple[str, ...] = ()
) -> str | None:
    """Say what is wrong with an answer; None when nothing is.

    Numbers that are coarser than the question allows are judged as the precision that it does allow.
    """
    if large := outgrown(seen, expected):
        return large
    read = refined(seen, check.precision)
    fault = _fault(check, read, expected, inputs, modified)
    if fault and read is not seen and _fault(check, seen, expected, inputs, modified) is None:
        return f"{fault}; {remark(seen, check.precision)}"
    return fault


def _fault(check: Check, seen: Any, expected: Any, inputs: dict[str, Any], modified: tuple[str, ...]) -> str | None:
    if _is_boundless(seen):
        if not _has_nan(expected) and _has_nan(seen):
            return difference(seen, expected, check.tol) or "the answer contains NaN"
        if not _is_boundless(expected):  # they would overflow in an author's own arithmetic
            return difference(seen, expected, check.tol) or "the answer contains numbers without bounds"
    if check.then_function is None:
        return _different(check, seen, expected, inputs)
    if unlike := _unlike(seen, expected) or _imaginary(seen, expected):
        return unlike
    offered = {**inputs, "seen": _aligned(seen, expected), "expected": expected, "modified": modified}
    try:
        answer = _judging(check, "then", offered)
    except (Fail, AssertionError) as sentence:
        return clean(str(sentence), _LONGEST) or "the answer is wrong"
    except AuthorError:
        raise
    except Exception:  # noqa: BLE001 - the reference is judged first, so an error here comes from the student's data
        return _different(check, seen, expected, inputs) or f"cannot be judged: got {describe(seen)}"
    proved = answer is None or (isinstance(answer, bool | np.bool_) and bool(answer))
    return None if proved else "the answer is wrong"


def rehearse(check: Check, expected: Any, inputs: dict[str, Any]) -> None:
    """Try `then` and `view` on what the reference returned, where any error is the author's."""
    if isinstance(expected, Opaque):
        raise AuthorError(f"check {check.id}: its when returns a {expected.type_name}; return plain data")
    offered = {**inputs, "seen": expected, "expected": expected, "modified": ()}
    for name, function in (("then", check.then_function), ("view", check.view_function)):
        try:
            if function is not None:
                _call(function, offered if name == "then" else {**inputs, "seen": expected})
        except (Fail, AssertionError):
            continue  # a verdict on the reference: reported where it is judged
        except AuthorError as error:
            raise AuthorError(f"check {check.id}: its {name} {error}") from error
        except Exception as error:
            raise AuthorError(
                f"check {check.id}: its {name} raised {blamed(error)} on the reference's answer"
            ) from error


def same(check: Check, one: Answer, other: Answer, inputs: dict[str, Any]) -> bool:
    """Tell whether two answers are the same under the check's view."""
    if one.status != other.status:
        return False
    if one.status != "returned":
        kind = one.error.split(":")[0]
        return kind == other.error.split(":")[0] and (kind not in _VAGUE or one.error == other.error)
    if one.data and one.data == other.data:
        return True
    if outgrows(one.value, other.value):
        return False
    return _different(check, refined(one.value, check.precision), other.value, inputs) is None


def is_readable(check: Check, seen: Answer, inputs: dict[str, Any]) -> bool:
    """Tell whether the check's view can read an answer; if not, only the very same bytes are the same answer."""
    if seen.status != "returned":
        return True
    return _different(check, seen.value, seen.value, inputs) is None


def viewed(check: Check, seen: Any, expected: Any, inputs: dict[str, Any]) -> Any:
    """Bring an answer into the check's canonical form; as it is, where the view cannot read it."""
    if check.view_function is None or outgrows(seen, expected) or _unlike(seen, expected):
        return seen
    try:
        return _judging(check, "view", {**inputs, "seen": _aligned(seen, expected)})
    except AuthorError:
        raise
    except Exception:  # noqa: BLE001 - as in _fault
        return seen


def _different(check: Check, seen: Any, expected: Any, inputs: dict[str, Any]) -> str | None:
    """Compare two answers under the check's view."""
    if check.view_function is None:
        return difference(seen, expected, check.tol)
    if unlike := _unlike(seen, expected) or _imaginary(seen, expected):
        return unlike
    try:
        canonical = _judging(check, "view", {**inputs, "seen": _aligned(seen, expected)})
        wanted = _judging(check, "view", {**inputs, "seen": expected})
    except AuthorError:
        raise
    except Exception:  # noqa: BLE001 - as in _fault
        return f"cannot be judged: got {describe(seen)}"
    return difference(canonical, wanted, check.tol)


def _judging(check: Check, part: Literal["then", "view"], offered: dict[str, Any]) -> Any:
    """Call a check's `then` or `view`; an error that no data can cause is the author's, and never costs a student."""
    function = check.then_function if part == "then" else check.view_function
    assert function is not None
    try:
        return _call(function, offered)
    except _AUTHORS as error:
        raise AuthorError(f"check {check.id}: its {part} raised {blamed(error)}; the check must be mended") from error


def _call(function: Function, offered: dict[str, Any]) -> Any:
    """Call an author's function; a student's numbers may overflow in it as they like."""
    with np.errstate(all="ignore"):
        return call_by_name(function, offered)


def _has_nan(value: Any) -> bool:
    if isinstance(value, list | dict):
        items = value.values() if isinstance(value, dict) else value
        if SCALARS.issuperset(map(type, items)):
            return any(map(operator.ne, items, items))
        return any(_has_nan(item) for item in items)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return bool(np.isnan(value).any())
    return isinstance(value, float) and value != value


def _is_boundless(value: Any) -> bool:
    """Tell whether a value contains NaN, an infinity, or a number so large that its square is one."""
    if isinstance(value, list | dict):
        return any(_is_boundless(item) for item in (value.values() if isinstance(value, dict) else value))
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return bool(value.size) and not float(np.abs(value).max()) < _BOUND
    if isinstance(value, Decimal | Fraction):
        return not -_BOUND < value < _BOUND
    return isinstance(value, int | float) and not abs(value) < _BOUND


def _unlike(seen: Any, expected: Any) -> str | None:
    """Say when an answer is of another kind altogether, so that a `then` need not guard against it."""
    if (told := unlike(seen, expected)) or is_thing(expected):
        return told
    if isinstance(expected, dict) and isinstance(seen, dict):
        if told := other_ending(seen, expected):
            return told
        lacking = bool(expected) and expected.keys().isdisjoint(seen)  # which of them there must be, a `then` knows
        return f"the key {key_name(next(iter(expected)))} is missing" if lacking else None
    if isinstance(expected, str | dict) or expected is None:
        return None if type(seen) is type(expected) else f"expected {describe(expected)}, got {describe(seen)}"
    if isinstance(expected, list) and not is_table(expected):
        return _unlike_items(seen, expected)
    array, complaint = as_array(seen)
    return None if array is not None else f"expected {describe(expected)}, {complaint}"


def _unlike_items(seen: Any, expected: list[Any]) -> str | None:
    if isinstance(seen, np.ndarray) and seen.ndim and len(seen) == len(expected):
        seen = list(seen)
    if not isinstance(seen, list) or len(seen) != len(expected):
        return miscounted(seen, expected)
    for place, (got, wanted) in enumerate(zip(seen, expected, strict=True)):
        if complaint := _unlike(got, wanted):
            return placed(f"[{place}]", complaint)
    return None


def _imaginary(seen: Any, expected: Any) -> str | None:
    """Say when an answer is complex and the expected one is real: an author's own arithmetic may drop what is imaginary."""
    if COMPLEX.isdisjoint(kinds(seen)) or not COMPLEX.isdisjoint(kinds(expected)) or not _has_imaginary(seen):
        return None
    return "expected real numbers, got complex ones"


def _has_imaginary(value: Any) -> bool:
    """Tell whether a value has imaginary parts that are more than rounding."""
    if isinstance(value, list | dict):
        return any(_has_imaginary(item) for item in (value.values() if isinstance(value, dict) else value))
    if not isinstance(value, np.ndarray) or value.dtype.kind != "c" or not value.size:
        return False
    return not np.abs(value.imag).max() <= _ROUNDING * np.abs(value.real).max()


def _aligned(seen: Any, expected: Any) -> Any:
    """Bring lists and 0-d arrays into the form the reference used, and leave out imaginary parts where it has none."""
    if isinstance(seen, np.ndarray) and seen.dtype.kind == "c" and COMPLEX.isdisjoint(kinds(expected)):
        seen = seen.real
    if isinstance(expected, np.ndarray) and expected.shape and isinstance(seen, list):
        array = as_array(seen)[0]
        return seen if array is None else array
    if isinstance(seen, np.ndarray) and not seen.shape and not isinstance(expected, np.ndarray):
        return seen.item()
    if isinstance(expected, list) and isinstance(seen, np.ndarray) and (seen.ndim == 1 or (seen.ndim and seen.size)):
        seen = seen.tolist() if seen.ndim == 1 or is_table(expected) else list(seen)
    if isinstance(expected, list) and isinstance(seen, list) and len(seen) == len(expected):
        return type(seen)(_aligned(got, wanted) for got, wanted in zip(seen, expected, strict=True))
    if isinstance(expected, Table) and isinstance(seen, Table):
        return seen.like_this(((key, _aligned(got, expected.get(key))) for key, got in seen.items()))
    if isinstance(seen, Decimal | Fraction) and isinstance(expected, float):
        return float(seen)
    if isinstance(expected, dict) and isinstance(seen, dict):
        return {key: _aligned(got, expected.get(key)) for key, got in seen.items()}
    return seen
