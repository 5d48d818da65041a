"""Naming the misconception behind a wrong answer, by comparing answers rather than code.

A misconception matches when every trial that it would change shows exactly what it would return. A trial that it
would change and that shows something else contradicts it; so does a failure that it leaves unexplained, if that is about
the same functions. Failures of other functions, and functions that are not written, say nothing. Of several matches the
one that explains most trials is the hint; that a call did not end explains none. What a misconception changes in place
must be changed too; that somebody changes more than that says nothing about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from redink.checks.language import Check
from redink.checks.precision import kinds
from redink.checks.things import EXACT
from redink.judging.answers import Answer, read_answer
from redink.judging.in_place import changed_inputs
from redink.judging.verdicts import is_untried, is_unwritten, same
from redink.records import Hint, Misconception, Record

Answers = Mapping[str, Answer]  # by trial id

_TELLING = ("returned", "raised")  # who only never ended, or died, may have any mistake
_EXACT = {kind.__name__ for kind in EXACT}


class Belief(NamedTuple):
    """A misconception as the judge compares it: its answers are decoded, by trial id."""

    id: str
    question: str
    hint: str
    gives: Mapping[str, Answer]


def read_belief(misconception: Misconception) -> Belief:
    """Decode what a misconception returns."""
    gives = {trial: read_answer(seen) for trial, seen in misconception.gives.items()}
    return Belief(misconception.id, misconception.question, misconception.hint, gives)


class Asked(Record, frozen=True):
    """One trial as the judge needs it: its check, its inputs and what the reference returned."""

    id: str
    check: Check
    inputs: dict[str, Any]
    expected: Any = None
    data: bytes = b""  # the same, as it was stored
    modified: tuple[str, ...] = ()  # the inputs that the reference changed in place


def diagnose(asked: Sequence[Asked], seen: Answers, failing: Collection[str], bank: Iterable[Belief]) -> Belief | None:
    """Find the misconception that these answers to one question show; `failing` names the trials that are wrong."""
    best, most = None, 0
    for misconception in bank:
        explained = _explained(asked, seen, failing, misconception)
        if explained > most:
            best, most = misconception, explained
    return best


def hint_of(misconception: Belief | None) -> Hint | None:
    """Return the hint of a misconception, if there is one."""
    return None if misconception is None else Hint(misconception=misconception.id, text=misconception.hint)


def _explained(asked: Sequence[Asked], seen: Answers, failing: Collection[str], misconception: Belief) -> int:
    """Count the trials that a misconception explains; 0 when one contradicts it."""
    count = 0
    about = {name for trial in asked if trial.id in misconception.gives for name in trial.check.about}
    for trial in asked:
        wrong, answer = misconception.gives.get(trial.id), seen.get(trial.id)
        if answer is None or is_silent(answer):
            continue
        if wrong is None:
            if trial.id in failing and about.intersection(trial.check.about):
                return 0
        elif not (_changes_as_much(trial.check, answer, wrong) and _shows(trial, answer, wrong)):
            return 0
        else:
            count += answer.status in _TELLING
    return count


def _shows(trial: Asked, answer: Answer, wrong: Answer) -> bool:
    """Tell whether an answer is a misconception's: 0 and 1 pass for booleans, but not where booleans are the mistake.

    Nor does an exact number pass for a float, where something exact is expected and floats are the mistake.
    """
    if not same(trial.check, answer, wrong, trial.inputs):
        return False
    if kinds(trial.expected) & _EXACT and kinds(answer.value) & _EXACT - kinds(wrong.value):
        return False
    return "bool" not in kinds(wrong.value) - kinds(trial.expected) or "bool" in kinds(answer.value)


def _changes_as_much(check: Check, answer: Answer, wrong: Answer) -> bool:
    return set(changed_inputs(check, wrong)).issubset(changed_inputs(check, answer))


def is_silent(answer: Answer) -> bool:
    """Tell whether an observation says nothing about what the student believes: unwritten, or never reached."""
    return is_unwritten(answer) or is_untried(answer) or answer.status in ("missing", "unreachable")
