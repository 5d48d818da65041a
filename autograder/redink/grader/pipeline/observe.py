"""Stage 3: see what a submission does, in the box, unless that was seen before.

One thread drives one zygote; the coordinator alone touches the gradebook. A box that fails is our fault: it is tried
again, and then the submission has no grade rather than a zero.
"""

from __future__ import annotations

import os
import queue
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from types import TracebackType
from typing import TypeVar

from redink.errors import BoxError
from redink.grader.answer_key.digests import observation_keys, run_key
from redink.grader.assignment.assignment import Assignment
from redink.grader.sandbox.client import Zygote
from redink.grader.store.gradebook import Gradebook, Run
from redink.records import Cell, CellRun, Observation, Observed, Record, Request

WEAK_VARIABLE = "REDINK_ALLOW_WEAK_BOX"  # set: grade behind weak walls too
_PAUSES = (0.5, 3.0, 10.0)  # seconds before a box that failed is tried again
Name = TypeVar("Name", int, str)
_WORD = re.compile(r"[^\W\d]\w*")


class Seen(Record, frozen=True):
    """What was seen of a submission, and under which keys it is stored."""

    run: Run
    observations: dict[str, Observation]  # by trial id
    keys: dict[str, str]  # trial id to observation key
    reused: bool


class Observer:
    """Observes submissions to one assignment with up to `jobs` boxes at a time."""

    def __init__(self, book: Gradebook, assignment: Assignment, jobs: int = 1) -> None:
        self._book = book
        self._data = assignment.data()
        self._limits = assignment.spec.limits
        self._torch = assignment.spec.torch
        self._hidden = (str(assignment.folder.resolve().parents[1]),)
        self._skip = assignment.master.explorations()
        self._executor = ThreadPoolExecutor(jobs)
        self._zygotes: queue.LifoQueue[Zygote] = queue.LifoQueue()
        self._made: list[Zygote] = []
        self._closing = False
        self.executions = 0

    def __enter__(self) -> Observer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        self._executor.shutdown(wait=error is None, cancel_futures=True)
        for zygote in self._made:
            zygote.close()

    def key_of(self, cells: Sequence[Cell]) -> str:
        """Key one execution of these cells."""
        return run_key(self._to_run(cells), self._data, self._limits)

    def known(self, cells: Sequence[Cell], requests: Sequence[Request]) -> Seen | None:
        """Find what was seen of these cells before; None unless it was everything."""
        key = self.key_of(cells)
        keys = observation_keys(key, requests)
        run, stored = self._book.run(key), self._book.observations(keys.values())
        if run is None or len(stored) < len(set(keys.values())):
            return None
        return Seen(run=run, observations={id: stored[name] for id, name in keys.items()}, keys=keys, reused=True)

    def all(self, many: Sequence[tuple[Sequence[Cell], Sequence[Request]]]) -> list[Seen]:
        """Observe several submissions and give them in their order; a box that fails is raised."""
        done = dict(self.each((number, *one) for number, one in enumerate(many)))
        for seen in done.values():
            if isinstance(seen, BoxError):
                raise seen
        return [seen for _, seen in sorted(done.items()) if isinstance(seen, Seen)]

    def each(
        self, many: Iterable[tuple[Name, Sequence[Cell], Sequence[Request]]]
    ) -> Iterator[tuple[Name, Seen | BoxError]]:
        """Observe submissions and give each as soon as it is seen."""
        waiting: dict[Future[Observed], tuple[Name, Sequence[Cell], Sequence[Request]]] = {}
        for name, cells, requests in many:
            if seen := self.known(cells, requests):
                yield name, seen
            else:
                future = self._executor.submit(self._in_box, cells, self._unseen(cells, requests))
                waiting[future] = (name, cells, requests)
        for future in as_completed(waiting):
            name, cells, requests = waiting.pop(future)
            try:
                yield name, self._keep(cells, requests, future.result())
            except BoxError as error:
                yield name, error

    def _unseen(self, cells: Sequence[Cell], requests: Sequence[Request]) -> list[Request]:
        keys = observation_keys(self.key_of(cells), requests)
        stored = self._book.observations(keys.values())
        return [request for request in requests if keys[request.id] not in stored]

    def _in_box(self, cells: Sequence[Cell], requests: Sequence[Request]) -> Observed:
        """Run in a worker thread: borrow a zygote, observe, give it back."""
        try:
            zygote = self._zygotes.get_nowait()
        except queue.Empty:
            weak = bool(os.environ.get(WEAK_VARIABLE))
            zygote = Zygote(torch=self._torch, hidden=self._hidden, allow_weak=weak)
            self._made.append(zygote)
        try:
            for pause in _PAUSES:
                try:
                    return zygote.observe(self._to_run(cells), requests, self._limits, self._data)
                except BoxError:
                    if self._closing:
                        raise
                    time.sleep(pause)
            return zygote.observe(self._to_run(cells), requests, self._limits, self._data)
        finally:
            self._zygotes.put(zygote)

    def _keep(self, cells: Sequence[Cell], requests: Sequence[Request], observed: Observed) -> Seen:
        """Store what was seen; what could not be reached is no finding, and is tried again next time."""
        self.executions += 1
        runs = {run.index: run for run in observed.cells}
        skipped = (CellRun(index=cell.index, status="skipped") for cell in cells if cell.index not in runs)
        run = Run(
            cells=tuple(sorted([*runs.values(), *skipped], key=lambda one: one.index)),
            box=observed.box,
            cpu_seconds=observed.cpu_seconds,
            wall_seconds=observed.wall_seconds,
        )
        key = self.key_of(cells)
        keys = observation_keys(key, requests)
        whens = {request.id: request.when for request in requests}
        seen = {id: _credible(one, whens[id]) for id, one in observed.observations.items()}
        lasting = {keys[id]: one for id, one in seen.items() if one.status != "unreachable"}
        self._book.keep_observed(key, run, lasting)
        earlier = self._book.observations(keys.values())
        observations = {id: seen[id] if id in seen else earlier[name] for id, name in keys.items()}
        return Seen(run=run, observations=observations, keys=keys, reused=False)

    def _to_run(self, cells: Sequence[Cell]) -> list[Cell]:
        return [cell for cell in cells if cell.source.strip() and cell.source.strip() not in self._skip]


def _credible(observation: Observation, when: str) -> Observation:
    """Take a missing name only from the `when` itself: any other text is the student's, and a verdict would show it."""
    if observation.status != "missing" or observation.error in _WORD.findall(when):
        return observation
    return Observation(status="raised", error="AttributeError", where=observation.where)
