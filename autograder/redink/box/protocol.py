"""The messages on the two channels of the box, typed.

Control channel, grader ↔ zygote (both ours; packets, with descriptors beside them)::

    Orders          → Ready        with a pidfd of the worker and a log; with a pidfd of whom all else descends from
    Spawn           → Spawned      with a socket for the child; with a pidfd of the child
    End             → Ended        how the child ended and what its whole tree used

Box channel, grader ↔ child (wire frames; nothing that comes back is trusted)::

    WallsRaised                    the walls are up; nothing of the student has run
    RunCells        → CellDone …   one for each cell
    RunRequests     → Reply …      one for each request, then RunnerEnded unless all are answered
                    → Borrow       meanwhile, from the reference's box alone: a call that another box must answer
    Lent            → …            that answer, and the request goes on

A box that was not opened to borrow is refused a `Borrow` like any other garbage (grader/workers/borrowing.py).
Decoders are made here, once: student code finds no redink modules, so nothing can be resolved later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from redink.records import Cell, CellRun, ForbiddenCall, LentCount, Limits, Record, Request, Walls

Identifier = Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[^\W\d]\w*$")]


class Orders(Record, frozen=True, tag="orders"):
    """What a zygote must know before it sets up the walls; a pidfd of the worker and a log come along."""

    folder: str
    hidden: tuple[str, ...] = ()  # folders that must stay invisible wherever they are
    without: tuple[str, ...] = ()  # walls that a test takes away


class Ready(Record, frozen=True, tag="ready"):
    """The zygote is behind its walls; a pidfd of the process from which its family descends comes along."""


class Spawn(Record, frozen=True, tag="spawn"):
    """Fork a child around the socket that comes along."""

    limits: Limits


class Spawned(Record, frozen=True, tag="spawned"):
    """The child has been forked; its pidfd comes along."""


class End(Record, frozen=True, tag="end"):
    """Kill the child and everything it started, and clean up."""


class Ended(Record, frozen=True, tag="ended"):
    """How the child ended (`itself`: before we killed it) and the CPU time of its whole tree."""

    status: int
    itself: bool
    cpu_seconds: float


class WallsRaised(Record, frozen=True, tag="walls_raised"):
    """The walls around the child."""

    walls: Walls


class RunCells(Record, frozen=True, tag="run_cells"):
    """A submission: its cells, its limits, and the assignment's data files."""

    cells: tuple[Cell, ...]
    limits: Limits
    files: dict[str, bytes]
    forbids: tuple[str, ...] = ()  # all names that some request forbids: found before a cell can bind them anew


class CellDone(Record, frozen=True, tag="cell"):
    """One cell has ended."""

    run: CellRun


class RunRequests(Record, frozen=True, tag="run_requests"):
    """Requests in order, for the runner that has answered all before them, or for a fresh one."""

    requests: tuple[Request, ...]


class Reply(Record, frozen=True, tag="reply"):
    """The answer to one request: an observation, with bounds that are checked before anything is allocated."""

    id: Annotated[str, msgspec.Meta(max_length=1000)]
    status: Literal["returned", "raised", "timeout", "missing", "too_large"]
    value: bytes = b""
    error: str = ""
    where: str = ""
    modified: str = ""  # names, with commas between them
    calls: bytes = b""  # packed: a list of millions would be built before anybody could count it
    lent: bytes = b""  # packed likewise; only of the reference's box


class RunnerEnded(Record, frozen=True, tag="runner_ended"):
    """The runner has ended: its exit code, negative for a signal."""

    code: int


class Borrow(Record, frozen=True, tag="borrow"):
    """The reference calls a function that was taken from it; its arguments are a wire value, by the names given here."""

    name: Annotated[str, msgspec.Meta(max_length=1000)]
    inputs: bytes
    places: tuple[Identifier, ...] = ()  # the arguments that are given by their place,
    names: tuple[Identifier, ...] = ()  # and those that are given by name


class Lent(Record, frozen=True, tag="lent"):
    """What the borrowed function did: it returned, raised an error of which `why` is a digest, or could not be called."""

    status: Literal["returned", "raised", "refused"]
    value: bytes = b""  # a wire value of three: what it returned, and its arguments afterwards, by place and by name
    changed: bool = False  # it changed some of its arguments in place
    why: str = ""


def pack_counts(counts: Iterable[LentCount]) -> bytes:
    """Write for a reply how often borrowed functions agreed with the reference's own; none are no bytes."""
    listed = tuple(counts)
    return _ENCODER.encode(listed) if listed else b""


def read_counts(data: bytes) -> tuple[LentCount, ...]:
    """Read the counts of a reply; raise whatever msgspec raises."""
    counts: tuple[LentCount, ...] = _COUNTS.decode(data)
    return counts


def pack_calls(calls: Iterable[ForbiddenCall]) -> bytes:
    """Write forbidden calls for a reply; none are no bytes."""
    listed = tuple(calls)
    return _ENCODER.encode(listed) if listed else b""


def read_calls(data: bytes) -> tuple[ForbiddenCall, ...]:
    """Read the forbidden calls of a reply, which must be short; raise whatever msgspec raises."""
    calls: tuple[ForbiddenCall, ...] = _CALLS.decode(data)
    return calls


ToZygote = Orders | Spawn | End
FromZygote = Ready | Spawned | Ended
ToBox = RunCells | RunRequests | Lent
FromBox = CellDone | Reply | RunnerEnded | Borrow

_ENCODER = msgspec.msgpack.Encoder()
_TO_ZYGOTE: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(ToZygote)
_FROM_ZYGOTE: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(FromZygote)
_TO_BOX: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(ToBox)
_WALLS_RAISED: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(WallsRaised)
_FROM_BOX: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(FromBox)
_CALLS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(tuple[ForbiddenCall, ...])
_COUNTS: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(tuple[LentCount, ...])


def pack(message: Record) -> bytes:
    """Turn a message into bytes."""
    return _ENCODER.encode(message)


def to_zygote(data: bytes) -> ToZygote:
    """Read what the grader asks of the zygote."""
    message: ToZygote = _TO_ZYGOTE.decode(data)
    return message


def from_zygote(data: bytes) -> FromZygote:
    """Read the zygote's answer."""
    message: FromZygote = _FROM_ZYGOTE.decode(data)
    return message


def to_box(data: bytes) -> ToBox:
    """Read what the grader asks of the child."""
    message: ToBox = _TO_BOX.decode(data)
    return message


def walls_raised(data: bytes) -> WallsRaised:
    """Read the child's first message, sent before anything of the student is there."""
    message: WallsRaised = _WALLS_RAISED.decode(data)
    return message


def from_box(data: bytes) -> FromBox:
    """Read an untrusted message; raise whatever msgspec or the recursion limit raise."""
    message: FromBox = _FROM_BOX.decode(data)
    return message
