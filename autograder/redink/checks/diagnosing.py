"""Naming the misconception behind a wrong answer, by comparing answers rather than code.

A misconception matches when every trial that it would change shows exactly what it would give. A trial that it would
change and that shows something else contradicts it; so does a failure that it leaves unexplained, if that is about the same
functions. Failures of other functions, and functions that are not written, say nothing. Of several matches the one that
explains most trials is the hint.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from redink.checks.judging import is_untried, is_unwritten, same
from redink.checks.language import Check
from redink.records import Hint, Observation, Record

Gives = Mapping[str, Observation]  # by trial id


class Misconception(Record, frozen=True):
    """A wrong belief: its name, the question it is about, the teacher's hint, and what it gives on the trials it changes."""

    id: str
    question: str
    hint: str
    gives: dict[str, Observation]


class Asked(Record, frozen=True):
    """One trial as the judge needs it: its check, its inputs and what the reference returned."""

    id: str
    check: Check
    inputs: dict[str, Any]
    expected: Any = None


def diagnose(
    asked: Sequence[Asked], seen: Gives, failing: Collection[str], bank: Iterable[Misconception]
) -> Misconception | None:
    """Find the misconception that these answers to one question show; `failing` names the trials that are wrong."""
    best, most = None, 0
    for misconception in bank:
        explained = _explained(asked, seen, failing, misconception)
        if explained > most:
            best, most = misconception, explained
    return best


def hint_of(misconception: Misconception | None) -> Hint | None:
    """Return the hint of a misconception, if there is one."""
    return None if misconception is None else Hint(misconception=misconception.id, text=misconception.hint)


def _explained(asked: Sequence[Asked], seen: Gives, failing: Collection[str], misconception: Misconception) -> int:
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
        elif not same(trial.check, answer, wrong, trial.inputs):
            return 0
        else:
            count += 1
    return count


def is_silent(answer: Observation) -> bool:
    """Tell whether an observation says nothing about what the student believes: unwritten, or never reached."""
    return is_unwritten(answer) or is_untried(answer) or answer.status in ("missing", "unreachable")


def changed(asked: Sequence[Asked], reference: Gives, specimen: Gives) -> dict[str, Observation]:
    """Return what a specimen gives on the trials where it differs from the reference."""
    return {
        trial.id: specimen[trial.id]
        for trial in asked
        if trial.id in specimen and not same(trial.check, specimen[trial.id], reference[trial.id], trial.inputs)
    }
