"""Specimens: wrong answers with their hint, and right answers written another way.

Each is the solved master with an edit that matches exactly once. Two forms::

    misconception("ignores_ties", "step", hint="…", old="<= 0", new="< 0")

    @misconception("ignores_ties", "step", hint="…")
    def perceptron_step(w, x, y): ...
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, Literal, TypeVar

import msgspec

from redink.errors import AuthorError
from redink.records import Record

Defined = TypeVar("Defined", bound=Callable[..., Any])


class Edit(Record, frozen=True):
    """A change of the solved master: one string replaced by another, or a whole definition replaced."""

    new: str
    old: str = ""
    name: str = ""  # the function or class whose definition is replaced, when `old` is empty


class Specimen(Record, frozen=True):
    """A submission that must get a known result."""

    id: str
    kind: Literal["misconception", "alternative"]
    question: str
    hint: str
    edits: tuple[Edit, ...]


_collecting: list[Specimen] = []


def misconception(
    id: str,
    question: str,
    *,
    hint: str,
    old: str | None = None,
    new: str | None = None,
) -> Callable[[Defined], Defined]:
    """Declare a wrong answer to `question` and the one-line hint a teacher would give."""
    if not hint.strip():
        raise AuthorError(f"misconception {id}: a misconception needs a hint")
    return _declare(Specimen(id=id, kind="misconception", question=question, hint=hint.strip(), edits=()), old, new)


def alternative(
    id: str, question: str, *, old: str | None = None, new: str | None = None
) -> Callable[[Defined], Defined]:
    """Declare a right answer to `question`, written another way."""
    return _declare(Specimen(id=id, kind="alternative", question=question, hint="", edits=()), old, new)


def _declare(specimen: Specimen, old: str | None, new: str | None) -> Callable[[Defined], Defined]:
    if (old is None) != (new is None):
        raise AuthorError(f"{specimen.kind} {specimen.id}: old and new go together")
    _remember(specimen, *([Edit(old=old, new=new)] if old is not None and new is not None else []))

    def define(function: Defined) -> Defined:
        text = "\n" + textwrap.dedent(inspect.getsource(function))
        start = text.find("\nclass " if inspect.isclass(function) else "\ndef ")
        if start < 0:
            raise AuthorError(f"{specimen.kind} {specimen.id}: it decorates neither a plain function nor a class")
        _remember(specimen, Edit(name=function.__name__, new=text[start:].strip()))
        return function

    return define


def _remember(specimen: Specimen, *edits: Edit) -> None:
    """Remember a specimen and its edits; several declarations under one name are one specimen with several edits."""
    for place, known in enumerate(_collecting):
        if (known.id, known.kind, known.question) == (specimen.id, specimen.kind, specimen.question):
            if known.hint != specimen.hint:
                raise AuthorError(
                    f"{known.kind} {known.id} is declared twice, with two hints: several edits of one mistake repeat its "
                    "hint; two mistakes need two names"
                )
            _collecting[place] = msgspec.structs.replace(known, edits=(*known.edits, *edits))
            return
    _collecting.append(msgspec.structs.replace(specimen, edits=edits))


def collect_specimens(run: Callable[[], object]) -> tuple[Specimen, ...]:
    """Run an author's file and return the specimens it declares."""
    _collecting.clear()
    try:
        run()
        for specimen in _collecting:
            if not specimen.edits:
                raise AuthorError(
                    f"{specimen.kind} {specimen.id} changes nothing: give old and new, or decorate a function"
                )
        return tuple(_collecting)
    finally:
        _collecting.clear()
