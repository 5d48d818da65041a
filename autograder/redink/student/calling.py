"""Running a `when` in the student's own process, as the box would, and noting what happened."""

from __future__ import annotations

import builtins
import contextlib
import random
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from redink.box.shell.fixed_seeds import SEED
from redink.records import Observation, Request
from redink.student.time_limit import OverTime, patience
from redink.wire import TensorArray, decode, encode

_NAMES_TORCH = re.compile(r"\btorch\b")


class Missing(Exception):  # noqa: N818 - it is a finding, not an error
    """The notebook does not define a name that the question asks for."""


class Student:
    """The names of a notebook, as attributes."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def __getattr__(self, name: str) -> Any:
        try:
            return self._names[name]
        except KeyError:
            raise Missing(name) from None


def observe(request: Request, names: Mapping[str, Any], seconds: float) -> Observation:
    """Run one `when` on the notebook's names and note what it returned or how it ended."""
    try:
        with patience(seconds):
            value, modified = call(request, names)
    except OverTime as late:
        return Observation(status="timeout", error=str(late))
    except Missing as missing:
        return Observation(status="missing", error=str(missing))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the student's code raises is an observation
        return Observation(status="raised", error=one_line(error), where=_where(error))
    return Observation(status="returned", value=encode(value), modified=modified)


def call(request: Request, names: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Run one `when`; give its result and the inputs that were changed in place."""
    inputs = decode(request.inputs, _Tensors)
    torch = _torch() if _NAMES_TORCH.search(request.when) else None
    scope: dict[str, Any] = {"np": np, "torch": torch, "__builtins__": builtins}
    exec(compile(request.when, "<when>", "exec"), scope)  # noqa: S102 - our own check, shipped as source
    before = {name: encode(value) for name, value in inputs.items()}
    with _same_chance():
        value = scope["when"](Student(names), **inputs)
    return value, tuple(name for name, old in before.items() if encode(inputs[name]) != old)


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


def one_line(error: BaseException) -> str:
    """Write an exception as one line."""
    try:
        text = (str(error).splitlines() or [""])[0][:300]
    except Exception:  # noqa: BLE001 - a student's exception may fail even at this
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _where(error: BaseException) -> str:
    """Name the innermost line of the student's own code."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith("<cell "):
            return f"{frame.filename[1:-1]}, line {frame.lineno}"
        if "ipykernel" in frame.filename or frame.filename.startswith("<ipython-input"):
            return f"in {frame.name}, line {frame.lineno}"
    return ""


class _Tensors:
    """Stands for torch while inputs are read: it takes seconds to load, so only a tensor loads it."""

    @staticmethod
    def from_numpy(array: Any) -> Any:
        torch = _torch()
        return array.view(TensorArray) if torch is None else torch.from_numpy(array)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        return None
    return torch
