"""The judge: a process that holds an answer key, reads what was handed in, and assesses what was seen of it.

It is a process apart from the worker that drives it, because what it reads was made by strangers: a document or an answer
on which it hangs or runs out of memory costs one submission, and another judge is started. They share a socket::

    Hold        → Holding      the answer key, once
    Read        → Document     a notebook's bytes; its cells, or why there are none
    Assess      → Assessed     what was seen of the document read last

A judge ends when its socket is closed.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import Any, TypeVar

import msgspec

from redink import frames
from redink.errors import BoxError
from redink.grader.pipeline.assessment import Assessment
from redink.records import Cell, CellRun, Record

MOST_SECONDS = 120.0  # for one answer; judging takes a tenth of a second
LARGEST = 1 << 31
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


Order = Hold | Read | Assess
_ORDERS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(Order)
_ANSWERS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(Holding | Document | Assessed)
Answer = TypeVar("Answer", Holding, Document, Assessed)


def read_order(data: bytes) -> Order:
    """Read what a worker asks of its judge."""
    order: Order = _ORDERS.decode(data)
    return order


class JudgeProcess:
    """A worker's judge; it is started when it is needed, and again when it has died."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def read(self, notebook: bytes) -> Document:
        """Have the judge read a notebook."""
        return self._ask(Read(notebook=notebook), Document)

    def assess(self, order: Assess) -> Assessed:
        """Have the judge assess what was seen of the document read last."""
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
            start = f"from redink.grader.workers.judging import main; main({theirs.fileno()})"
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
        frames.send(sock, msgspec.msgpack.encode(order))
        answer = _ANSWERS.decode(frames.receive(sock, LARGEST))
        assert isinstance(answer, kind), "the judge answers in turn"
        return answer
