"""The coordinator's side of the workers: hands out jobs, takes answers, and survives a worker that is killed.

By default the workers are processes of this machine, started when there is a job, and their zygotes are forked from one
template. Any other `Executor` may be passed in.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from types import TracebackType
from typing import TypeVar

import msgspec

from redink.assignment.spec import read_spec
from redink.box.walls.raising import die_with
from redink.errors import BoxError, CourseError
from redink.grader.answer_key.key import AnswerKey, encode_key
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.pipeline.job import BoxSettings, Done, Job, ObservedDone, Observing, pack
from redink.grader.sandbox.template import Template
from redink.grader.workers.worker import observe_job, run_job
from redink.records import Cell, Limits, Observed, Request

AHEAD = 3  # jobs that wait for each worker, so that none waits for the coordinator
MOST_RESTARTS = 3
KILLED = "its workers were killed again and again; is this machine out of memory?"
Name = TypeVar("Name")
Order = TypeVar("Order", Job, Observing)


class Workers:
    """Up to `jobs` workers for one assignment."""

    def __init__(self, jobs: int, box: BoxSettings, *, executor: Executor | None = None) -> None:
        self._jobs = jobs
        self._box = box
        self._executor = executor
        self._pool: ProcessPoolExecutor | None = None
        self._template: Template | None = None
        self._restarts = 0
        self.watch: Callable[[int, int], None] = lambda done, total: None  # told of notebooks of the author's own

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            _end(self._pool, at_once=error is not None)
        if self._template is not None:
            self._template.close()

    def grade(self, key: AnswerKey, jobs: Iterable[tuple[Name, Job]]) -> Iterator[tuple[Name, Done]]:
        """Do jobs and yield each as soon as it is done; the answer key and the settings of the box are added here."""
        data = encode_key(key)
        name = digest(data)
        first = iter([data] * self._jobs)  # each worker needs the key once: most of them get it with their first job

        def prepared() -> Iterator[tuple[Name, Job]]:
            for who, job in jobs:
                yield who, msgspec.structs.replace(job, key=name, box=self._settings(), key_data=next(first, b""))

        def again(job: Job, answer: bytes) -> Job | None:
            needs = msgspec.msgpack.decode(answer, type=Done).needs_key
            return msgspec.structs.replace(job, key_data=data) if needs else None

        for who, answer in self._each(run_job, prepared(), again):
            done = Done(state="internal_error", reason=f"the box failed, not the student: {KILLED}")
            done = done if answer is None else msgspec.msgpack.decode(answer, type=Done)
            if done.refused:
                raise CourseError(done.refused)
            yield who, done

    def observe(
        self, many: Sequence[tuple[Sequence[Cell], Sequence[Request]]], limits: Limits, data: dict[str, bytes]
    ) -> list[Observed]:
        """Run an author's notebooks and return what was seen, in their order; a box that fails is raised."""
        if not many:
            return []
        box = self._settings()
        orders = (
            (place, Observing(cells=tuple(cells), requests=tuple(requests), limits=limits, data=data, box=box))
            for place, (cells, requests) in enumerate(many)
        )
        seen: dict[int, Observed] = {}
        for place, answer in self._each(observe_job, orders, lambda order, answer: None):
            seen[place] = _seen(answer)
            self.watch(len(seen), len(many))
        return [seen[place] for place in range(len(many))]

    def _each(
        self,
        function: Callable[[bytes], bytes],
        orders: Iterable[tuple[Name, Order]],
        again: Callable[[Order, bytes], Order | None],
    ) -> Iterator[tuple[Name, bytes | None]]:
        """Keep every worker busy, and memory bounded: no more orders are taken than are about to be done.

        For an order whose workers are killed again and again the answer is None.
        """
        source = iter(orders)
        repeated: deque[tuple[Name, Order]] = deque()
        waiting: dict[Future[bytes], tuple[Executor, Name, Order]] = {}
        while True:
            while len(waiting) < AHEAD * self._jobs:
                one: tuple[Name, Order] | None = repeated.popleft() if repeated else next(source, None)
                if one is None:
                    break
                executor = self._workers()
                try:
                    waiting[executor.submit(function, pack(one[1]))] = (executor, one[0], one[1])
                except (BrokenExecutor, OSError):  # it broke since the last answer; its pipe may be closed already
                    self._replace(executor)
                    repeated.append(one)
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED)[0]:
                executor, who, order = waiting.pop(future)
                try:
                    answer = future.result()
                except BrokenExecutor:  # a worker was killed, and every order that waited fails with it
                    self._replace(executor)
                    if self._restarts > MOST_RESTARTS:
                        yield who, None
                    else:
                        repeated.append((who, order))
                    continue
                if (repeat := again(order, answer)) is not None:
                    repeated.append((who, repeat))
                else:
                    yield who, answer

    def _settings(self) -> BoxSettings:
        """Start the template, whose address the workers need; workers elsewhere make their own."""
        if self._executor is not None:
            return self._box
        if self._template is None:
            self._template = Template(torch=self._box.torch)
        return msgspec.structs.replace(self._box, template=self._template.address)

    def _workers(self) -> Executor:
        if self._executor is not None:
            return self._executor
        if self._pool is None:
            context = multiprocessing.get_context("spawn")  # a fork would copy locks that a progress bar's thread holds
            self._pool = ProcessPoolExecutor(self._jobs, context, initializer=_begin, initargs=(os.getpid(),))
        return self._pool

    def _replace(self, broken: Executor) -> None:
        """Forget a pool in which a worker was killed; the next order starts another."""
        if self._pool is not None and broken is self._pool:
            self._restarts += 1
            _end(self._pool, at_once=True)
            self._pool = None


def workers_for(
    course: Course,
    slug: str,
    *,
    jobs: int = 1,
    allow_weak: bool = False,
    without: tuple[str, ...] = (),
    executor: Executor | None = None,
) -> Workers:
    """Make workers for one assignment of a course; the course stays invisible to what they run."""
    torch = read_spec(course.find_assignment(slug)).torch
    box = BoxSettings(torch=torch, hidden=(str(course.root),), without=without, allow_weak=allow_weak)
    return Workers(jobs, box, executor=executor)


def _seen(answer: bytes | None) -> Observed:
    done = ObservedDone(failed=KILLED) if answer is None else msgspec.msgpack.decode(answer, type=ObservedDone)
    if done.refused:
        raise CourseError(done.refused)
    if done.observed is None:
        raise BoxError(done.failed)
    return done.observed


def _begin(coordinator: int) -> None:
    """Prepare a worker process: it leaves Ctrl-C to the coordinator, and ends with the coordinator."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with(coordinator)


def _end(pool: ProcessPoolExecutor, *, at_once: bool) -> None:
    """End a pool: after its current jobs, or at once."""
    processes = list((pool._processes or {}).values())  # there is no public way before Python 3.14
    if at_once:
        for process in processes:
            process.kill()
    pool.shutdown(cancel_futures=True)
