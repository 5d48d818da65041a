"""What a worker is asked and what it answers: plain bytes, no names of people, and no input besides what is in it."""

from __future__ import annotations

import msgspec

from redink.assignment.spec import Spec
from redink.records import Assessment, Cell, CheckObservations, Execution, Limits, Observed, Record, Request, State

OURS = "Redink failed, not the student"


class BoxSettings(Record, frozen=True):
    """How boxes are made: all that a worker must know of the machine it works on."""

    torch: bool
    packages: tuple[str, ...] = ()  # to be warmed up besides
    hidden: tuple[str, ...] = ()  # folders that stay invisible wherever they are
    without: tuple[str, ...] = ()  # walls that a test takes away
    allow_weak: bool = False
    template: str | None = None  # the address of a warm process from which zygotes are forked; None: make one

    @classmethod
    def of(
        cls, spec: Spec, *, hidden: tuple[str, ...] = (), without: tuple[str, ...] = (), allow_weak: bool = False
    ) -> BoxSettings:
        """Return the settings that an assignment needs."""
        return cls(torch=spec.torch, packages=spec.packages, hidden=hidden, without=without, allow_weak=allow_weak)


class Job(Record, frozen=True):
    """One submission to observe and assess; `known` is what was seen of the same bytes before."""

    notebook: bytes
    key: str  # the digest of the answer key
    box: BoxSettings
    key_data: bytes = b""  # the answer key itself, once a worker has said that it has none of this digest
    judges: str = ""  # the address of a template that has it, where there is one
    earlier: Execution | None = None
    known: tuple[CheckObservations, ...] = ()
    before: Assessment | None = None


class Done(Record, frozen=True):
    """What became of a job."""

    state: State = "graded"
    reason: str | None = None
    needs_key: bool = False
    refused: str = ""  # why no submission may be run here
    sources: bytes = b""  # the cells as they were handed in, packed
    execution: Execution | None = None
    executed: bool = False  # whether anything is new in it
    seen: tuple[CheckObservations, ...] = ()  # only what is new, and was reached
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
