"""Whether an answer that is right only given an earlier error proves anything.

A function that calls a wrong one may rightly return nothing but zeros, and so does a function that nobody wrote. Such an
answer is excused by the earlier error only where the notebook's source shows that the one function uses the other. Where
the earlier error is unknown, and so may be anything that a student likes, the source must show that for any answer, and
one that could be written down without computing anything is left to a person.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from redink.checks.things import EXACT, MOMENTS
from redink.source import definitions, statements

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


def fits_its_checks(passed: Sequence[bool], calls: int, agreed: int) -> bool:
    """Tell whether a borrowed function answered as its own checks make one expect.

    One that passed all of them must have agreed with the reference's own in every call, and one that passed most, in half.
    """
    if all(passed):
        return agreed == calls
    return 2 * sum(passed) <= len(passed) or 2 * agreed >= calls


def relies_on(sources: Iterable[str], asked: Collection[str], names: Collection[str]) -> bool:
    """Tell whether one of the asked functions uses one of these names, directly or through others of the notebook."""
    uses = _uses(sources)
    used = set().union(*(uses.get(name, set()) for name in _reached(uses, asked, names)))
    return not used.isdisjoint(names)


def directly_used(sources: Iterable[str], asked: Collection[str], names: Collection[str]) -> set[str]:
    """Return those of these names that the asked functions use other than through one another."""
    return (_reached(_uses(sources), asked, names) - set(asked)) & set(names)


def shares_code(
    sources: Sequence[str], asked: Collection[str], others: Collection[str], through: Collection[str]
) -> bool:
    """Tell whether the asked functions use functions that others use too, or are, but not only through these."""
    uses = _uses(sources)
    written = {one.name for source in sources for one in definitions(source) if one.kind != "value"}
    mine = _reached(uses, asked, through) - set(asked)
    return bool((mine & _reached(uses, others) & written) - set(through))


def _uses(sources: Iterable[str]) -> dict[str, set[str]]:
    """List what each name of a notebook uses."""
    uses: dict[str, set[str]] = {}
    for statement in (one for source in sources for one in statements(source)):
        for name in statement.names:
            before = uses.get(name, set()) if name in statement.uses else set()  # otherwise the last definition counts
            uses[name] = before | statement.uses
    return uses


def _reached(uses: Mapping[str, set[str]], names: Collection[str], ends: Collection[str] = ()) -> set[str]:
    """Return these names and all that they use, directly or not; beyond an end nothing is looked at."""
    waiting, known = list(names), set(names)
    while waiting:
        one = waiting.pop()
        used = set() if one in ends and one not in names else uses.get(one, set())
        waiting += used - known
        known |= used
    return known


def _distinct(value: Any) -> set[Any]:
    if isinstance(value, list | dict):
        items = value.values() if isinstance(value, dict) else value
        return set().union(*map(_distinct, items))
    if isinstance(value, np.ndarray):
        return {_NAN if number != number else number for number in np.unique(value)[:2].tolist()}
    if isinstance(value, float) and value != value:
        return {_NAN}
    if isinstance(value, set | frozenset):
        return set().union(*map(_distinct, value))
    return {value} if isinstance(value, (bool, int, float, str, *EXACT, *MOMENTS)) else set()
