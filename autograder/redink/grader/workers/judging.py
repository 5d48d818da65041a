"""In the judge's process: it has an answer key, and answers whoever drives it until that has ended (judge_process.py).

What it reads, strangers made, so it limits itself. Each step of an assessment and all of them together have so much CPU
time; what does not come back to the interpreter is ended by the kernel, a little later. And it may have so much memory
beside what the key takes: whoever asks for more gets a MemoryError, which costs the check that was being judged.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from redink import frames
from redink.errors import OverTime, SubmissionError, WireError, in_one_sentence
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.budget import Budget
from redink.grader.evidence.evidence import Evidence
from redink.grader.evidence.packing import pack_sources, unpack_observations, unpack_sources
from redink.grader.pipeline.assess import assess
from redink.grader.pipeline.judge import Memory
from redink.grader.workers.judge_process import (
    LARGEST,
    Assess,
    Assessed,
    Document,
    Failed,
    Given,
    Holding,
    Order,
    Read,
    Wanted,
    read_order,
)
from redink.notebook import read_cells
from redink.records import JudgingLimits, Record
from redink.source import forget
from redink.texts import clean

LIMITS = JudgingLimits()
GRACE_CPU = 5  # seconds until the kernel ends what cannot be interrupted


def live(sock: socket.socket, key: OpenKey | Failed) -> None:
    """Be the judge of whoever is at the other end, until that side has ended."""
    threading.Thread(target=_leave_with_the_driver, args=(sock,), daemon=True).start()
    with contextlib.suppress(EOFError, OSError, MemoryError, msgspec.MsgspecError, WireError):
        if isinstance(key, Failed):
            frames.send(sock, msgspec.msgpack.encode(key))
        else:
            _limit_memory()
            Judge(sock, key).serve()  # whoever drives it sees that it has ended


class Judge:
    """Answers one order after the other."""

    def __init__(self, sock: socket.socket, key: OpenKey) -> None:
        self._sock = sock
        self._key = key

    def serve(self) -> None:
        """Say that it is there, and answer until the socket is closed."""
        self._send(Holding(pid=os.getpid()))
        while True:
            self._send(self.answer(self._receive()))

    def answer(self, order: Order) -> Record:
        """Answer one order; what goes wrong in it is the answer."""
        _limit_cpu()
        try:
            return self._read(order) if isinstance(order, Read) else self._assess(order)
        except (EOFError, OSError):
            raise
        except OverTime as error:
            return Failed(reason=str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, it costs this submission alone
            return Failed(reason=clean(in_one_sentence(error)))
        finally:
            forget()  # or one submission could fill the memory of all that follow
            gc.collect()  # also what is kept for reuse, here and there, and holds whole arenas

    def _read(self, order: Read) -> Document:
        try:
            with Budget(LIMITS.step_cpu, LIMITS.step_cpu).step():
                cells = read_cells(order.notebook)
        except SubmissionError as error:
            return Document(reason=str(error))
        except (OverTime, MemoryError, RecursionError):
            return Document(reason="takes more time or memory to read than a notebook may")
        return Document(cells=cells, sources=pack_sources(cells))

    def _assess(self, order: Order) -> Assessed:
        assert isinstance(order, Assess)
        memory = Memory(_Remembered(self) if order.remembers else None)
        evidence = Evidence(
            sources=lambda: unpack_sources(order.sources),
            cells=order.cells,
            digests=order.digests,
            observations=lambda check: unpack_observations(self._content(order, check)),
        )
        assessment = assess(self._key, evidence, memory, order.before, Budget(LIMITS.step_cpu, LIMITS.total_cpu))
        return Assessed(assessment=assessment, judgements=memory.new)

    def _content(self, order: Assess, check: str) -> bytes:
        found = order.contents.get(check)
        if found is None:
            found = self.want(Wanted(what="content", name=check))
        if found is None:
            raise KeyError(check)
        return found

    def want(self, wanted: Wanted) -> bytes | None:
        """Ask for something that was stored, while an assessment is under way."""
        self._send(wanted)
        given = self._receive()
        assert isinstance(given, Given), "what is wanted comes next"
        return given.data

    def _send(self, message: Record) -> None:
        frames.send(self._sock, msgspec.msgpack.encode(message))

    def _receive(self) -> Order:
        return read_order(frames.receive(self._sock, LARGEST))


class _Remembered(Mapping[str, bytes]):
    """Judgements made before, each asked for when it is needed."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def __getitem__(self, key: str) -> bytes:
        found = self._judge.want(Wanted(what="judgement", name=key))
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _limit_memory() -> None:
    """Allow so much more than is used now."""
    data = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    _limit(resource.RLIMIT_DATA, data + (LIMITS.memory_mb << 20))


def _limit_cpu() -> None:
    """Have the kernel end this process if one order takes far longer than it may."""
    _limit(resource.RLIMIT_CPU, int(time.process_time() + LIMITS.total_cpu) + GRACE_CPU)


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _leave_with_the_driver(sock: socket.socket) -> None:
    """End at once when the other side has closed its end, also during an assessment."""
    events = select.poll()
    events.register(sock, select.POLLRDHUP)
    events.poll()
    os._exit(0)
