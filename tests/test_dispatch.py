"""Orders on their way to workers: whoever kills a worker pays alone, and memory stays bounded."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any

import pytest

from redink.errors import CourseError
from redink.grader.pipeline.job import BoxSettings, Job
from redink.grader.workers import dispatch
from redink.grader.workers.dispatch import KILLED, Dispatch
from redink.grader.workers.workers import Workers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are killed by signals here")

PLAIN = BoxSettings(torch=False)


def act(data: bytes) -> bytes:
    """Be a worker that does what an order says."""
    if b"kill" in data:
        os.kill(os.getpid(), signal.SIGKILL)
    if b"raise" in data:
        raise RecursionError("too deep")
    return b"done"


def orders(*words: str) -> Iterator[tuple[str, Job]]:
    for word in words:
        yield word, Job(notebook=word.encode(), key="", box=PLAIN)


def answers(workers: Workers, *words: str) -> dict[str, bytes | str]:
    found: dict[str, bytes | str] = {}
    for who, answer in Dispatch(workers, act, orders(*words)).answers():
        assert who not in found
        found[who] = answer
    return found


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_that_kills_its_worker_each_time_costs_nobody_else_anything(jobs):
    names = [f"honest{number}" for number in range(9)]
    with Workers(jobs, PLAIN) as workers:
        found = answers(workers, *names[:4], "kill1", *names[4:7], "kill2", *names[7:])
    assert found.pop("kill1") == KILLED
    assert found.pop("kill2") == KILLED
    assert found == dict.fromkeys(names, b"done")


def test_one_that_raises_in_a_worker_costs_nobody_else_anything():
    with Workers(1, PLAIN) as workers:
        found = answers(workers, "a", "raise", "b")
    assert found["a"] == found["b"] == b"done"
    assert "RecursionError: too deep" in found["raise"]


def test_a_machine_that_kills_every_worker_is_noticed(monkeypatch):
    monkeypatch.setattr(dispatch, "MOST_KILLS", 1)
    names = [f"kill{number}" for number in range(2 * dispatch.MOST_IN_VAIN)]
    with Workers(1, PLAIN) as workers:
        assert answers(workers, *names) == dict.fromkeys(names, KILLED)


def test_workers_of_somebody_else_that_have_ended_are_told():
    with (
        ProcessPoolExecutor(1) as pool,
        Workers(1, PLAIN, executor=pool) as workers,
        pytest.raises(CourseError, match="start them, and grade again"),
    ):
        answers(workers, "a", "kill", "b")


class Slow(Executor):
    """Remembers how many bytes were under way at once, and finishes an order only when the next look comes."""

    def __init__(self) -> None:
        self.most = 0
        self.under_way: list[tuple[int, Future[Any]]] = []

    def submit(self, function: Any, /, *given: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.under_way = [(size, one) for size, one in self.under_way if not one.done()]
        self.under_way.append((len(given[0]), future))
        self.most = max(self.most, sum(size for size, _ in self.under_way))
        if len(self.under_way) > 1 or self.most > dispatch.MOST_BYTES:
            for _, one in self.under_way:
                one.set_result(b"done")
        return future


def test_large_orders_are_not_sent_all_at_once():
    size = dispatch.MOST_BYTES // 2 + 1
    many = ((number, Job(notebook=bytes(size), key="", box=PLAIN)) for number in range(6))
    pool = Slow()
    found = list(Dispatch(Workers(2, PLAIN, executor=pool), act, many).answers())
    assert len(found) == 6
    assert pool.most < 2 * size + 1000
