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
from redink.texts import clean
from redink.wire import encode


def observe(request: Request, names: Mapping[str, Any], seconds: float) -> Observation:
    """Run one `when` on the notebook's names and note what it returned or how it ended."""
    try:
        with time_limit(seconds):
            value, changed = call(request, names)
            data = encode(value, tuples=request.tuples)
    except KeyboardInterrupt:
        raise  # a person's own Ctrl-C
    except BaseException as error:  # noqa: BLE001 - whatever the student's code raises is an observation
        status, text = ending(error)
        return Observation(status=status, error=text, where=_where(error) if status == "raised" else "")
    return Observation(status="returned", value=data, modified=tuple(changed))


def call(request: Request, names: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Run one `when`; return its result, and the inputs that were changed in place as they are after it."""
    prepared = Call(request)
    with _same_chance():
        value = prepared(Student(names))
    return value, prepared.changed()


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
    """Name the innermost line of the student's own code: of which cell, and what it says."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if cell := _cell(frame.filename):
            function = "" if frame.name == "<module>" else f"in {frame.name}, "
            line = f": {clean(frame.line, 60)}" if frame.line else ""
            return f"{function}line {frame.lineno} of cell {cell}{line}"
    return ""


def _cell(file: str) -> str:
    """Return the number of the cell that a file stands for: from the top, or in brackets as a running notebook shows it."""
    if file.startswith("<cell "):
        return file[len("<cell ") : -1]
    running = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    named = getattr(getattr(running, "compile", None), "format_code_name", lambda name: None)(file)
    return named[1].removeprefix("In") if named else ""
