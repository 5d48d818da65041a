"""How large an answer is, counted no further than the question needs.

A wrong answer may be a million times the right one. Whatever compares, shows or groups answers asks first whether one
outgrows what was expected; that costs what the expected answer is worth, and so does everything after it.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np

from redink.wire import SCALARS, Table

TIMES, BESIDES = 4, 1000  # so many times the parts that were expected, and so many besides
AXIS_BESIDES = 100


def outgrows(seen: Any, expected: Any) -> bool:
    """Tell whether an answer is so much larger than the expected one that it cannot be meant as one.

    No array or list may be longer than 4 times the longest one expected and 100; in all there may be 4 times as many parts
    and 1000. An equal answer never outgrows, in whatever form it comes.
    """
    if isinstance(seen, np.ndarray) and isinstance(expected, np.ndarray) and seen.shape == expected.shape:
        return False
    found, length = measure(seen, BESIDES)
    if found <= BESIDES and length <= AXIS_BESIDES:
        return False
    parts, longest = measure(expected)
    most = TIMES * parts + BESIDES
    found, length = measure(seen, most)
    return found > most or length > TIMES * longest + AXIS_BESIDES


def measure(value: Any, most: float = math.inf) -> tuple[int, int]:
    """Count the parts of a value, until there are more than `most`, and find the length of its longest list or axis.

    A number is a part, so is a character of a string; an array has the parts of the list that says the same.
    """
    if type(value) in SCALARS:
        return 1, 0
    parts, longest, waiting = 1, 0, [value]
    while waiting and parts <= most:
        one = waiting.pop()
        if isinstance(one, np.ndarray):
            parts += sum(accumulate(one.shape, mul))
            longest = max(longest, *one.shape, 0)
        elif isinstance(one, str):
            parts += len(one)
        elif isinstance(one, list | tuple | dict | set | frozenset):
            parts += len(one)
            longest = longest if isinstance(one, dict) else max(longest, len(one))
            if parts <= most:
                waiting += inner(one)
                waiting += inner(one.values()) if isinstance(one, dict) else []
                waiting += [one.index] if isinstance(one, Table) else []
    return parts, longest


def outline(value: Any) -> tuple[int, ...]:
    """Return the shape of an array, or the one that a list seems to have from its first elements."""
    shape: list[int] = []
    while isinstance(value, list | tuple):
        shape.append(len(value))
        value = value[0] if value else None
    return (*shape, *value.shape) if isinstance(value, np.ndarray) else tuple(shape)


def inner(items: Collection[Any]) -> list[Any]:
    """List the items that are not plain numbers."""
    return [] if SCALARS.issuperset(map(type, items)) else [item for item in items if type(item) not in SCALARS]
