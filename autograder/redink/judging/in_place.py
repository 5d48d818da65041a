"""Changes in place: a function that changes an argument loses one check for it, the first in which that is seen.

In that check it has failed, whatever it returned; all others are judged by what they returned, and note the change. Checks
without points charge nobody, and what a question declares (`mutates`) is no change. Where an earlier question that the
notebook's code relies on was charged, nothing is charged again. Which argument was changed on a secret input is the
student's to choose and could tell of that input, so only what published trials show is named.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from redink.checks.language import Check
from redink.judging.answers import Answer
from redink.judging.feedback import ELSEWHERE, Feedback
from redink.records import Record, Trial, Visibility

_COST = "work on a copy. This costs this check; others are judged by what they return"


class Changes(Record, frozen=True):
    """The inputs that one check saw changed in place: those that a student may read of, and whether there were any."""

    shown: tuple[str, ...] = ()
    seen: bool = False
    replay: str = ""  # how a student sees the first of them again


class Looked(NamedTuple):
    """One check as it is judged by its answers, and the changes that it saw."""

    check: str
    visibility: Visibility
    weight: float
    feedback: Feedback
    changes: Changes


def changed_inputs(check: Check, answer: Answer) -> tuple[str, ...]:
    """Name the inputs that a call changed in place and was not meant to."""
    return tuple(name for name in answer.modified if name not in check.mutates)


def find_changes(check: Check, visibility: Visibility, trials: Iterable[tuple[Trial, Answer]]) -> Changes:
    """Sum up what the trials of one check saw."""
    shown: dict[str, None] = {}
    seen, replay = False, ""
    for trial, answer in trials:
        names = changed_inputs(check, answer)
        seen = seen or bool(names)
        if names and visibility == "public" and trial.published:
            shown |= dict.fromkeys(names)
            replay = replay or f'check.replay("{check.id}", {trial.number})'
    return Changes(shown=tuple(shown), seen=seen, replay=replay)


def first_changed(looked: Iterable[Looked]) -> str | None:
    """Return the first check, in the order of a question's checks, that carries points and saw a change."""
    return next((one.check for one in looked if one.changes.seen and one.weight > 0), None)


def settle(looked: Iterable[Looked], charged: str | None, earlier: str | None) -> dict[str, Feedback]:
    """Charge one check of a question, or none where an `earlier` question was; all others note what they saw."""
    where = f", which is charged in {earlier}" if earlier else ", which is charged above"
    return {
        one.check: _charge(one) if one.check == charged and not earlier else _note(one, where if one.weight else "")
        for one in looked
    }


def _charge(looked: Looked) -> Feedback:
    """Let a check fail for a change in place; what is wrong with its answers besides is said too."""
    feedback, shown = looked.feedback, looked.changes.shown
    if shown:
        fault = f"Changed its {_named(shown)} in place: {_COST}."
    else:
        fault = f"Your code changed an input in place here: {_COST}." if looked.visibility == "hidden" else ELSEWHERE
    if feedback.passed:
        return msgspec.structs.replace(feedback, outcome="failed", fault=fault, replay=looked.changes.replay)
    where = "" if feedback.replay == looked.changes.replay else f" `{looked.changes.replay}` shows it."
    return msgspec.structs.replace(feedback, fault=f"{fault}{where} Besides: {feedback.fault}") if shown else feedback


def _note(looked: Looked, where: str) -> Feedback:
    feedback, shown = looked.feedback, looked.changes.shown
    told = f"changed its {_named(shown)} in place{where}" if shown else ""
    return msgspec.structs.replace(feedback, notes=(told, *feedback.notes)) if told else feedback


def _named(names: tuple[str, ...]) -> str:
    return f"input {names[0]}" if len(names) == 1 else f"inputs {', '.join(names[:-1])} and {names[-1]}"
