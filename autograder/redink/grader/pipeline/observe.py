"""Stage 3: see what a submission does, in the box, unless that was seen before.

A check whose function is missing says which one, also where its inputs are secret. So that nobody can tell of those inputs
by choosing a name, the box is asked for the missing names before any secret input enters it, and later answers can only
say *that* a name is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

import msgspec

from redink.assignment.spec import Spec
from redink.grader.answer_key.key import AnswerKey
from redink.grader.evidence.keys import observation_keys
from redink.grader.evidence.packing import pack_check
from redink.notebook import cells_to_run
from redink.records import (
    Cell,
    CellRun,
    CheckObservations,
    Execution,
    Limits,
    Observation,
    Observed,
    Record,
    Request,
)

_WORD = re.compile(r"[^\W\d]\w*")
_LIST_MISSING = "def when(student, names):\n    return [name for name in names if not hasattr(student, name)]\n"


class Seen(Record, frozen=True):
    """What was seen of a submission: how it was executed, and what each check saw."""

    execution: Execution
    checks: tuple[CheckObservations, ...]
    new: tuple[CheckObservations, ...]  # those that were seen now; what could not be reached is tried again next time
    executed: bool


class Box(Protocol):
    """Something that runs cells and then requests."""

    def observe(
        self,
        cells: Sequence[Cell],
        requests: Sequence[Request],
        limits: Limits,
        files: Mapping[str, bytes],
        most_bytes: Mapping[str, int],
    ) -> Observed:
        """Run them and return what was seen."""


def observe(
    box: Callable[[], Box],
    key: AnswerKey,
    cells: Sequence[Cell],
    earlier: Execution | None,
    known: Sequence[CheckObservations],
) -> Seen:
    """Observe a submission; checks whose observation is known under the same key are not run again."""
    to_run = cells_to_run(cells, key.explorations)
    names = observation_keys(key, to_run)
    checks = {one.check: one for one in known if names.get(one.check) == one.key}
    open_parts = [part for part in key.parts if part.check not in checks]
    if earlier is not None and not open_parts:
        return Seen(execution=earlier, checks=tuple(checks.values()), new=(), executed=False)
    requests = [request for part in open_parts for request in part.requests]
    names_asked = _ask_for_missing_names(key.spec)
    observed = box().observe(to_run, [names_asked, *requests], key.spec.limits, key.data, key.most_bytes)
    missing = _missing_names(names_asked, observed.observations[names_asked.id])
    new = []
    for part in open_parts:
        seen = [_credible(observed.observations[one.id], one, missing) for one in part.requests]
        checks[part.check] = pack_check(part.check, names[part.check], seen)
        if all(one.status != "unreachable" for one in seen):
            new.append(checks[part.check])
    return Seen(execution=_execution(cells, observed), checks=tuple(checks.values()), new=tuple(new), executed=True)


def _execution(cells: Sequence[Cell], observed: Observed) -> Execution:
    runs = {run.index: run for run in observed.cells}
    skipped = (CellRun(index=cell.index, status="skipped") for cell in cells if cell.index not in runs)
    return Execution(
        cells=tuple(sorted([*runs.values(), *skipped], key=lambda one: one.index)),
        box=observed.box,
        cpu_seconds=observed.cpu_seconds,
        wall_seconds=observed.wall_seconds,
        run_again=observed.run_again,
    )


def _ask_for_missing_names(spec: Spec) -> Request:
    """Ask which of the names that the assignment asks for are missing; they are no secret, and this is published."""
    names = dict.fromkeys(name for question in spec.questions for name in question.asks)
    inputs = msgspec.msgpack.encode({"names": list(names)})  # as the wire has it, without loading numpy
    return Request(id="missing names/p0", when=_LIST_MISSING, inputs=inputs)


def _missing_names(asked: Request, answer: Observation) -> Collection[str]:
    """Read which names are missing; an answer longer than the question comes from somebody else."""
    if answer.status != "returned" or len(answer.value) > len(asked.inputs):
        return ()
    try:
        return msgspec.msgpack.decode(answer.value, type=list[str])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ()


def _credible(observation: Observation, request: Request, missing: Collection[str]) -> Observation:
    """Accept a missing name only from the `when` itself: any other text is the student's, and a verdict would show it.

    Of a secret request it is the first one that was missing before, whatever name the box says now.
    """
    if observation.status != "missing":
        return observation
    known = (observation.error,) if request.published else missing
    name = next((word for word in _WORD.findall(request.when) if word in known), None)
    if name is None:
        return msgspec.structs.replace(observation, status="raised", error="AttributeError")
    return msgspec.structs.replace(observation, error=name, where="")
