"""Saying how a wrong answer relates to the right one, where no misconception of the bank matches.

A sentence is said only if exactly one relation holds in all failing trials that are about the same functions, and not by
accident (relations.py). It names the relation, sizes by the names of the inputs, and parts by the keys of the expected
answer: no number, and nothing that the student's code chose, so that it may be said of secret inputs too.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from redink.checks.comparing import as_array, difference, is_table
from redink.checks.language import Check
from redink.checks.precision import TOLERANCES, kinds, refined
from redink.checks.sizes import outgrows
from redink.judging.answers import Answer
from redink.judging.diagnosing import Answers, Asked, Belief, diagnose, hint_of, is_silent
from redink.judging.orders import order_relations, shape_relations
from redink.judging.relations import (
    Pair,
    Support,
    endless_relations,
    input_sizes,
    is_enough,
    numbers_in,
    region_relations,
    together,
    value_relations,
)
from redink.judging.wording import Place, sentence, strongest
from redink.records import Hint

_LARGEST = 50_000  # numbers of one array: more are not compared in all these ways
_FINEST, _COARSEST = 1e-8, 1e-4
_MOST_VALUES = 6
_OF_ALL = ("several examples", "later values", "values in another order")  # what is said of all values together
Relation = tuple[Place, str]
Found = dict[Relation, Support]


def find_hint(
    asked: Sequence[Asked], seen: Answers, failing: Collection[str], bank: Iterable[Belief], *, sound: bool = True
) -> Hint | None:
    """Find the hint for a question: of the misconception that its answers show or, if none does, of what relates them.

    `sound` says that the questions which this one uses are right: otherwise a relation may have its cause there.
    """
    known = hint_of(diagnose(asked, seen, failing, bank))
    return known or (explain(asked, seen, failing) if sound else None)


def explain(asked: Sequence[Asked], seen: Answers, failing: Collection[str]) -> Hint | None:
    """Say what relates the answers in the failing trials to the right ones, if exactly one relation does."""
    told: dict[str, str] = {}
    for group in _groups(asked, failing):
        found = _relation(group, seen, failing)
        if found is not None:
            place, name = found
            known = bool(told) or not _is_one_of_several(group.function, asked)
            partly = name != "several examples" and any(trial.id not in failing for trial in group.trials)
            partly = partly or (not place.keys and name not in _OF_ALL and _is_partly_right(group, seen, failing))
            told[name] = sentence(name, place, function="" if known else group.function, partly=partly)
    if len(told) != 1:
        return None
    ((name, text),) = told.items()
    return Hint(relation=name, text=text)


class _Group(NamedTuple):
    """Trials that must show the same: those whose checks fail and call one function, or are about the same ones."""

    function: str  # empty, if there are several
    trials: list[Asked]
    besides: list[Asked]  # trials that rest on more than this function: they may show something else


def _is_partly_right(group: _Group, seen: Answers, failing: Collection[str]) -> bool:
    """Tell whether in a wrong answer of several values some are right."""
    for trial in group.trials:
        if trial.id in failing and isinstance(trial.expected, list | dict) and seen[trial.id].status == "returned":
            parts = _opened(seen[trial.id].value, trial.expected) or []
            if any(difference(part.got, part.want, trial.check.tol) is None for part in parts):
                return True
    return False


def _is_one_of_several(function: str, asked: Sequence[Asked]) -> bool:
    return any(function not in trial.check.about for trial in asked if trial.check.kind == "call")


def _groups(asked: Sequence[Asked], failing: Collection[str]) -> list[_Group]:
    """Put together the trials of the checks that fail: by the function that they call, the others by what they are about."""
    failed = {trial.check.id for trial in asked if trial.id in failing}
    trials = [one for one in asked if one.check.id in failed and one.check.kind == "call" and one.check.weight]
    direct = [one for one in trials if _is_direct(one.check)]
    groups = []
    for function in dict.fromkeys(one.check.calls or "" for one in direct):
        besides = [one for one in trials if function in one.check.about and not _is_direct(one.check)]
        groups.append(_Group(function, [one for one in direct if one.check.calls == function], besides))
    explained = {group.function for group in groups}
    left = [one for one in trials if not explained & one.check.about]
    while left:
        about, count = set(left[0].check.about), 0
        while count < len(about):
            count = len(about)
            about |= {name for one in left if about & one.check.about for name in one.check.about}
        function = about.copy().pop() if len(about) == 1 else ""
        groups.append(_Group(function, [one for one in left if about & one.check.about], []))
        left = [one for one in left if not about & one.check.about]
    return groups


def _is_direct(check: Check) -> bool:
    """Tell whether a check compares what one function returns with what the reference returns, and nothing else."""
    return check.when_function is None and not _has_other_answers(check)


def _relation(group: _Group, seen: Answers, failing: Collection[str]) -> Relation | None:
    """Find the one relation that holds in all failing trials of a group; the tiny trials, which are first, come last."""
    found: list[list[Found]] = []  # of each check
    by_check: dict[str, list[Asked]] = {}
    for trial in (*reversed(group.trials), *reversed(group.besides)):
        if trial.id in failing and trial.id in seen and not is_silent(seen[trial.id]):
            by_check.setdefault(trial.check.id, []).append(trial)
    shared: dict[Relation, list[Support]] = {}
    for trials in by_check.values():
        relations = list(_of_check(trials, seen))
        if not all(relations) and (trials[0] in group.besides or _has_other_answers(trials[0].check)):
            continue
        if relations:
            found.append(relations)
            shared = _shared(found)
        if found and not shared:
            break
    kept = []
    for relation, supports in shared.items():
        whole = together(supports)
        if whole is not None and is_enough(whole):
            kept.append(relation)
    if not shared and _needs_one_example(group.trials, failing):
        return Place(), "several examples"
    names = strongest([name for _, name in kept])
    left = [relation for relation in kept if relation[1] in names]
    return left[0] if len(left) == 1 else None


def _shared(checks: Sequence[Sequence[Found]]) -> dict[Relation, list[Support]]:
    """Find what holds in all trials of all checks: at one place, or at one in each, as their forms differ."""
    shared: dict[Relation, list[Support]] = {}
    for name in dict.fromkeys(name for _, name in checks[0][0]):
        places = [
            [place for place, other in trials[0] if other == name and all((place, name) in one for one in trials)]
            for trials in checks
        ]
        everywhere = [place for place in places[0] if all(place in some for some in places)]
        for place in everywhere:
            shared[place, name] = [one[place, name] for trials in checks for one in trials]
        if not everywhere and all(len(some) == 1 for some in places):
            pairs = zip(places, checks, strict=True)
            shared[Place(), name] = [one[place, name] for (place,), trials in pairs for one in trials]
    return shared


def _of_check(trials: Sequence[Asked], seen: Answers) -> Iterator[Found]:
    """Yield the relations in each failing trial of a check, until there are none in one."""
    for trial in trials:
        relations = _relations(trial, seen[trial.id])
        if relations is not None:
            yield relations
            if not relations:
                return


def _needs_one_example(group: Sequence[Asked], failing: Collection[str]) -> bool:
    """Tell whether exactly the trials with one example pass, and not only because the first trials are tiny."""
    rows = {trial.id: _examples(trial.inputs) for trial in group}
    passing = [id for id in rows if id not in failing]
    return (
        len(rows) - len(passing) >= 2
        and any(not id.endswith(("/p0", "/s0")) for id in passing)
        and all((count == 1) == (id not in failing) for id, count in rows.items())
    )


def _examples(inputs: Mapping[str, Any]) -> int:
    """Count the rows of the first input that has any; 0 when none has."""
    shapes = (value.shape for value in inputs.values() if isinstance(value, np.ndarray) and value.ndim >= 2)
    return next((shape[0] for shape in shapes), 0)


def _has_other_answers(check: Check) -> bool:
    """Tell whether there may be right answers besides the reference's: then nothing need relate an answer to that one."""
    return check.then_function is not None or check.view_function is not None


