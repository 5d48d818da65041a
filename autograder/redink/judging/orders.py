"""What relates one wrong array to the right one when the numbers are right: their order, their shape, how many there are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from redink.judging.relations import Array, Pair, Support, is_close, support

_MOST_AXES = 4


def order_relations(pair: Pair) -> Iterator[tuple[str, Support]]:
    """Find the right numbers in another order."""
    got, want = pair.got, pair.want
    if want.ndim >= 2:
        yield from _turned(pair)
    if got.shape != want.shape or not want.ndim:
        return
    changed = pair.changed()
    traced = support(pair, want[changed], got[changed])
    for axis, name in _axes(want):
        if pair.gives(np.flip(want, axis)):
            yield f"reversed {name}", traced
        if want.shape[axis] >= 4:
            yield from _shifted(pair, axis, name)
        if _is_fractional(want):
            lines = np.moveaxis(want, axis, 0), np.moveaxis(got, axis, 0)
            if want.shape[axis] >= 3 and _is_permuted(*lines, pair.tol):
                yield f"permuted {name}", traced
    if _is_fractional(want):
        ascending = np.sort(want, axis=-1)
        if pair.gives(ascending) or pair.gives(np.flip(ascending, -1)):
            yield "sorted", traced


def shape_relations(pair: Pair) -> Iterator[tuple[str, Support]]:
    """Find the right numbers in another shape, too few or too many of them, or reduced too far or not enough."""
    got, want = pair.got, pair.want
    if got.shape == want.shape:
        return
    if got.size == want.size and is_close(got.ravel(), want.ravel(), pair.tol):
        yield "another shape", support(pair, want.ravel(), got.ravel())
        return
    if got.ndim == want.ndim:
        yield from _cut(pair)
    for name, function in (("summed", np.sum), ("averaged", np.mean)):
        for axis in (None, 0, -1):
            if want.size > got.size and want.ndim:
                made = np.asarray(function(want, axis=axis))
                if pair.gives(made) and (axis is None or want.ndim > 1):
                    yield name, support(pair, made, got)
            elif got.size > want.size and got.ndim and np.ptp(got) > 0:
                made = np.asarray(function(got, axis=axis))
                if is_close(made, want, pair.tol) and (axis is None or got.ndim > 1):
                    yield f"not {name}", support(pair, want, got)


def _axes(want: Array) -> list[tuple[int, str]]:
    """Name the axes along which an order may be wrong."""
    if want.ndim == 1:
        return [(0, "numbers")]
    if want.ndim == 2:
        return [(0, "rows"), (1, "columns")]
    return [(axis, f"axis {place}") for axis, place in zip(range(want.ndim), _PLACES, strict=False)]


_PLACES = ("one", "two", "three", "four")


def _turned(pair: Pair) -> Iterator[tuple[str, Support]]:
    """Find swapped axes; of an array with one axis only that is longer than 1, this is a question of shape."""
    got, want = pair.got, pair.want
    if got.ndim != want.ndim or want.ndim > _MOST_AXES or sum(size > 1 for size in want.shape) < 2:
        return
    for order in itertools.permutations(range(want.ndim)):
        if order != tuple(range(want.ndim)) and pair.gives(turned := want.transpose(order)):
            same = turned.shape == want.shape
            changed = pair.changed() if same else np.ones(want.shape, dtype=bool)
            made = got[changed] if same else got.ravel()
            yield "transposed" if want.ndim == 2 else "axes", support(pair, want[changed], made)
            return


def _shifted(pair: Pair, axis: int, name: str) -> Iterator[tuple[str, Support]]:
    """Find what is shifted by one place, whatever then stands at the end."""
    got, want = np.moveaxis(pair.got, axis, 0), np.moveaxis(pair.want, axis, 0)
    for towards, ours, theirs in (("late", got[1:], want[:-1]), ("early", got[:-1], want[1:])):
        if is_close(ours, theirs, pair.tol) and np.ptp(theirs) > 0:
            yield f"one place too {towards}, {name}", support(pair, theirs.ravel(), ours.ravel())


def _cut(pair: Pair) -> Iterator[tuple[str, Support]]:
    """Find what lacks its beginning or its end, or has something before or behind it."""
    got, want = pair.got, pair.want
    odd = [axis for axis in range(want.ndim) if got.shape[axis] != want.shape[axis]]
    if len(odd) != 1 or min(got.shape[odd[0]], want.shape[odd[0]]) < 1:
        return
    ours, theirs = np.moveaxis(got, odd[0], 0), np.moveaxis(want, odd[0], 0)
    few = min(len(ours), len(theirs))
    verb = "lacks" if len(ours) < len(theirs) else "exceeds"
    extents = ["one", "some"] if abs(len(ours) - len(theirs)) == 1 else ["some"]
    ends = [
        end
        for end, one, other in (("end", ours[:few], theirs[:few]), ("beginning", ours[-few:], theirs[-few:]))
        if is_close(one, other, pair.tol)
    ]
    for end in ends:
        for how in extents:
            unit = ", " + _unit(want.ndim, odd[0]) if how == "one" else ""
            yield f"{verb} {how} at the {end}{unit}", support(pair, theirs.ravel(), ours.ravel())


def _unit(ndim: int, axis: int) -> str:
    return "number" if ndim == 1 else ("row", "column")[axis] if ndim == 2 else "part"


def _is_fractional(want: Array) -> bool:
    """Tell whether there are numbers that are not whole: orders and labels are permuted by any mistake."""
    return bool(np.isfinite(want).all()) and bool((want != np.round(want)).any())


def _is_permuted(want: Array, got: Array, tol: float) -> bool:
    """Tell whether the lines of two arrays are the same, in another order, and no two of them are equal."""
    if not np.isfinite(got).all():
        return False
    ours, theirs = got.reshape(len(got), -1), want.reshape(len(want), -1)
    mixing = np.random.default_rng(0).normal(size=ours.shape[1])
    keys, order = theirs @ mixing, np.argsort(theirs @ mixing)
    apart = np.diff(keys[order])
    if not apart.size or apart.min() <= 10 * tol * float(np.abs(keys).max()):
        return False
    return is_close(ours[np.argsort(ours @ mixing)], theirs[order], tol)
