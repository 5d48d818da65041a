"""The judge: a process that holds an answer key, reads what was handed in, and assesses what was seen of it.

It is a process apart from whoever drives it, because what it reads was made by strangers: a document or an answer on which
it hangs or runs out of memory costs one submission, and another judge is started; so it is when one has kept much memory
of what it read, which the next submission would lack. They share a socket::

                → Holding      first of all: it is there and has the answer key
    Read        → Document     a notebook's bytes; its cells, or why there are none
    Assess      → Assessed     what was seen of a submission
                → Wanted       meanwhile: something that was stored and is needed now
    Given       → …            that thing, and the assessment goes on
                → Failed       instead of any answer: our own failure, which would happen again
                → OverCpu      instead of any answer, from its template: the kernel has ended it

A judge is forked from a template (judge_template.py), and ends when its socket is closed.
"""

from __future__ import annotations

import contextlib
import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from redink import frames
from redink.errors import BoxError
from redink.grader.sandbox import pidfds
from redink.grader.sockets import connect
from redink.grader.workers.judge_template import LEAVING, JudgeTemplate
from redink.records import Assessment, Cell, CellRun, Record

MOST_SECONDS = 600.0  # of waiting for one answer; the judge's own limit is on CPU time, so that load changes nothing
LARGEST = 1 << 28
TRIES = 2
MOST_KEPT = 64 << 20  # bytes that a judge may have more than at first, when it has answered


class Holding(Record, frozen=True, tag="holding"):
    """A judge that has the key, and its pid."""

    pid: int


class Read(Record, frozen=True, tag="read"):
    """A notebook as it was handed in."""

    notebook: bytes


class Document(Record, frozen=True, tag="document"):
    """The cells of a notebook, or why it has none."""

    cells: tuple[Cell, ...] = ()
    sources: bytes = b""  # the same, packed
    reason: str | None = None


class Assess(Record, frozen=True, tag="assess"):
    """What was seen of a submission, by check; a content that is not here is asked for when it is needed."""

    sources: bytes  # its cells, packed
    cells: tuple[CellRun, ...]
    digests: dict[str, str]  # of the contents
    contents: dict[str, bytes] = msgspec.field(default_factory=dict)
    before: Assessment | None = None
    remembers: bool = False  # judgements made before can be asked for too


class Wanted(Record, frozen=True, tag="wanted"):
    """What a check saw, or a judgement made before, by its name."""

    what: Literal["content", "judgement"]
    name: str


class Given(Record, frozen=True, tag="given"):
    """What was wanted; None if there is none."""

    data: bytes | None = None


class Assessed(Record, frozen=True, tag="assessed"):
    """The assessment, and the judgements that it rests on."""

    assessment: Assessment
    judgements: dict[str, bytes]


class Failed(Record, frozen=True, tag="failed"):
    """Why there is no answer; that is not the student's fault."""

    reason: str


class OverCpu(Record, frozen=True, tag="over_cpu"):
    """The judge was ended because it had had all of its CPU time."""


Order = Read | Assess | Given
_ORDERS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(Order)
_ANSWERS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(
    Holding | Document | Wanted | Assessed | Failed | OverCpu
)
Answer = TypeVar("Answer", Holding, Document, Assessed)
Find = Callable[[Wanted], bytes | None]


def read_order(data: bytes) -> Order:
    """Read what a judge is asked."""
    order: Order = _ORDERS.decode(data)
    return order


def _nothing(wanted: Wanted) -> None:
    return None


class _OverCpuError(EOFError):
    """The judge was ended by the kernel, and would be again."""


class JudgeProcess:
    """The handle on a judge; it is forked when it is needed, and again when it has died."""

    def __init__(self, key: bytes, template: str = "") -> None:
        """Take an answer key and the address of a template that has it; without one, or when that has died, make one."""
        self._key = key
        self._shared = template
        self._own: JudgeTemplate | None = None
        self._socket: socket.socket | None = None
        self._pidfd = -1
        self.pid = 0  # of the judge, as it is now
        self._size = 0  # bytes of its data at first

    def read(self, notebook: bytes) -> Document:
        """Have the judge read a notebook."""
        return self._ask(Read(notebook=notebook), Document)

    def assess(self, order: Assess, find: Find = _nothing) -> Assessed:
        """Have the judge assess what was seen of a submission; `find` looks up what it asks for meanwhile."""
        return self._ask(order, Assessed, find)

    def close(self) -> None:
        """End the judge, and a template that was made for it."""
        self._end()
        if self._own is not None:
            self._own.close()
            self._own = None

    def _end(self) -> None:
        """End the judge, if it has not ended yet, and wait for that."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._pidfd >= 0:
            if not pidfds.has_ended(self._pidfd, LEAVING):
                pidfds.kill(self._pidfd)
                pidfds.has_ended(self._pidfd, LEAVING)
            os.close(self._pidfd)
            self._pidfd = -1

    def _ask(self, order: Record, kind: type[Answer], find: Find = _nothing) -> Answer:
        """Ask, and once more where the judge was killed, unless it was over this; raise BoxError if it dies again."""
        for tries_left in reversed(range(TRIES)):
            try:
                sock = self._start()
                frames.send(sock, msgspec.msgpack.encode(order))
                return self._hear(sock, kind, find)
            except (OSError, EOFError, msgspec.MsgspecError) as error:
                self._end()
                over_time = isinstance(error, _OverCpuError)
                if over_time or not tries_left:
                    why = "took far too long to judge" if over_time else f"ended the judge {TRIES} times"
                    raise BoxError(f"what was seen of it {why}") from error
            except BoxError:
                raise  # it was the answer
            except BaseException:
                self._end()  # in the middle of one, and nobody reads the rest
                raise
            finally:
                if self._socket is not None and self._data() > self._size + MOST_KEPT:
                    self._end()
        raise AssertionError("the last try returns or raises")

    def _start(self) -> socket.socket:
        if self._socket is not None:
            return self._socket
        sock = self._connect()
        sock.settimeout(MOST_SECONDS)
        try:
            self.pid = self._hear(sock, Holding, _nothing).pid
            self._pidfd = os.pidfd_open(self.pid)
        except BaseException:
            sock.close()
            raise
        self._socket = sock
        self._size = self._data()
        return sock

    def _connect(self) -> socket.socket:
        """Connect to the template; where it has died, or there is none, to one of our own."""
        for address in (self._shared, self._own.address if self._own else ""):
            if address:
                with contextlib.suppress(OSError):
                    return connect(address, socket.SOCK_STREAM)
        if self._own is not None:
            self._own.close()
        self._own = JudgeTemplate(self._key)
        return connect(self._own.address, socket.SOCK_STREAM)

    def _data(self) -> int:
        """Return how many bytes of data the process has; 0 when it has ended."""
        try:
            return int(Path(f"/proc/{self.pid}/statm").read_text().split()[5]) * resource.getpagesize()
        except (OSError, IndexError):
            return 0

    def _hear(self, sock: socket.socket, kind: type[Answer], find: Find) -> Answer:
        """Wait for an answer, and give what is wanted until it comes."""
        while True:
            answer = _ANSWERS.decode(frames.receive(sock, LARGEST))
            if isinstance(answer, Failed):
                raise BoxError(answer.reason)
            if isinstance(answer, OverCpu):
                raise _OverCpuError
            if not isinstance(answer, Wanted):
                assert isinstance(answer, kind), "the judge answers in turn"
                return answer
            frames.send(sock, msgspec.msgpack.encode(Given(data=find(answer))))
