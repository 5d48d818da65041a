"""Stage 3: see what a submission does, in the box, unless that was seen before."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from redink.grader.answer_key.key import AnswerKey, Part
from redink.grader.digests import digest, run_digest
from redink.grader.pipeline.job import Execution, KnownObservations, SeenByCheck
from redink.grader.pipeline.packing import pack_observations
from redink.notebook import cells_to_run
from redink.records import Cell, CellRun, Limits, Observation, Observed, Record, Request

_WORD = re.compile(r"[^\W\d]\w*")


class Seen(Record, frozen=True):
    """What was seen of a submission, by check; and how it was executed, if it was."""

    execution: Execution
    checks: tuple[SeenByCheck, ...]
    new: frozenset[str]  # the checks that were seen now
    executed: bool


class Box(Protocol):
    """Something that runs cells and then requests."""

    def observe(
        self, cells: Sequence[Cell], requests: Sequence[Request], limits: Limits, files: Mapping[str, bytes]
    ) -> Observed:
        """Run them and return what was seen."""


def observe(
    box: Callable[[], Box],
    key: AnswerKey,
    cells: Sequence[Cell],
    earlier: Execution | None,
    known: Mapping[str, KnownObservations],
) -> Seen:
    """Observe a submission; checks whose observation is known under the same key are not run again."""
    to_run = cells_to_run(cells, key.explorations)
    names = observation_keys(key, to_run)
    open_parts = [part for part in key.parts if _content(known, part.check, names) is None]
    if earlier is not None and not open_parts:
        checks = tuple(_seen(part.check, names[part.check], known[part.check].content) for part in key.parts)
        return Seen(execution=earlier, checks=checks, new=frozenset(), executed=False)
    requests = [request for part in open_parts for request in part.requests]
    observed = box().observe(to_run, requests, key.spec.limits, key.data)
    return Seen(
        execution=_execution(cells, observed),
        checks=tuple(_one(part, names, known, observed) for part in key.parts),
        new=frozenset(part.check for part in open_parts),
        executed=True,
    )


def observation_keys(key: AnswerKey, to_run: Sequence[Cell]) -> dict[str, str]:
    """Return a key for what each check sees: of the cells, what is called on them, the inputs, files and limits."""
    run = run_digest(to_run, key.data, key.spec.limits)
    return {part.check: digest(run, key.request_digests[part.check]) for part in key.parts}


def _content(known: Mapping[str, KnownObservations], check: str, names: Mapping[str, str]) -> bytes | None:
    found = known.get(check)
    return found.content if found is not None and found.key == names[check] else None


def _one(
    part: Part, names: Mapping[str, str], known: Mapping[str, KnownObservations], observed: Observed
) -> SeenByCheck:
    content = _content(known, part.check, names)
    if content is not None:
        return _seen(part.check, names[part.check], content)
    seen = [_credible(observed.observations[one.id], one.when) for one in part.requests]
    lasting = all(one.status != "unreachable" for one in seen)
    return _seen(part.check, names[part.check], pack_observations(seen), lasting)


def _seen(check: str, key: str, content: bytes, lasting: bool = True) -> SeenByCheck:
    return SeenByCheck(check=check, key=key, content=content, digest=digest(content), lasting=lasting)


def _execution(cells: Sequence[Cell], observed: Observed) -> Execution:
    runs = {run.index: run for run in observed.cells}
    skipped = (CellRun(index=cell.index, status="skipped") for cell in cells if cell.index not in runs)
    return Execution(
        cells=tuple(sorted([*runs.values(), *skipped], key=lambda one: one.index)),
        box=observed.box,
        cpu_seconds=observed.cpu_seconds,
        wall_seconds=observed.wall_seconds,
    )


def _credible(observation: Observation, when: str) -> Observation:
    """Accept a missing name only from the `when` itself: any other text is the student's, and a verdict would show it."""
    if observation.status != "missing" or observation.error in _WORD.findall(when):
        return observation
    return Observation(status="raised", error="AttributeError", where=observation.where)
