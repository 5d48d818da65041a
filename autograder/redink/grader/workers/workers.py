"""The coordinator's side of the workers: hands out jobs, takes answers, and survives a worker that is killed.

By default the workers are processes of this machine, started when there is a job, and their zygotes are forked from one
template. Any other `Executor` may be passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from types import TracebackType
from typing import TypeVar

import msgspec

from redink.assignment.spec import read_spec
from redink.errors import BoxError, CourseError
from redink.grader.answer_key.key import AnswerKey, encode_key
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.pipeline.job import OURS, BoxSettings, Done, Job, ObservedDone, Observing
from redink.grader.sandbox.template import Template
from redink.grader.starting import end_pool, start_pool
from redink.grader.workers.cluster import Cluster
from redink.grader.workers.dispatch import Dispatch
from redink.grader.workers.judge_template import JudgeTemplate
from redink.grader.workers.worker import observe_job, run_job
from redink.records import Cell, Limits, Observed, Request

Name = TypeVar("Name")


class Workers:
    """Up to `jobs` workers for one assignment."""

    def __init__(self, jobs: int, box: BoxSettings, *, executor: Executor | None = None) -> None:
        self.jobs = jobs
        self._box = box
        self._executor = executor
        self._pool: ProcessPoolExecutor | None = None
        self._template: Template | None = None
        self._judges: tuple[str, JudgeTemplate] | None = None  # and the digest of their key
        self.watch: Callable[[int, int], None] = lambda done, total: None  # told of notebooks of the author's own

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            end_pool(self._pool, at_once=error is not None)
        if self._template is not None:
            self._template.close()
        if self._judges is not None:
            self._judges[1].close()

    def grade(self, key: AnswerKey, jobs: Iterable[tuple[Name, Job]]) -> Iterator[tuple[Name, Done]]:
        """Do jobs and yield each as soon as it is done; the answer key and the settings of the box are added here."""
        data = encode_key(key)
        name = digest(data)
        first = self._with_first_jobs(data)

        def prepared() -> Iterator[tuple[Name, Job]]:
            for who, job in jobs:
                yield (
                    who,
                    msgspec.structs.replace(
                        job,
                        key=name,
                        box=self._settings(),
                        key_data=next(first, b""),
                        judges=self._judges_by(name, data),
                    ),
                )

        def again(job: Job, answer: bytes) -> Job | None:
            needs = msgspec.msgpack.decode(answer, type=Done).needs_key
            return msgspec.structs.replace(job, key_data=data) if needs else None

        for who, answer in Dispatch(self, run_job, prepared(), again).answers():
            if isinstance(answer, str):
                done = Done(state="internal_error", reason=f"{OURS}: {answer}")
            else:
                done = msgspec.msgpack.decode(answer, type=Done)
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
        for place, answer in Dispatch(self, observe_job, orders).answers():
            seen[place] = _seen(answer)
            self.watch(len(seen), len(many))
        return [seen[place] for place in range(len(many))]

    def _with_first_jobs(self, key: bytes) -> Iterator[bytes]:
        """Yield what goes with the first jobs: each worker needs the key once, and most get it with their first job."""
        if isinstance(self._executor, Cluster):
            self._executor.hold(key)
        else:
            yield from [key] * self.jobs

    def _settings(self) -> BoxSettings:
        """Start the template, whose address the workers need; workers elsewhere make their own."""
        if self._executor is not None:
            return self._box
        if self._template is None:
            self._template = Template(torch=self._box.torch, packages=self._box.packages)
        return msgspec.structs.replace(self._box, template=self._template.address)

    def _judges_by(self, name: str, key: bytes) -> str:
        """Start the template of judges, whose address the workers need; workers elsewhere make their own."""
        if self._executor is not None:
            return ""
        if self._judges is None or self._judges[0] != name:
            if self._judges is not None:
                self._judges[1].close()
            self._judges = name, JudgeTemplate(key)
        return self._judges[1].address

    def executor(self) -> Executor:
        """Return the executor to send orders to; our own is started when there is none."""
        if self._executor is not None:
            return self._executor
        if self._pool is None:
            self._pool = start_pool(self.jobs)
        return self._pool

    def replace(self, broken: Executor) -> None:
        """Forget a pool in which a worker was killed; the next order starts another."""
        if broken is self._executor:
            raise CourseError("the workers have ended; what was graded is kept: start them, and grade again")
        if self._pool is not None and broken is self._pool:
            end_pool(self._pool, at_once=True)
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
    spec = read_spec(course.find_assignment(slug))
    box = BoxSettings.of(spec, hidden=(str(course.root),), without=without, allow_weak=allow_weak)
    return Workers(jobs, box, executor=executor)


def _seen(answer: bytes | str) -> Observed:
    if isinstance(answer, str):
        raise BoxError(answer)
    done = msgspec.msgpack.decode(answer, type=ObservedDone)
    if done.refused:
        raise CourseError(done.refused)
    if done.observed is None:
        raise BoxError(done.failed)
    return done.observed