def _relations(trial: Asked, answer: Answer) -> Found | None:
    """Find all relations in one failing trial; None when it says nothing, for its values are right or are not compared."""
    check = trial.check
    if check.then_function is not None and "expected" not in inspect.signature(check.then_function).parameters:
        return None  # at home, the expected value of such a check is not even known
    if answer.status != "returned" or outgrows(answer.value, trial.expected):
        return {}
    value = refined(answer.value, check.precision)
    if difference(value, trial.expected, check.tol) is None:
        return None
    tol = _COARSEST if kinds(value) & TOLERANCES.keys() else min(max(check.tol, _FINEST), _COARSEST)
    with np.errstate(all="ignore"):
        found = _explored(value, trial.expected, tol, trial.inputs)
    if answer.modified:  # an input changed in place explains as much
        return {relation: one for relation, one in found.items() if relation[1] == "later values"}
    return found


def _explored(got: Any, want: Any, tol: float, inputs: Mapping[str, Any]) -> Found:
    """Find what relates two values: as a whole, or in the parts that are wrong."""
    found: Found = {}
    pair = _as_pair(got, want, tol, inputs)
    if pair is not None and not _is_handed_back(pair, inputs):
        found |= {(Place(), name): one for name, one in _of_arrays(pair)}
    if not isinstance(want, list | dict) or (pair is not None and pair.want.size > _MOST_VALUES):
        return found
    parts = _opened(got, want)
    if parts is None:
        return found
    if pair is not None:  # a few numbers, perhaps several values: in which of them an answer is wrong, its place says
        found = {key: one for key, one in found.items() if not one.chance}
    found |= _reordered(parts) | _changing(parts, tol)
    wrong = [part for part in parts if difference(part.got, part.want, tol) is not None]
    inner = [_explored(part.got, part.want, tol, inputs) for part in wrong]
    if len(wrong) == 1 and len(parts) > 1:
        return found | {(place.within(wrong[0].key, len(parts)), name): one for (place, name), one in inner[0].items()}
    alike = [key for key in inner[0] if all(key in one for one in inner)] if inner else []
    for key in alike:
        if pair is None and not key[0].keys and (whole := together([one[key] for one in inner])) is not None:
            found[key] = whole
    return found


