"""The runner: serves requests in order, in a copy of the state that the cells left behind.

A `when` gets a `student` whose attributes are the notebook's names, and inputs decoded afresh. It decides nothing: what
it returns is encoded as data. One that runs out of time ends the runner, and the snapshot makes another for the rest.
"""

from __future__ import annotations

import builtins
import functools
import os
import re
import socket
import sys
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

import numpy as np

from redink import wire
from redink.box.protocol import Reply, pack
from redink.box.shell import fixed_seeds
from redink.box.shell.tracebacks import one_line, place
from redink.box.time_limit import OverTime, TimeLimit
from redink.records import Limits, Request

_NAMES_TORCH = re.compile(r"\btorch\b")


class MissingName(AttributeError):  # noqa: N818 - an outcome, not an error of ours
    """A `when` asked for a name that the notebook does not define."""


class Student:
    """The notebook's namespace, as attributes."""

    __slots__ = ("_given", "_names")

    def __init__(self, names: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        """Take the namespace after the cells, and what was in it before them."""
        self._names = names
        self._given = given

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._names[name]
        except KeyError:
            raise MissingName(name) from None
        if name in self._given and self._given[name] is value:
            raise MissingName(name)
        return value


class _Torch:
    """Stands for torch where it may not be loaded: a tensor among the inputs loads it."""

    @staticmethod
    def from_numpy(array: Any) -> Any:
        import torch

        return torch.from_numpy(array)


def serve(sock: socket.socket, requests: Sequence[Request], student: Student, limits: Limits) -> None:
    """Answer requests until they are done or one runs out of time."""
    me = os.getpid()
    for request in requests:
        reply = observe(request, student, limits)
        if os.getpid() != me:
            return  # a copy that the student's os.fork() made: only the original speaks
        wire.send(sock, pack(reply))
        if reply.status == "timeout":
            return


def observe(request: Request, student: Student, limits: Limits) -> Reply:
    """Call one `when` and tell what it gave."""
    limit = TimeLimit(limits.check_cpu, limits.check_cpu * limits.wall_factor)
    try:
        inputs: dict[str, Any] = wire.decode(request.inputs, _Torch)
        before = {name: wire.encode(value) for name, value in inputs.items()}
        when = _compiled(request.when)
        fixed_seeds.reseed()
        with limit:
            value = wire.encode(when(student, **inputs))
            modified = tuple(name for name, value in inputs.items() if wire.encode(value) != before[name])
    except OverTime:
        return Reply(id=request.id, status="timeout", error=limit.sentence)
    except MissingName as error:
        return Reply(id=request.id, status="missing", error=str(error))
    except BaseException as error:  # noqa: BLE001 - student code may raise anything, SystemExit included
        return Reply(id=request.id, status="raised", error=one_line(error), where=place(error))
    if len(value) > limits.value_bytes:
        return Reply(
            id=request.id, status="too_large", error=f"returned {len(value)} bytes; {limits.value_bytes} are allowed"
        )
    return Reply(id=request.id, status="returned", value=value, modified=modified)


def _compiled(source: str) -> Any:
    names: dict[str, Any] = {"__builtins__": builtins, "np": np}
    if "torch" in sys.modules or _NAMES_TORCH.search(source):
        import torch

        names["torch"] = torch
    exec(_code(source), names)  # noqa: S102 - the author's code, and this is the box
    return names["when"]


@functools.cache
def _code(source: str) -> CodeType:
    return compile(source, "<when>", "exec")
