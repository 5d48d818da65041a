"""What relates one wrong array to the right one: factors, offsets, functions of it, and where it is wrong.

Each relation that holds comes with its evidence, because small arrays are related in many ways by accident. What counts is
only what the relation changes: of a matrix that is nearly symmetric, transposing says little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from redink.checks.comparing import as_array, is_table

Array = np.ndarray[Any, Any]
Sizes = Mapping[str, float]  # the sizes of the inputs, under the words that name them

_MOST_POINTS = 20
_LIKELY = 1e-3  # the chance at which a few wrong entries lie in one region by accident is lower than this
_LOGARITHMS = (math.log(2), math.log(10))
_PLAIN_FACTORS = MappingProxyType({-1.0: "opposite", 2.0: "twice", 0.5: "half"})
_FUNCTIONS: Mapping[str, Callable[[Array], Array]] = MappingProxyType(
    {
        "squared": np.square,
        "root": np.sqrt,
        "exponential": np.exp,
        "logarithm": np.log,
        "inverse": np.reciprocal,
        "absolute": np.abs,
        "clipped": lambda right: np.maximum(right, 0.0),
        "complement": lambda right: 1.0 - right,
    }
)


class Support(NamedTuple):
    """What speaks for one relation in one pair of arrays, or in several."""

    points: frozenset[float]  # right numbers that it changes
    made: frozenset[float]  # what it makes of them
    entries: int  # how many numbers of one array it changes
    chance: float = 0.0  # of a region: that the wrong entries lie there by accident
    value: float | None = None  # the factor or the offset, which must be the same everywhere,
    tol: float = 0.0  # within this much of it


class Pair(NamedTuple):
    """A wrong array beside the right one, as floats of one precision."""

    got: Array
    want: Array
    tol: float
    sizes: Sizes
    truths: bool = False  # True and False, as 1 and 0

    def gives(self, made: Array) -> bool:
        """Tell whether this is what the student returned."""
        return is_close(self.got, made, self.tol)

    def changed(self) -> Array:
        """Say which entries are wrong, of two arrays of one shape."""
        return ~_equal(self.got, self.want, self.tol)


def is_close(got: Array, made: Array, tol: float) -> bool:
    """Tell whether two arrays agree number by number: a large one beside them must not hide what small ones are."""
    if got.shape != made.shape:
        return False
    scale = float(np.abs(made[np.isfinite(made)]).max(initial=0.0))
    near = np.abs(got - made) <= 10 * tol * np.abs(made) + 1e-2 * tol * scale
    return bool((near | (got == made) | (np.isnan(got) & np.isnan(made))).all())


def _equal(got: Array, want: Array, tol: float) -> Array:
    finite = np.isfinite(want)
    scale = float(np.abs(want[finite]).max(initial=0.0))
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    equal: Array = same | (np.isfinite(got) & finite & (np.abs(got - want) <= tol * scale + 1e-12))
    return equal


def support(pair: Pair, right: Array, wrong: Array, *, chance: float = 0.0, value: float | None = None) -> Support:
    """Gather what a relation changes: the right numbers, and what stands in their place."""
    return Support(_points(right, pair.tol), _points(wrong, pair.tol), int(right.size), chance, value, pair.tol)


def _points(numbers: Array, tol: float) -> frozenset[float]:
    few = numbers[np.isfinite(numbers)][:1000]
    scale = float(np.abs(few).max(initial=0.0))
    few = np.where(np.abs(few) <= 10 * tol * scale, 0.0, few)
    return frozenset(float(f"{number:.4g}") for number in np.unique(few)[: _MOST_POINTS * 5])


def together(found: Sequence[Support]) -> Support | None:
    """Put the evidence of several pairs together; None when the factor or the offset is not the same in all."""
    values, tol = [one.value for one in found if one.value is not None], max(one.tol for one in found)
    if values and not all(abs(value - values[0]) <= 10 * tol * abs(values[0]) for value in values):
        return None
    points = frozenset[float]().union(*(one.points for one in found))
    made = frozenset[float]().union(*(one.made for one in found))
    chance = max(math.prod(one.chance for one in found), 1e-300) if found[0].chance else 0.0
    return Support(points, made, max(one.entries for one in found), chance, values[0] if values else None, tol)


def is_enough(found: Support) -> bool:
    """Tell whether a relation is not there by accident.

    Three different numbers are enough, or two that are not whole, or a long array of two; and the wrong answer must not be
    the same number everywhere, whatever was asked.
    """
    if len(found.made) < 2 or found.chance > _LIKELY:
        return False
    points = found.points - {0.0}
    broken = all(number != round(number) for number in points)
    long = len(found.points) >= 2 and found.entries >= 10
    return len(points) >= 3 or (len(points) == 2 and broken) or long or found.chance > 0


# -- the sizes that a factor may be ------------------------------------------------------------------------------------


def input_sizes(inputs: Mapping[str, Any]) -> dict[str, float]:
    """Name the sizes of the inputs, and the roots of their last axes, that a factor may be."""
    sizes: dict[str, float] = {}
    for name, value in inputs.items():
        if type(value) is int and value > 1:
            sizes[f"`{name}`"] = value
        shape = numbers_in(value).shape
        named = dict(zip(_axis_names(len(shape)), shape, strict=False))
        if len(shape) > 1:
            named["number of entries"] = math.prod(shape)
        for words, size in named.items():
            if size > 1:
                sizes[f"the {words} of `{name}`"] = size
                if words != "number of entries":
                    sizes[f"the square root of the {words} of `{name}`"] = math.sqrt(size)
    return sizes


def _axis_names(ndim: int) -> list[str]:
    if ndim <= 2:
        return [["length"], ["number of rows", "number of columns"]][ndim - 1] if ndim else []
    middle = ["size of the second axis", "size of the third axis"][: ndim - 2]
    return ["size of the first axis", *middle, "size of the last axis"] if ndim <= 4 else ["size of the first axis"]


def numbers_in(value: Any) -> Array:
    """Read an input as an array; one without numbers, where it is something else."""
    array = (
        as_array(value)[0] if isinstance(value, np.ndarray) or (isinstance(value, list) and is_table(value)) else None
    )
    return np.array(math.nan) if array is None else array


# -- relations ---------------------------------------------------------------------------------------------------------


def value_relations(pair: Pair) -> Iterator[tuple[str, Support]]:
    """Find what is done to every number alike."""
    got, want = pair.got, pair.want
    if got.shape != want.shape or not (np.isfinite(got).all() and np.isfinite(want).all()):
        return
    changed = pair.changed()
    traced = support(pair, want[changed], got)
    yield from _factors(pair, traced)
    offset = float((got - want).mean())
    if abs(offset) > 10 * pair.tol * float(np.abs(want).max()) and pair.gives(want + offset):
        whole = {1.0: "one more", -1.0: "one less"}.get(round(offset, 9), "")
        yield whole or "offset", traced._replace(value=offset)
    for name, function in _FUNCTIONS.items():
        made = function(want)
        if np.isfinite(made).all() and pair.gives(made):
            yield name, traced
    if any((got == rounded(want)).all() for rounded in (np.trunc, np.floor, np.ceil, np.round)):
        yield "whole", support(pair, want[changed], got[changed])  # slopes of 0.1 and 1 are not rounded to 0 and 1
    elif any(np.abs(got - np.round(want, places)).max() <= 1e-12 for places in range(1, 5)) and traced.entries >= 3:
        yield "decimals", traced


def _factors(pair: Pair, traced: Support) -> Iterator[tuple[str, Support]]:
    """Name the factor between two arrays in every way that holds: as a plain number, as a size of the inputs."""
    square = float((pair.want**2).sum())
    if not 0 < square < math.inf:
        return
    factor = float((pair.got * pair.want).sum()) / square
    if not 1e-9 < abs(factor) < 1e9 or abs(factor - 1) <= 10 * pair.tol or not pair.gives(factor * pair.want):
        return
    yield "factor", traced._replace(value=factor)
    near = 10 * pair.tol
    for plain, name in _PLAIN_FACTORS.items():
        if abs(factor - plain) <= near:
            yield name, traced
    if any(abs(factor / base - 1) <= near or abs(factor * base - 1) <= near for base in _LOGARITHMS):
        yield "base", traced
    for words, size in pair.sizes.items():
        if abs(factor / size - 1) <= near:
            yield f"times {words}", traced
        elif abs(factor * size - 1) <= near:
            yield f"divided by {words}", traced
        elif _is_one_less(factor, size, near):
            yield f"one less than {words}", traced


def _is_one_less(factor: float, size: float, near: float) -> bool:
    """Tell whether a factor comes from one less or one more than a size, as in a variance or in its root."""
    ratio = size / (size - 1)
    return any(abs(factor / ratio**power - 1) <= near for power in (1.0, -1.0, 0.5, -0.5))


def region_relations(pair: Pair) -> Iterator[tuple[str, Support]]:
    """Find the part of an array in which all wrong entries lie."""
    got, want = pair.got, pair.want
    if got.shape != want.shape or not want.ndim or want.size < 4 or (np.isfinite(want) > np.isfinite(got)).any():
        return
    changed = pair.changed()
    wrong = int(changed.sum())
    if not 0 < wrong < want.size or (got == got.flat[0]).all():
        return
    for name, region in _regions(pair):
        inside = int(region.sum())
        if inside < want.size and not changed[~region].any():
            chance = math.prod((inside - k) / (want.size - k) for k in range(min(wrong, 30)))
            yield name, support(pair, want, got, chance=chance)


def _regions(pair: Pair) -> Iterator[tuple[str, Array]]:
    shape = pair.want.shape
    places = np.indices(shape)
    names = {1: [("number", 0)], 2: [("row", 0), ("column", 1)]}.get(len(shape), [("along the first axis", 0)])
    for name, axis in [] if pair.truths else names:
        yield f"first {name}", places[axis] == 0
        yield f"last {name}", places[axis] == shape[axis] - 1
    if not pair.truths:  # a wrong one of these is often where False is right
        yield "where 0 is right", np.abs(pair.want) <= 1e-12
    if len(shape) < 2:
        return
    across, down = places[-1], places[-2]
    if min(shape[-2:]) >= 3:
        yield "border", (across == 0) | (down == 0) | (across == shape[-1] - 1) | (down == shape[-2] - 1)
    if shape[-1] == shape[-2] >= 3:
        yield "diagonal", across == down
        yield "above the diagonal", across > down
        yield "below the diagonal", across < down


def endless_relations(pair: Pair) -> Iterator[tuple[str, Support]]:
    """Find NaN and infinities where numbers are right, if everything else is right."""
    got, want = pair.got, pair.want
    if got.shape != want.shape or not np.isfinite(want).all() or np.isfinite(got).all():
        return
    stray = ~np.isfinite(got)
    if not (stray.all() or _equal(got[~stray], want[~stray], pair.tol).all()):
        return
    certain = Support(frozenset(), frozenset([0.0, 1.0]), int(stray.sum()), _LIKELY / 2)
    kind = "nan" if np.isnan(got[stray]).all() else "infinite" if np.isinf(got[stray]).all() else ""
    if kind == "nan" and not stray.all() and (stray == (np.abs(want) <= 1e-12)).all():
        yield "nan where 0 is right", certain
    if kind:
        yield kind if stray.all() else f"{kind} in places", certain
