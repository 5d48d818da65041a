"""Whether an answer that is right only given an earlier error proves anything.

A function that calls a wrong one may rightly return nothing but zeros, and so does a function that nobody wrote. Such an
answer is excused by the earlier error only where the notebook's source shows that the one function uses the other. Where
the earlier error is unknown, and so may be anything that a student likes, the source must show that for any answer, and
one that could be written down without computing anything is left to a person.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from redink.source import statements

_NAN = "not a number"  # which is equal to nothing, not even itself


def is_trivial(value: Any) -> bool:
    """Tell whether all numbers in a value are one and the same, or there are none: then it may be a constant."""
    return len(_distinct(value)) <= 1


def is_guessable(values: Sequence[Any]) -> bool:
    """Tell whether all answers are one and the same whole number, infinity or NaN, as if nothing were computed."""
    numbers = _distinct(list(values))
    return len(numbers) <= 1 and not any(
        isinstance(one, float) and math.isfinite(one) and not one.is_integer() for one in numbers
    )


def relies_on(sources: Iterable[str], asked: Collection[str], names: Collection[str]) -> bool:
    """Tell whether one of the asked functions uses one of these names, directly or through others of the notebook."""
    uses: dict[str, set[str]] = {}
    for statement in (one for source in sources for one in statements(source)):
        for name in statement.names:
            before = uses.get(name, set()) if name in statement.uses else set()  # otherwise the last definition counts
            uses[name] = before | statement.uses
    waiting, known = list(asked), set(asked)
    while waiting:
        used = uses.get(waiting.pop(), set())
        if not used.isdisjoint(names):
            return True
        waiting += used - known
        known |= used
    return False


def _distinct(value: Any) -> set[Any]:
    if isinstance(value, list | dict):
        items = value.values() if isinstance(value, dict) else value
        return set().union(*map(_distinct, items))
    if isinstance(value, np.ndarray):
        return {_NAN if number != number else number for number in np.unique(value)[:2].tolist()}
    if isinstance(value, float) and value != value:
        return {_NAN}
    return {value} if isinstance(value, bool | int | float | str) else set()