class _Part(NamedTuple):
    """One of several values that an answer has, beside the right one."""

    key: str | int
    got: Any
    want: Any


def _opened(got: Any, want: list[Any] | dict[Any, Any]) -> list[_Part] | None:
    """Take several values apart; None when there are others than expected."""
    if isinstance(want, dict):
        if not isinstance(got, dict) or got.keys() != want.keys():
            return None
        if not all(isinstance(key, str) and key.isidentifier() for key in want):
            return None  # such keys may come from the inputs
        return [_Part(key, got[key], want[key]) for key in want]
    if isinstance(got, np.ndarray) and got.ndim:
        got = list(got)
    if not isinstance(got, list) or len(got) != len(want):
        return None
    return [_Part(place, *both) for place, both in enumerate(zip(got, want, strict=True))]


def _reordered(parts: Sequence[_Part]) -> Found:
    """Find the right values in another order."""
    if not 2 <= len(parts) <= _MOST_VALUES:
        return {}
    taken: list[int] = []
    for part in parts:
        fitting = [place for place, other in enumerate(parts) if difference(part.got, other.want) is None]
        if len(fitting) != 1 or fitting[0] in taken:
            return {}
        taken += fitting
    moved = [part for part, place in zip(parts, taken, strict=True) if part.want is not parts[place].want]
    numbers = [number for part in moved for number in _numbers(part.want)]
    if not moved or not numbers:
        return {}
    points = frozenset(float(f"{number:.4g}") for number in numbers)
    return {(Place(), "values in another order"): Support(points, points, len(numbers))}


def _changing(parts: Sequence[_Part], tol: float) -> Found:
    """Find that of values which should be equal the first is right and a later one is not."""
    first = parts[0]
    if len(parts) < 2 or any(difference(part.want, first.want, tol) is not None for part in parts):
        return {}
    if difference(first.got, first.want, tol) is not None:
        return {}
    points = frozenset(float(f"{number:.4g}") for number in _numbers(first.want))
    return {(Place(), "later values"): Support(points, points | {math.inf}, len(points))}


def _numbers(value: Any) -> list[float]:
    """List the first numbers of an array."""
    array = as_array(value)[0]
    if array is None or array.dtype.kind not in "iuf":
        return []
    return [float(number) for number in array.ravel()[:20]]


def _is_handed_back(pair: Pair, inputs: Mapping[str, Any]) -> bool:
    """Tell whether an array is one of the inputs as it came: nothing was computed that could be nearly right."""
    return pair.got.size > 1 and any(np.array_equal(pair.got, numbers_in(value)) for value in inputs.values())


def _as_pair(got: Any, want: Any, tol: float, inputs: Mapping[str, Any]) -> Pair | None:
    """Read two values as arrays of real numbers; None when they are something else."""
    if isinstance(want, dict | str) or (isinstance(want, list) and not is_table(want)):
        return None
    arrays = [as_array(value)[0] for value in (got, want)]
    for array in arrays:
        if array is None or array.dtype.kind not in "biuf" or not 0 < array.size <= _LARGEST:
            return None
    ours, theirs = (np.asarray(array, dtype=np.float64) for array in arrays)
    truths = {array.dtype.kind == "b" for array in arrays if array is not None}
    if truths == {True} and ours.shape == theirs.shape == ():
        return None  # of two truths the wrong one is always the other
    return None if len(truths) == 2 else Pair(ours, theirs, tol, input_sizes(inputs), truths == {True})


def _of_arrays(pair: Pair) -> Iterator[tuple[str, Support]]:
    if is_constant(pair):
        return
    for relations in (value_relations, region_relations, endless_relations, order_relations, shape_relations):
        yield from relations(pair)


def is_constant(pair: Pair) -> bool:
    """Tell whether the same number stands everywhere in an answer, which no relation explains; NaN is another matter."""
    return pair.got.size > 1 and bool((pair.got == pair.got.flat[0]).all())
