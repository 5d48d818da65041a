"""Two keys: what an observation depends on, and what a judgement depends on.

A change in `given` or `when` changes the first and re-observes that check alone; a change in `then`, `view`, tolerance or
reference changes only the second, and nobody's code is run again.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path

import msgspec

from redink.checks import asserting, comparing, diagnosing, feedback, forbidding, judging
from redink.checks.language import Check
from redink.grader.assignment.sources import source_of
from redink.records import Cell, CellRun, Limits, Request


def digest(*parts: bytes | str) -> str:
    """Hash parts so that no two lists of parts collide."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "little") + data)
    return whole.hexdigest()


@functools.cache
def environment() -> str:
    """Name what else an observation depends on: the interpreter, the libraries, the kind of machine."""
    versions = [f"{name} {_version(name)}" for name in ("numpy", "torch", "msgspec")]
    return "; ".join([platform.python_version(), platform.machine(), sys.platform, *versions])


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "absent"


def run_key(cells: Sequence[Cell], data: Mapping[str, bytes], limits: Limits) -> str:
    """Key one execution of a submission's cells."""
    files = [part for name in sorted(data) for part in (name, data[name])]
    return digest(msgspec.msgpack.encode(cells), *files, msgspec.msgpack.encode(limits), environment())


def observation_keys(run: str, requests: Iterable[Request]) -> dict[str, str]:
    """Key what each `when` sees of one execution, by request id.

    A key rests on the earlier ones of its group too: a time-out there is the outcome of all that follow.
    """
    keys: dict[str, str] = {}
    last: dict[str, str] = {}
    for request in requests:
        key = digest(run, request.when, request.inputs, last.get(request.group, ""))
        keys[request.id] = key
        if request.group:
            last[request.group] = key
    return keys


def judgement_key(check: Check, visibility: str, failed: Sequence[CellRun], trials: Iterable[tuple[str, str]]) -> str:
    """Key a verdict on one check: how it judges, which cells failed, each trial's observation and expected value."""
    cells = msgspec.msgpack.encode([(cell.index, cell.error) for cell in failed])
    return digest(check_key(check), visibility, cells, *(part for trial in trials for part in trial))


def check_key(check: Check) -> str:
    """Key how a check judges and what it tells: `then`, `view`, tolerance and sentence."""
    functions = [source_of(function) for function in (check.then_function, check.view_function) if function]
    return digest(policy(), check.id, check.sentence, repr(check.tol), *functions)


@functools.cache
def policy() -> str:
    """Key our own rules of judging, telling and hinting: when they change, everything is judged again."""
    modules = (asserting, comparing, diagnosing, forbidding, judging, feedback)
    return digest(*(Path(str(module.__file__)).read_bytes() for module in modules))
