"""What a worker is asked and what it answers: plain bytes, no names of people, and all that a job depends on."""

from __future__ import annotations

import msgspec

from redink.grader.pipeline.assessment import Assessment
from redink.records import Cell, CellRun, Limits, Observed, Record, Request, State, Walls


class BoxSettings(Record, frozen=True):
    """How boxes are made: all that a worker must know of the machine it works on."""

    torch: bool
    hidden: tuple[str, ...] = ()  # folders that stay invisible wherever they are
    without: tuple[str, ...] = ()  # walls that a test takes away
    allow_weak: bool = False
    template: str | None = None  # the address of a warm process from which zygotes are forked; None: make one


class Execution(Record, frozen=True):
    """One execution of a submission's cells in a box."""

    cells: tuple[CellRun, ...]
    box: Walls
    cpu_seconds: float
    wall_seconds: float


class KnownObservations(Record, frozen=True):
    """What one check saw earlier, under a key that names what it looked at."""

    key: str
    content: bytes


class Job(Record, frozen=True):
    """One submission to observe and assess; `known` holds what was seen of the same bytes before, by check."""

    notebook: bytes
    key: str  # the digest of the answer key
    box: BoxSettings
    key_data: bytes = b""  # the answer key itself: with the first jobs, and for a worker that has not got it yet
    earlier: Execution | None = None
    known: dict[str, KnownObservations] = msgspec.field(default_factory=dict)
    before: Assessment | None = None


class SeenByCheck(Record, frozen=True):
    """What one check has seen now: a key that names what it looked at, and all its trials, packed."""

    check: str
    key: str
    content: bytes
    digest: str
    lasting: bool  # False: something could not be reached, and is tried again next time


class Done(Record, frozen=True):
    """What became of a job."""

    state: State = "graded"
    reason: str | None = None
    needs_key: bool = False
    refused: str = ""  # why no submission may be run here
    sources: bytes = b""  # the cells as they were handed in, packed
    execution: Execution | None = None
    executed: bool = False  # whether the execution is new
    seen: tuple[SeenByCheck, ...] = ()  # only what is new
    assessment: Assessment | None = None
    judgements: dict[str, bytes] = msgspec.field(default_factory=dict)


class Observing(Record, frozen=True):
    """Cells to run and requests to answer, for an author's own notebooks."""

    cells: tuple[Cell, ...]
    requests: tuple[Request, ...]
    limits: Limits
    data: dict[str, bytes]
    box: BoxSettings


class ObservedDone(Record, frozen=True):
    """What was seen of an author's notebook, or why nothing was."""

    observed: Observed | None = None
    failed: str = ""
    refused: str = ""


def pack(record: Record) -> bytes:
    """Write a job or an answer as bytes."""
    return msgspec.msgpack.encode(record)
