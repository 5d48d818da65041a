"""The judge: a process that holds an answer key, reads what was handed in, and assesses what was seen of it.

It is a process apart from whoever drives it, because what it reads was made by strangers: a document or an answer on which
it hangs or runs out of memory costs one submission, and another judge is started; so it is when one has kept much memory
of what it read, which the next submission would lack. They share a socket::

    Hold        → Holding      the answer key, once
    Read        → Document     a notebook's bytes; its cells, or why there are none
    Assess      → Assessed     what was seen of a submission
                → Wanted       meanwhile: something that was stored and is needed now
    Given       → …            that thing, and the assessment goes on
                → Failed       instead of any answer: our own failure, which would happen again

A judge ends when its socket is closed.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from redink import frames
from redink.errors import BoxError
from redink.grader.starting import python
from redink.records import Assessment, Cell, CellRun, Record

MOST_SECONDS = 600.0  # of waiting for one answer; the judge's own limit is on CPU time, so that load changes nothing
LARGEST = 1 << 28
LEAVING = 1.0  # seconds in which a judge ends whose socket is closed, unless it is stuck
TRIES = 2
MOST_KEPT = 64 << 20  # bytes that a judge may have more than at first, when it has answered
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Hold(Record, frozen=True, tag="hold"):
    """An answer key to judge by."""

    key: bytes


class Holding(Record, frozen=True, tag="holding"):
    """The key is loaded."""


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


Order = Hold | Read | Assess | Given
_ORDERS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(Order)
_ANSWERS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(Holding | Document | Wanted | Assessed | Failed)
Answer = TypeVar("Answer", Holding, Document, Assessed)
Find = Callable[[Wanted], bytes | None]


def read_order(data: bytes) -> Order:
    """Read what a judge is asked."""
    order: Order = _ORDERS.decode(data)
    return order


def _nothing(wanted: Wanted) -> None:
    return None


class JudgeProcess:
    """The handle on a judge; it is started when it is needed, and again when it has died."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._size = 0  # bytes of its data when it has loaded the key

    def read(self, notebook: bytes) -> Document:
        """Have the judge read a notebook."""
        return self._ask(Read(notebook=notebook), Document)

    def assess(self, order: Assess, find: Find = _nothing) -> Assessed:
        """Have the judge assess what was seen of a submission; `find` looks up what it asks for meanwhile."""
        return self._ask(order, Assessed, find)

    def close(self) -> None:
        """End the process."""
        self._end()

    def _end(self) -> int:
        """End the process, if it has not ended yet; return how it ended, negative for a signal."""
        process, sock = self._process, self._socket
        self._process = self._socket = None
        if sock is not None:
            sock.close()
        if process is None:
            return 0
        try:
            return process.wait(LEAVING)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _ask(self, order: Record, kind: type[Answer], find: Find = _nothing) -> Answer:
        """Ask, and once more where the judge was killed, unless it was over this; raise BoxError if it dies again."""
        for tries_left in reversed(range(TRIES)):
            try:
                return self._exchange(self._start(), order, kind, find)
            except (OSError, EOFError, msgspec.MsgspecError) as error:
                over_time = self._end() == -signal.SIGXCPU
                if over_time or not tries_left:
                    why = "took far too long to judge" if over_time else f"ended the judge {TRIES} times"
                    raise BoxError(f"what was seen of it {why}") from error
            finally:
                if self._process is not None and self._data() > self._size + MOST_KEPT:
                    self._end()
        raise AssertionError("the last try returns or raises")

    def _start(self) -> socket.socket:
        if self._socket is not None:
            return self._socket
        ours, theirs = socket.socketpair()
        with theirs:
            start = "from redink.grader.private import keep_private; keep_private()\n"  # it holds the answer key
            start += f"from redink.grader.workers.judging import main; main({theirs.fileno()})"
            environment = {**os.environ, **dict.fromkeys(_THREADS, "1")}
            environment.pop("PYTHONHASHSEED", None)  # else a student could choose keys that collide
            environment["MALLOC_MMAP_THRESHOLD_"] = "1000000"  # what one submission took is free for the next one
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                python("-c", start),
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, cwd="/", env=environment,
            )  # fmt: skip
        self._socket = ours
        ours.settimeout(MOST_SECONDS)
        self._exchange(ours, Hold(key=self._key), Holding, _nothing)
        self._size = self._data()
        return ours

    def _data(self) -> int:
        """Return how many bytes of data the process has; 0 when it has ended."""
        assert self._process is not None
        try:
            return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[5]) * resource.getpagesize()
        except (OSError, IndexError):
            return 0

    def _exchange(self, sock: socket.socket, order: Record, kind: type[Answer], find: Find) -> Answer:
        while True:
            frames.send(sock, msgspec.msgpack.encode(order))
            answer = _ANSWERS.decode(frames.receive(sock, LARGEST))
            if isinstance(answer, Failed):
                raise BoxError(answer.reason)
            if not isinstance(answer, Wanted):
                assert isinstance(answer, kind), "the judge answers in turn"
                return answer
            order = Given(data=find(answer))
