"""A worker: `run_job(bytes) -> bytes`, on any `concurrent.futures.Executor`.

A job contains no names of people, and a worker writes nothing. It drives two processes: a zygote, from which a box is
forked for every submission, and a judge, which holds the answer key; and a second zygote, for boxes of the reference,
from when one has to borrow (borrowing.py). Killing any of them loses the state of one submission,
and the next call starts another. All that a job depends on is in the job: no environment variable, no current folder.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from redink.errors import BoxError, CourseError, TooLateError, in_one_sentence
from redink.grader.answer_key.key import AnswerKey, decode_key
from redink.grader.pipeline.job import OURS, BoxSettings, Done, Job, ObservedDone, Observing, pack
from redink.grader.pipeline.observe import Seen, observe
from redink.grader.sandbox.client import Zygote
from redink.grader.workers.borrowing import Borrowing
from redink.grader.workers.judge_process import Assess, Assessed, Document, JudgeProcess, Wanted
from redink.notebook import cells_to_run
from redink.records import Cell, Limits, Observed, Request

PAUSES = (0.5, 3.0, 10.0)  # seconds before a box that failed is tried again
LONG = 30.0  # seconds after which it is not


class _Held(threading.local):
    """What one worker holds between jobs."""

    settings: BoxSettings | None = None
    zygote: Zygote | None = None
    reference: Zygote | None = None  # in which no student's code ever runs
    digest: str = ""
    key: AnswerKey | None = None
    judge: JudgeProcess | None = None
    in_trouble: bool = False


_held = _Held()


@atexit.register
def _release() -> None:
    """End all processes with the worker, and wait for them."""
    if _held.judge is not None:
        _held.judge.close()
    _close_zygotes()


def _close_zygotes() -> None:
    for zygote in (_held.zygote, _held.reference):
        if zygote is not None:
            zygote.close()
    _held.zygote = _held.reference = None


def run_job(data: bytes) -> bytes:
    """Observe and assess one submission; never raises for what a submission is or does."""
    job = msgspec.msgpack.decode(data, type=Job)
    try:
        if not _hold(job):
            return pack(Done(needs_key=True))
        return pack(_run(job))
    except CourseError as error:
        return pack(Done(state="internal_error", refused=str(error)))
    except Exception as error:  # noqa: BLE001 - whatever it is, it costs this submission alone
        return pack(Done(state="internal_error", reason=f"{OURS}: {in_one_sentence(error)}"))


def observe_job(data: bytes) -> bytes:
    """Run an author's notebook and answer requests from it."""
    job = msgspec.msgpack.decode(data, type=Observing)
    try:
        seen = _Box(job.box).observe(job.cells, job.requests, job.limits, job.data, {})
    except CourseError as error:
        return pack(ObservedDone(refused=str(error)))
    except BoxError as error:
        return pack(ObservedDone(failed=str(error)))
    return pack(ObservedDone(observed=seen))


def _run(job: Job) -> Done:
    key, judge = _held.key, _held.judge
    assert key is not None
    assert judge is not None
    document = judge.read(job.notebook)
    if document.reason is not None:
        return Done(state="ungradable", reason=document.reason)
    seen = observe(lambda: _Box(job.box), key, document.cells, job.earlier, job.known)
    borrowing = Borrowing(key, cells_to_run(document.cells, key.explorations), job.known)
    assessed = _assess(job, judge, document, seen, borrowing)
    return Done(
        sources=document.sources,
        execution=seen.execution,
        executed=seen.executed or bool(borrowing.new),
        seen=(*seen.new, *borrowing.new),
        assessment=assessed.assessment,
        judgements=assessed.judgements,
    )


def _assess(job: Job, judge: JudgeProcess, document: Document, seen: Seen, borrowing: Borrowing) -> Assessed:
    """Have a submission assessed, and again as long as that calls for something to be tried: less each time."""
    judgements: dict[str, bytes] = {}

    def find(wanted: Wanted) -> bytes | None:
        return judgements.get(wanted.name)

    while True:
        checks = (*seen.checks, *borrowing.seen)
        order = Assess(
            sources=document.sources,
            cells=seen.execution.cells,
            digests={one.check: one.digest for one in checks},
            contents={one.check: one.content for one in checks},
            before=job.before,
            remembers=bool(judgements),
        )
        assessed = judge.assess(order, find)
        judgements.update(assessed.judgements)
        if not (untried := assessed.assessment.untried):
            return Assessed(assessment=assessed.assessment, judgements=judgements)
        borrowing.run(untried, _zygote(job.box), _zygote_of_the_reference(job.box))


def _patiently(attempt: Callable[[], Observed]) -> Observed:
    """Try again what failed through our fault; once waiting has not helped, no longer wait for every submission.

    What failed after a long time, or when a secret input was in the box, is left to the next grading: a submission may
    pretend that the box failed, to be run again.
    """
    began = time.monotonic()
    for pause in () if _held.in_trouble else PAUSES:
        try:
            return attempt()
        except BoxError as error:
            if isinstance(error, TooLateError) or time.monotonic() - began > LONG:
                raise
            time.sleep(pause)
    _held.in_trouble = True
    answer = attempt()
    _held.in_trouble = False
    return answer


def _hold(job: Job) -> bool:
    """Hold the job's answer key; False if neither the job nor this worker has it."""
    if _held.digest == job.key:
        return True
    if not job.key_data:
        return False
    key = decode_key(job.key_data, "what the coordinator sent")
    if _held.judge is not None:
        _held.judge.close()
    _held.key = key
    _held.judge = JudgeProcess(job.key_data, job.judges)
    _held.digest = job.key
    return True


class _Box:
    """The zygote of a worker, made when something must run."""

    def __init__(self, settings: BoxSettings) -> None:
        self._settings = settings

    def observe(
        self,
        cells: Sequence[Cell],
        requests: Sequence[Request],
        limits: Limits,
        files: Mapping[str, bytes],
        most_bytes: Mapping[str, int],
    ) -> Observed:
        """Run cells and requests in a fresh box; one that fails through our fault is tried again."""
        return _patiently(lambda: _zygote(self._settings).observe(cells, requests, limits, files, most_bytes))


def _zygote(settings: BoxSettings) -> Zygote:
    """Return the zygote for boxes of students."""
    if _held.settings != settings:
        _close_zygotes()
        _held.settings = settings
    if _held.zygote is None:
        _held.zygote = _make_zygote(settings)
    return _held.zygote


def _zygote_of_the_reference(settings: BoxSettings) -> Zygote:
    """Return the zygote for boxes of the reference."""
    if _held.reference is None:
        _held.reference = _make_zygote(settings)
    return _held.reference


def _make_zygote(one: BoxSettings) -> Zygote:
    return Zygote(
        torch=one.torch, packages=one.packages, hidden=one.hidden, without=one.without, allow_weak=one.allow_weak,
        template=one.template,
    )  # fmt: skip
