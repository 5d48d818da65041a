"""Calling a `when`: the part that is the same in the box and in a student's own notebook.

A `when` gets a `student`, whose attributes are the notebook's names, and inputs decoded afresh. Time limits, seeding and
output are different in the two places and handled there; what is called, and how an error reads, is the same. This module
works wherever Python does, and loads torch only for a tensor or for a `when` that names it.
"""

from __future__ import annotations

import builtins
import functools
import re
from collections.abc import Mapping
from types import CodeType, MappingProxyType
from typing import Any, Literal

import numpy as np

from redink import wire
from redink.errors import OverTime
from redink.records import Request
from redink.texts import LONGEST
from redink.wire.tables import to_pandas

SEED = 20_231  # from which all global random generators start
_NAMES_TORCH = re.compile(r"\btorch\b")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class MissingName(AttributeError):  # noqa: N818 - an outcome, not an error of ours
    """A `when` asked for a name that the notebook does not define."""


class Student:
    """The notebook's namespace, as attributes."""

    __slots__ = ("_given", "_names")

    def __init__(self, names: Mapping[str, Any], given: Mapping[str, Any] = _NOTHING) -> None:
        """Take the namespace after the cells, and what was in it before them, which does not count as defined."""
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


class Call:
    """One `when`, compiled, with inputs decoded afresh."""

    def __init__(self, request: Request) -> None:
        self._inputs: dict[str, Any] = decode_inputs(request.inputs)
        self._before = {name: wire.encode(value) for name, value in self._inputs.items()}
        self._when = _compiled(request.when)

    def __call__(self, student: Student) -> Any:
        """Call the `when` and return what it returns."""
        return self._when(student, **self._inputs)

    def modified(self) -> tuple[str, ...]:
        """Name the inputs that were changed in place."""
        return tuple(self.changed())

    def changed(self) -> dict[str, Any]:
        """Return the inputs that were changed in place, as they are now."""
        return {name: value for name, value in self._inputs.items() if wire.encode(value) != self._before[name]}


def decode_inputs(data: bytes) -> Any:
    """Decode a wire value where code will use it: tensors and tables are again what they were, and load what they need."""
    return wire.decode(data, _Live)


def ending(error: BaseException) -> tuple[Literal["timeout", "missing", "raised"], str]:
    """Return how a `when` ended that did not return, and the text of its error."""
    if isinstance(error, OverTime):
        return "timeout", str(error)
    if isinstance(error, MissingName):
        return "missing", str(error)
    return "raised", one_line(error)


def one_line(error: BaseException) -> str:
    """Name an exception and its text, such as "ValueError: shapes differ", in one line of bounded length."""
    name = type.__dict__["__name__"].__get__(type(error))
    try:
        text = " ".join(str(error).split())
    except BaseException:  # noqa: BLE001 - str() of a student's exception may do anything
        text = ""
    line = f"{name}: {text}" if text else str(name)
    return line[:LONGEST].encode("utf-8", "replace").decode()


def _compiled(source: str) -> Any:
    names: dict[str, Any] = {"__builtins__": builtins, "np": np}
    if _NAMES_TORCH.search(source):
        names["torch"] = _torch()
    exec(_code(source), names)  # noqa: S102 - the author's own code
    return names["when"]


@functools.cache
def _code(source: str) -> CodeType:
    return compile(source, "<when>", "exec")


class _Live:
    """Makes tensors and tables while inputs are decoded: torch takes seconds to load, so only a tensor loads it."""

    from_table = staticmethod(to_pandas)

    @staticmethod
    def from_numpy(array: Any) -> Any:
        torch = _torch()
        return array.view(wire.TensorArray) if torch is None else torch.from_numpy(array)


def _torch() -> Any:
    """Return torch; None where it is not installed."""
    try:
        import torch
    except ImportError:
        return None
    return torch
