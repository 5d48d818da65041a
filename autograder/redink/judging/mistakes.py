"""A name for a wrong answer that no misconception explains, equal for all students who answer the same."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from redink.checks.language import Check
from redink.checks.sizes import outgrows, outline
from redink.checks.things import EXACT, MOMENTS
from redink.judging.answers import Answer
from redink.judging.verdicts import viewed
from redink.wire import Opaque, Table

_STEPS = 1000  # a number counts to a thousandth of the largest beside it
_OFFSET = (
    0.381966  # away from the halves and thirds on which simple numbers fall, so that rounding errors change no name
)


def fingerprint(answers: Iterable[tuple[Check, Answer, Any, dict[str, Any]]]) -> str:
    """Name the answers to a question: check, answer, expected value and inputs of every trial."""
    whole = hashlib.sha256()
    for check, answer, expected, inputs in answers:
        if answer.status == "returned" and outgrows(answer.value, expected):
            written = f"far too large {outline(answer.value)}"
        elif answer.status == "returned":
            written = _written(viewed(check, answer.value, expected, inputs))
        else:
            written = f"{answer.status} {answer.error.partition(':')[0]}"
        whole.update(f"{len(written)} {written}".encode("utf-8", "replace"))
    return whole.hexdigest()[:16]


def _written(value: Any) -> str:
    if isinstance(value, np.ndarray | np.generic) and value.shape:
        return _numbers(np.asarray(value))
    if isinstance(value, np.ndarray | np.generic):
        value = value.item()
    if isinstance(value, bool | str) or value is None:
        return repr(value)
    if isinstance(value, int | float | complex):
        return _number(value)
    if isinstance(value, set | frozenset):
        return f"set {sorted(map(_written, value))}"
    if isinstance(value, (*EXACT, *MOMENTS)):
        return repr(value)
    if isinstance(value, Table):
        return f"{_written(value.index)} {_written(dict(value))}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(sorted(f'{key!r}: {_written(item)}' for key, item in value.items()))}}}"
    return f"<{value.type_name if isinstance(value, Opaque) else type(value).__name__}>"


def _number(value: float | complex) -> str:
    """Write a single number by its sign and size."""
    if isinstance(value, complex):
        return f"{_number(value.real)} {_number(value.imag)}"
    try:
        return f"{value < 0} {_size(abs(float(value)))}"
    except OverflowError:
        return f"{value:x}"  # an integer that no float holds; hexadecimal digits have no limit


def _size(scale: float) -> float:
    """Name a size to about two per cent."""
    return math.floor(math.log10(scale) * 100 + _OFFSET) if scale and math.isfinite(scale) else scale


def _numbers(array: np.ndarray[Any, Any]) -> str:
    if array.dtype.kind == "O":
        return f"{array.shape} {' '.join(map(_number, array.flat))}"
    if array.dtype.kind not in "fiuc":
        return f"{array.shape} {array.tolist()!r}"
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    return f"{array.shape} " + " ".join(map(_rounded, parts))


def _rounded(array: np.ndarray[Any, Any]) -> str:
    numbers = array.astype(np.float64).ravel()
    finite = np.isfinite(numbers)
    scale = float(np.abs(numbers[finite]).max(initial=0.0))
    steps = np.floor(numbers[finite] / (scale or 1.0) * _STEPS + _OFFSET).astype(np.int64)
    kinds = np.where(np.isnan(numbers), 1, np.where(numbers > 0, 2, 3))  # nan, inf and -inf differ
    odd = "" if finite.all() else np.where(finite, 0, kinds).astype(np.int8).tobytes().hex()
    return f"{_size(scale)} {odd} {steps.tobytes().hex()}"
