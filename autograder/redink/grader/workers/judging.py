"""The judge's own process: holds an answer key, and answers one worker until that has ended (judge_process.py)."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import socket
import threading

import msgspec

from redink import frames
from redink.errors import SubmissionError
from redink.grader.answer_key.key import decode_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.evidence.evidence import Evidence
from redink.grader.evidence.packing import pack_sources
from redink.grader.pipeline.assess import assess
from redink.grader.pipeline.judge import Memory
from redink.grader.workers.judge_process import LARGEST, Assess, Assessed, Document, Hold, Holding, Order, read_order
from redink.notebook import read_cells
from redink.records import Cell, Record

MOST_MEMORY = 6 << 30


def main(descriptor: int) -> None:
    """Serve one worker until it has ended."""
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
            order = read_order(frames.receive(self._sock, LARGEST))
            frames.send(self._sock, msgspec.msgpack.encode(self._answer(order)))

    def _answer(self, order: Order) -> Record:
        if isinstance(order, Hold):
            self._key = OpenKey(decode_key(order.key, "what the worker sent"))
            return Holding()
        if not isinstance(order, Assess):
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
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    bound = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))


def _leave_with_the_worker(sock: socket.socket) -> None:
    """End at once when the worker has closed its end, also during an assessment."""
    events = select.poll()
    events.register(sock, select.POLLRDHUP)
    events.poll()
    os._exit(0)
