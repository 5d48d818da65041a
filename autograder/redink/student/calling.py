"""Running a `when` in the student's own process, as the box would, and noting what happened."""

from __future__ import annotations

import contextlib
import random
import sys
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from redink.calling import SEED, Call, Student, ending
from redink.records import Observation, Request
from redink.student.time_limit import time_limit
from redink.wire import encode


def observe(request: Request, names: Mapping[str, Any], seconds: float) -> Observation:
    """Run one `when` on the notebook's names and note what it returned or how it ended."""
    try:
        with time_limit(seconds):
            value, modified = call(request, names)
            data = encode(value, tuples=request.tuples)
    except KeyboardInterrupt:
        raise  # a person's own Ctrl-C
    except BaseException as error:  # noqa: BLE001 - whatever the student's code raises is an observation
        status, text = ending(error)
        return Observation(status=status, error=text, where=_where(error) if status == "raised" else "")
    return Observation(status="returned", value=data, modified=modified)


def call(request: Request, names: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Run one `when`; return its result and the names of the inputs that were changed in place."""
    prepared = Call(request)
    with _same_chance():
        value = prepared(Student(names))
    return value, prepared.modified()


@contextlib.contextmanager
def _same_chance() -> Iterator[None]:
    """Start the global generators as the box does, and leave them to the student as they were."""
    torch = sys.modules.get("torch")
    kept = random.getstate(), np.random.get_state(), torch.get_rng_state() if torch else None
    random.seed(SEED)
    np.random.seed(SEED)
    if torch:
        torch.default_generator.manual_seed(SEED)
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
        if torch:
            torch.set_rng_state(kept[2])


def _where(error: BaseException) -> str:
    """Name the innermost line of the student's own code."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith("<cell "):
            function = "" if frame.name == "<module>" else f"in {frame.name}, "
            return f"{function}line {frame.lineno} of {frame.filename[1:-1]}"
        if "ipykernel" in frame.filename or frame.filename.startswith("<ipython-input"):
            return f"in {frame.name}, line {frame.lineno}"
    return ""
