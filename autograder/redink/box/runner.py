"""The runner: serves requests in order, in a copy of the state that the cells left behind.

A `when` decides nothing: what it returns is encoded as data. One that runs out of time ends the runner, and the snapshot
makes another for the rest.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence

from redink import frames, wire
from redink.box.borrowing import Compared, Loans
from redink.box.protocol import Reply, pack, pack_calls, pack_counts
from redink.box.shell import fixed_seeds
from redink.box.shell.forbidden_calls import Noted, Watch
from redink.box.shell.tracebacks import place
from redink.box.time_limit import TimeLimit
from redink.calling import Call, Student, ending
from redink.records import LentCount, Limits, Request


def serve(
    sock: socket.socket, requests: Sequence[Request], student: Student, limits: Limits, watch: Watch, loans: Loans
) -> bool:
    """Answer requests until they are done or one runs out of time; tell whether this process may answer more."""
    me = os.getpid()
    for request in requests:
        reply = observe(request, student, limits, watch, loans)
        if os.getpid() != me:
            return False  # a copy that the student's os.fork() made: only the original answers
        frames.send(sock, pack(reply))
        if reply.status == "timeout":
            return False
    return True


def observe(request: Request, student: Student, limits: Limits, watch: Watch, loans: Loans) -> Reply:
    """Call one `when` and return what it returned or how it ended, and which forbidden names were called in it."""
    limit = TimeLimit(limits.check_cpu, limits.check_cpu * limits.wall_factor)
    calls: Noted = {}
    compared: Compared = {}
    try:
        call = Call(request)
        fixed_seeds.reseed()
        with limit:
            with loans.of(request.borrows) as compared, watch.over(request.forbids) as calls:
                returned = call(student)
            value = wire.encode(returned, tuples=request.tuples)
            modified = call.modified()
    except BaseException as error:  # noqa: BLE001 - student code may raise anything, SystemExit included
        status, text = ending(error)
        where = place(error) if status == "raised" else ""
        lent = pack_counts(_counted(compared))
        return Reply(id=request.id, status=status, error=text, where=where, calls=pack_calls(calls), lent=lent)
    if len(value) > limits.value_bytes:
        text = f"returned {len(value)} bytes; {limits.value_bytes} are allowed"
        return Reply(id=request.id, status="too_large", error=text, calls=pack_calls(calls))
    return Reply(
        id=request.id, status="returned", value=value, modified=",".join(modified), calls=pack_calls(calls),
        lent=pack_counts(_counted(compared)),
    )  # fmt: skip


def _counted(compared: Compared) -> list[LentCount]:
    return [LentCount(name=name, calls=len(each), agreed=sum(each)) for name, each in compared.items() if each]
