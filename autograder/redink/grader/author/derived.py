"""Answers made from the reference's own, without running anything: some must earn nothing, the others everything.

Wrong are constants (small, huge, imaginary), huge random numbers, empty arrays and arrays twice as long, in the form that
the reference returns; what is neither an array nor a table of numbers stays right beside them, so that nothing else fails
the check. Right are the same numbers as another machine may compute them, or somebody who works in float32. Whole numbers
stay as they are there, since rounding does not touch them, and equal numbers stay equal: a check may say that two calls
agree to the last digit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from redink.checks.comparing import is_table
from redink.checks.things import EXACT, MOMENTS
from redink.records import Observation, Precision
from redink.wire import BFloat16Array, Table, decode, encode

NOISE = 1e-12  # relative; of coarser numbers a few units in the last place
_UNITS = 4
_SCRAMBLE = np.uint64(0x9E3779B97F4A7C15)  # an odd number that spreads the bits of what it multiplies

Array = np.ndarray[Any, Any]
Fill = Callable[[tuple[int, ...]], Array]


def constant(expected: Sequence[Observation], number: complex) -> list[Observation]:
    """Return answers of the right form in which every number is the same."""
    return [_returned(_filled(decode(one.value), lambda shape: np.full(shape, number))) for one in expected]


def scattered(expected: Sequence[Observation], inputs: Sequence[Any], size: float) -> list[Observation]:
    """Return answers of the right form in random numbers of a size; arrays are at a right angle to inputs of their shape."""
    rng = np.random.default_rng(0)
    fills = (functools.partial(_askew, rng, size, list(_numeric(given))) for given in inputs)
    return [_returned(_filled(decode(one.value), fill)) for one, fill in zip(expected, fills, strict=True)]


def empty(expected: Sequence[Observation]) -> list[Observation]:
    """Return answers of the right rank without a single number in their arrays."""
    return [_resized(decode(one.value), lambda array: array[:0]) for one in expected]


def stretched(expected: Sequence[Observation]) -> list[Observation]:
    """Return answers in which every array is there twice, one below the other."""
    return [_resized(decode(one.value), lambda array: np.concatenate([array, array])) for one in expected]


def noisy(expected: Sequence[Observation]) -> list[Observation]:
    """Return what another machine might compute: the same numbers, each with a little noise of its own."""
    return [_returned(_each(decode(one.value), _with_noise)) for one in expected]


def in_single(expected: Sequence[Observation], allowed: Precision) -> list[Observation]:
    """Return what somebody would who works in float32, where the question allows that."""
    return list(expected) if allowed == "double" else [_returned(_each(decode(one.value), _single)) for one in expected]


def _returned(value: Any) -> Observation:
    return Observation(status="returned", value=encode(value))


def _filled(value: Any, fill: Fill) -> Any:
    if isinstance(value, np.ndarray):
        return _like(fill(value.shape), value)
    if isinstance(value, bool):
        return bool(fill(()))
    if isinstance(value, int | float):
        number = fill(()).item()
        return number if isinstance(number, complex) else type(value)(number)
    if isinstance(value, list | tuple):
        return type(value)(_filled(item, fill) for item in value)
    if isinstance(value, set | frozenset):
        return type(value)(_filled(item, fill) for item in value)
    if isinstance(value, EXACT):
        return type(value)(fill(()).real.item())
    if isinstance(value, MOMENTS):
        return None
    if isinstance(value, Table):
        return value.like_this((key, _filled(column, fill)) for key, column in value.items())
    if isinstance(value, dict):
        return {key: _filled(item, fill) for key, item in value.items()}
    return "" if isinstance(value, str) else value


def _askew(rng: np.random.Generator, size: float, inputs: Sequence[Array], shape: tuple[int, ...]) -> Array:
    numbers: Array = rng.normal(size=shape)
    same = [one.ravel() for one in inputs if one.shape == shape]
    if len(same) < numbers.size and same:
        basis = np.linalg.qr(np.stack(same, axis=1))[0]
        numbers -= (basis @ (basis.T @ numbers.ravel())).reshape(shape)
    return size * numbers


def _numeric(value: Any) -> Iterator[Array]:
    """Find the arrays of finite numbers in a value."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and np.isfinite(value).all():
        yield value.astype(np.float64)
    elif isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numeric(item)


def _like(numbers: Array, value: Array) -> Array:
    """Return numbers in the type of an array, as far as that can hold them."""
    if value.dtype.kind in "mM":
        return np.full_like(value, "NaT")
    if numbers.dtype.kind == "c":
        return numbers
    with np.errstate(all="ignore"):
        return numbers.astype(value.dtype).view(type(value))


def _resized(value: Any, resize: Callable[[Array], Array]) -> Observation:
    """Resize all arrays of an answer, or the answer itself if it has none; None, where that leaves it as it is."""
    made = _arrays(value, resize)
    if encode(made) == encode(value) and isinstance(value, bool | int | float | str):
        made = resize(np.asarray([value])).tolist()
    return _returned(None if encode(made) == encode(value) else made)


def _arrays(value: Any, resize: Callable[[Array], Array]) -> Any:
    if isinstance(value, np.ndarray):
        return resize(np.atleast_1d(value))
    if isinstance(value, list) and value and is_table(value):
        return type(value)(resize(np.asarray(value)).tolist())
    if isinstance(value, list):
        return type(value)(_arrays(item, resize) for item in value)
    if isinstance(value, set | frozenset):
        return value if resize(np.arange(len(value))).size else set()
    if isinstance(value, Table):
        return value.like_this(
            ((key, _rows(column, resize)) for key, column in value.items()), _rows(value.index, resize)
        )
    if isinstance(value, dict):
        return {key: _arrays(item, resize) for key, item in value.items()}
    return value


def _rows(column: Any, resize: Callable[[Array], Array]) -> Any:
    """Resize one column of a table, as all the others."""
    places = resize(np.arange(len(column)))
    return column[places] if isinstance(column, np.ndarray) else [column[place] for place in places]


def _each(value: Any, change: Callable[[Array], Array]) -> Any:
    """Change all real numbers of an answer, array by array."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and not isinstance(value, BFloat16Array):
        return change(value)
    if isinstance(value, float):
        return float(change(np.asarray(value)))
    if isinstance(value, list):
        return type(value)(_each(item, change) for item in value)
    if isinstance(value, Table):
        return value.like_this((key, _each(column, change)) for key, column in value.items())
    if isinstance(value, dict):
        return {key: _each(item, change) for key, item in value.items()}
    return value


def _with_noise(array: Array) -> Array:
    size = max(NOISE, _UNITS * float(np.finfo(array.dtype).eps))
    numbers = np.asarray(array, dtype=np.float64)
    with np.errstate(all="ignore"):
        bits = np.abs(numbers).view(np.uint64) * _SCRAMBLE  # by the number alone, so that equal ones stay equal
        moved = numbers * np.where(bits >> np.uint64(63), 1 + size, 1 - size)
        return np.where(np.floor(numbers) == numbers, numbers, moved).astype(array.dtype).view(type(array))


def _single(array: Array) -> Array:
    with np.errstate(all="ignore"):
        return array.astype(np.float32) if array.dtype.itemsize > 4 else array
