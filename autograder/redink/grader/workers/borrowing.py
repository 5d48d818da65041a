"""Borrowing: does a later question fail only by an error of an earlier one? It is tried the other way round.

Two boxes, of two zygotes, that know nothing of each other::

    reference's box    runs the reference's cells, then the checks in question; whenever it calls a function of the earlier
                       question, it asks us (Borrow) and waits for the answer (Lent); see box/borrowing.py
    student's box      runs the student's cells once more; for each such call it gets an ordinary request

What passes between them is plain data: arguments one way, return values and changed arguments the other. If the reference
then answers a check as the student did, the student's own function is right, given that error (pipeline/carry.py).

All this comes after everything that is shown or graded was observed, so nothing that the student's box sees here can earn:
it can only make the reference's answers differ from those recorded, or agree with them. What it prints and raises, and how
its cells end, is not kept, except for a digest of the error that ended a call. Our own sentences stand for everything that
goes wrong in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType

import msgspec

from redink.box.protocol import Borrow, Lent, RunnerEnded, RunRequests
from redink.grader.answer_key.key import AnswerKey
from redink.grader.digests import digest
from redink.grader.evidence.keys import borrowed_key, borrowed_name, functions_of, observation_keys
from redink.grader.evidence.packing import pack_check
from redink.grader.sandbox.channel import Channel
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.meter import Allowance, Killed, Lost
from redink.grader.sandbox.session import Session
from redink.records import Cell, CheckObservations, Limits, Observation, Request

MOST_CALLS = 2_000  # of one submission
_GAVE_UP = "CannotBorrow: "  # how the reference's box says that it could not borrow (box/borrowing.py)
_ENDED = "it took too long, returned too much, or ended its process"


class Borrowing:
    """What the reference answers with functions of one submission; what was seen before is not tried again."""

    def __init__(self, key: AnswerKey, cells: Sequence[Cell], known: Sequence[CheckObservations]) -> None:
        self._key = key
        self._cells = cells
        self._keys = observation_keys(key, cells)
        self._calls_left = MOST_CALLS
        self.seen = [one for one in known if one.key == borrowed_key(key, self._keys, one.check)]
        self.new: list[CheckObservations] = []

    def run(self, untried: Mapping[str, tuple[str, ...]], students: Zygote, references: Zygote) -> None:
        """Try these checks; each names the questions whose functions are the student's."""
        key, limits = self._key, self._key.spec.limits
        requests = [
            msgspec.structs.replace(request, id=_lent_id(request), borrows=names, forbids=())
            for check, questions in untried.items()
            for names in [tuple(name for one in questions for name in functions_of(key, one))]
            for request in key.of_check[check].requests
        ]
        most = {_lent_id(one): key.most_bytes[one.id] for check in untried for one in key.of_check[check].requests}
        with students.held(), Lending(students, self._cells, limits, key.data) as lending:
            found = references.observe(
                key.reference, requests, limits, key.data, most, lambda one: self._lend(lending, one)
            )
        for check, questions in untried.items():
            name = borrowed_name(check, questions)
            answers = [_kept(found.observations[_lent_id(one)]) for one in key.of_check[check].requests]
            self.new.append(pack_check(name, borrowed_key(key, self._keys, name), answers))
            self.seen.append(self.new[-1])

    def _lend(self, lending: Lending, borrow: Borrow) -> Lent:
        if not self._calls_left:
            return Lent(status="refused", why=f"more than {MOST_CALLS:,} calls")
        self._calls_left -= 1
        return lending.lend(borrow)


class Lending(Session):
    """A student's cells, run once more, and their functions, called one by one.

    A box that is lost is not made again, but for the first one that was killed: from outside, perhaps (session.py).
    """

    def __init__(self, zygote: Zygote, cells: Sequence[Cell], limits: Limits, files: Mapping[str, bytes]) -> None:
        super().__init__(zygote, cells, (), limits, files, {})
        self._channel: Channel | None = None  # None when the box is lost
        self._count = 0

    def __enter__(self) -> Lending:
        self._open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._channel is not None:
            self._channel.close()
        self._children.end()

    def lend(self, borrow: Borrow) -> Lent:
        """Call one function; what the student's code says of it, apart from what it returned, is dropped."""
        self._count += 1
        seen = self._call(
            Request(id=f"{borrow.name}/s{self._count}", when=_when(borrow), inputs=borrow.inputs, tuples=True)
        )
        if seen.status in ("raised", "missing"):
            return Lent(status="raised", why=digest(seen.error))
        if seen.status != "returned":
            return Lent(status="refused", why=_ENDED)
        return Lent(status="returned", value=seen.value, changed=bool(seen.modified))

    def _excuse_a_crowd(self, ended: RunnerEnded) -> None:
        """Excuse nobody: all that is graded was seen before, and no grade may hang on what this box says."""

    def _open(self) -> None:
        """Run the cells in a new box."""
        channel, pid = self._children.spawn(self._limits)
        try:
            self._meter.follow(pid)
            self._run_cells(channel)
            self._meter.stop_clock()
            self._channel = channel
        except Lost as lost:
            self._lose(channel, lost)
        except BaseException:
            channel.close()
            self._children.end()
            raise

    def _lose(self, channel: Channel, lost: Lost) -> None:
        """Let go of a box, and open another if this was the first that was killed."""
        self._meter.stop_clock()
        self._channel = None
        if not str(lost):
            channel.await_death()
        channel.close()
        ended, starved = self._children.end()
        self._meter.ended += ended.cpu_seconds
        if isinstance(self._explained(lost, ended, starved), Killed) and not self._again:
            self._forget()
            self._open()

    def _call(self, request: Request) -> Observation:
        channel = self._channel
        if channel is None:
            return Observation(status="unreachable")
        self._meter.start_clock()  # between two calls it waits for us
        try:
            channel.send(RunRequests(requests=(request,)), Allowance(self._meter, self._limits.check_cpu))
            self._take_replies(channel, (request,))
        except Lost as lost:
            self._lose(channel, lost)
            return self._call(request)
        self._meter.stop_clock()
        seen = self._seen.pop(request.id)
        if seen.status in ("timeout", "died"):
            self._channel = None
            channel.close()
        return seen


def _when(borrow: Borrow) -> str:
    """Write the call of one function as a `when` has it, by the names of its parameters; whoever looks closely can tell."""
    by_place, by_name = ", ".join(borrow.places), ", ".join(f"{name}={name}" for name in borrow.names)
    given, inputs = ", ".join(filter(None, (by_place, by_name))), ", ".join(("student", *borrow.places, *borrow.names))
    return f"def when({inputs}):\n    return student.{borrow.name}({given}), [{by_place}], dict({by_name})\n"


def _lent_id(request: Request) -> str:
    """Name a request anew: nothing of it is published, so that checks are tried one after the other while calls last."""
    return f"{request.id}/lent"


def _kept(seen: Observation) -> Observation:
    """Keep what the reference returned; where it could not answer, why, in words that do not depend on who waited longer."""
    if seen.status == "raised" and seen.error.startswith(_GAVE_UP):
        return Observation(status="unreachable", error=seen.error.removeprefix(_GAVE_UP))
    if seen.status in ("timeout", "died", "unreachable"):
        return Observation(status="unreachable", error=_ENDED)
    return seen
