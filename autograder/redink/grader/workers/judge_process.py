"""The judge: a process that holds an answer key, reads what was handed in, and assesses what was seen of it.

It stands apart from the worker that drives it, because what it reads was made by strangers: a document or an answer that
holds it or takes its memory costs one submission, and another judge follows. Worker and judge share a socket::

    Hold        → Holding      the answer key, once
    Read        → Document     a notebook's bytes; its cells, or why there are none
    Assess      → Assessed     what was seen of the document read last

A judge ends when its socket is closed.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from typing import Any, TypeVar

import msgspec

from redink import wire
from redink.errors import BoxError, SubmissionError
from redink.grader.answer_key.key import decode_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.pipeline.assess import Assessment, assess
from redink.grader.pipeline.evidence import Evidence, pack_sources
from redink.grader.pipeline.judge import Memory
from redink.notebook import read_cells
from redink.records import Cell, CellRun, Record

MOST_SECONDS = 120.0  # for one answer; judging takes a tenth of a second
MOST_MEMORY = 6 << 30
_LARGEST = 1 << 31
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
    """What was seen of the document read last, by check."""

    cells: tuple[CellRun, ...]
    contents: dict[str, bytes]
    before: Assessment | None = None


class Assessed(Record, frozen=True, tag="assessed"):
    """The assessment, and the judgements that it rests on."""

    assessment: Assessment
    judgements: dict[str, bytes]


_ORDERS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(Hold | Read | Assess)
_ANSWERS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(Holding | Document | Assessed)
Answer = TypeVar("Answer", Holding, Document, Assessed)


class JudgeProcess:
    """A worker's judge; it is started when it is needed, and again when it has died."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def read(self, notebook: bytes) -> Document:
        """Have a notebook read."""
        return self._ask(Read(notebook=notebook), Document)

    def assess(self, order: Assess) -> Assessed:
        """Have what was seen of the document read last assessed."""
        return self._ask(order, Assessed)

    def close(self) -> None:
        """End the process."""
        process, sock = self._process, self._socket
        self._process = self._socket = None
        if sock is not None:
            sock.close()
        if process is not None:
            process.kill()
            process.wait()

    def _ask(self, order: Record, kind: type[Answer]) -> Answer:
        try:
            sock = self._start()
            return self._exchange(sock, order, kind)
        except (OSError, EOFError, msgspec.MsgspecError) as error:
            self.close()
            raise BoxError(f"the judge failed: {str(error) or 'it ended'}") from error

    def _start(self) -> socket.socket:
        if self._socket is not None:
            return self._socket
        ours, theirs = socket.socketpair()
        with theirs:
            start = f"from redink.grader.workers.judge_process import main; main({theirs.fileno()})"
            environment = {**os.environ, **dict.fromkeys(_THREADS, "1")}
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-P", "-c", start],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, cwd="/", env=environment,
            )  # fmt: skip
        self._socket = ours
        ours.settimeout(MOST_SECONDS)
        self._exchange(ours, Hold(key=self._key), Holding)
        return ours

    def _exchange(self, sock: socket.socket, order: Record, kind: type[Answer]) -> Answer:
        wire.send(sock, msgspec.msgpack.encode(order))
        answer = _ANSWERS.decode(wire.receive(sock, _LARGEST))
        assert isinstance(answer, kind), "the judge answers in turn"
        return answer


def main(descriptor: int) -> None:
    """Be the judge until the worker is gone."""
    sock = socket.socket(fileno=descriptor)
    _limit_memory()
    threading.Thread(target=_leave_with_the_worker, args=(sock,), daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        _Judge(sock).serve()


class _Judge:
    """Serves one worker."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._key: OpenKey | None = None
        self._cells: tuple[Cell, ...] = ()

    def serve(self) -> None:
        while True:
            order = _ORDERS.decode(wire.receive(self._sock, _LARGEST))
            wire.send(self._sock, msgspec.msgpack.encode(self._answer(order)))

    def _answer(self, order: Hold | Read | Assess) -> Record:
        if isinstance(order, Hold):
            self._key = OpenKey(decode_key(order.key, "what the worker sent"))
            return Holding()
        if isinstance(order, Read):
            return self._read(order.notebook)
        assert self._key is not None
        memory = Memory()
        evidence = Evidence.of(self._cells, order.cells, order.contents)
        assessment = assess(self._key, evidence, memory, order.before)
        return Assessed(assessment=assessment, judgements=memory.new)

    def _read(self, notebook: bytes) -> Document:
        try:
            self._cells = read_cells(notebook)
        except SubmissionError as error:
            return Document(reason=str(error))
        return Document(cells=self._cells, sources=pack_sources(self._cells))


def _limit_memory() -> None:
    import resource

    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    bound = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))


def _leave_with_the_worker(sock: socket.socket) -> None:
    """End at once when the worker has closed its end, also in the midst of an assessment."""
    import select

    events = select.poll()
    events.register(sock, select.POLLRDHUP)
    events.poll()
    os._exit(0)
