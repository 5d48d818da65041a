"""Sending orders to workers, and taking their answers, however often a worker is killed.

Every worker is kept busy, and memory bounded: no more orders are taken than are about to be done. Whatever was under way
when a worker was killed is sent again alone: an order that kills its workers costs nobody else anything.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import Generic, NamedTuple, Protocol, TypeVar

from redink.errors import in_one_sentence
from redink.grader.pipeline.job import Job, Observing, pack

AHEAD = 3  # orders that wait for each worker, so that none waits for the coordinator
MOST_BYTES = 64 << 20  # of orders under way, unless one alone has more
MOST_KILLS = 3  # of workers by one order
MOST_IN_VAIN = 5  # orders that may fail so in a row, before it is the machine's fault
KILLED = "its workers were killed again and again; is this machine out of memory?"
Name = TypeVar("Name")
Order = TypeVar("Order", Job, Observing)


class Pool(Protocol):
    """Where orders are done."""

    jobs: int

    def executor(self) -> Executor:
        """Return the executor to send orders to; it is started when there is none."""
        ...

    def replace(self, broken: Executor) -> None:
        """Forget an executor in which a worker was killed."""
        ...


def _never(order: object, answer: bytes) -> None:
    return None


class _Sent(NamedTuple, Generic[Name, Order]):
    """An order as it is sent, and how many workers were killed over it alone."""

    who: Name
    order: Order
    data: bytes
    kills: int = 0


class Dispatch(Generic[Name, Order]):
    """The orders of one run, on their way."""

    def __init__(
        self,
        pool: Pool,
        function: Callable[[bytes], bytes],
        orders: Iterable[tuple[Name, Order]],
        again: Callable[[Order, bytes], Order | None] | None = None,
    ) -> None:
        """Take what does an order, and what to send instead of taking an answer."""
        self._pool = pool
        self._function = function
        self._again: Callable[[Order, bytes], Order | None] = again or _never
        self._source: Iterator[_Sent[Name, Order]] = (_Sent(who, order, pack(order)) for who, order in orders)
        self._repeated: deque[_Sent[Name, Order]] = deque()
        self._suspects: deque[_Sent[Name, Order]] = deque()  # one of them may have killed its worker
        self._waiting: dict[Future[bytes], tuple[Executor, _Sent[Name, Order]]] = {}
        self._in_vain = 0  # orders in a row whose workers were killed each time

    def answers(self) -> Iterator[tuple[Name, bytes | str]]:
        """Yield each answer as soon as it is there; for an order that failed it is a sentence."""
        while True:
            self._send()
            if not self._waiting:
                return
            alone = len(self._waiting) == 1
            for future in wait(self._waiting, return_when=FIRST_COMPLETED)[0]:
                executor, one = self._waiting.pop(future)
                answer = self._answer(future, executor, one._replace(kills=one.kills + alone))
                if isinstance(answer, bytes) and (repeat := self._again(one.order, answer)) is not None:
                    self._repeated.append(_Sent(one.who, repeat, pack(repeat)))
                elif answer is not None:
                    yield one.who, answer

    def _send(self) -> None:
        """Send as many orders as there is room for; a suspect is sent alone."""
        while self._has_room():
            queue = self._suspects or self._repeated
            one = queue.popleft() if queue else next(self._source, None)
            if one is None:
                return
            executor = self._pool.executor()
            try:
                self._waiting[executor.submit(self._function, one.data)] = executor, one
            except (BrokenExecutor, OSError):  # it broke since the last answer; its pipe may be closed already
                self._pool.replace(executor)
                self._suspects.append(one)

    def _has_room(self) -> bool:
        if self._suspects or not self._waiting:
            return not self._waiting
        under_way = sum(len(one.data) for _, one in self._waiting.values())
        return len(self._waiting) < AHEAD * self._pool.jobs and under_way < MOST_BYTES

    def _answer(self, future: Future[bytes], executor: Executor, one: _Sent[Name, Order]) -> bytes | str | None:
        """Return what became of an order; None if it is sent again. Its kills count for the case that it was killed."""
        try:
            answer = future.result()
        except BrokenExecutor:  # a worker was killed, and everything that waited fails with it
            self._pool.replace(executor)
            if one.kills < MOST_KILLS and self._in_vain < MOST_IN_VAIN:
                self._suspects.append(one)
                return None
            self._in_vain += 1
            return KILLED
        except Exception as error:  # noqa: BLE001 - whatever it is, it costs this order alone
            return in_one_sentence(error)
        self._in_vain = 0
        return answer
