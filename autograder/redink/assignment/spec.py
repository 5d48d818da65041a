"""What assignment.toml says: the questions, their points, their limits."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Literal

import msgspec

from redink.errors import AuthorError
from redink.records import Limits, Precision, Record

FORMAT = 1  # of assignment.toml and the files beside it; docs/authors.md says what stays compatible
_MODULES = sys.stdlib_module_names | {"numpy", "torch", "matplotlib", "redink", "redink_datasets"}  # no helper's name
_PACKAGE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_WRONG = re.compile(r"((?:Expected|Object|Invalid enum).*?)(?: - at `\$\.?(.*)`)?")
_DOTTED = re.compile(r"\.?[^\W\d]\w*(\.[^\W\d]\w*)*")


class Question(Record, frozen=True):
    """A unit of points."""

    id: str
    title: str
    points: float
    asks: tuple[str, ...]
    tier: Literal["core", "extra"] = "core"
    minutes: int = 0
    uses: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()  # names that its functions may not use: the point is to write them
    precision: Precision = "single"  # the coarsest numbers that are compared at their own tolerance
    mutates: tuple[str, ...] = ()  # inputs of its checks that its functions are meant to change in place


class Spec(Record, frozen=True):
    """What assignment.toml says."""

    title: str
    slug: str
    questions: tuple[Question, ...]
    format: int = FORMAT
    order: int = 0
    minutes: int = 0
    torch: bool = False
    packages: tuple[str, ...] = ()  # what else it needs, by the names that pip knows
    bonus: bool = False  # extra questions count on top of the core ones
    data: tuple[str, ...] = ()
    hand_in: str = ""  # what `redink submit` tells a student to do with the file that it wrote
    limits: Limits = Limits()

    @property
    def needed(self) -> tuple[str, ...]:
        """The packages that it needs beside those of Redink, by the names that pip knows."""
        return ("torch", *self.packages) if self.torch else self.packages

    @property
    def full_marks(self) -> float:
        """The points of the core questions together."""
        return round(math.fsum(question.points for question in self.questions if question.tier == "core"), 2)

    def question(self, id: str) -> Question:
        """Find a question by its id."""
        for question in self.questions:
            if question.id == id:
                return question
        known = ", ".join(question.id for question in self.questions)
        raise AuthorError(f"{self.slug} has no question {id!r}; its questions are {known}")

    def all_asked(self) -> frozenset[str]:
        """List what all questions ask for."""
        return frozenset(name for question in self.questions for name in question.asks)

    def all_names(self) -> frozenset[str]:
        """List the names of all questions and of what they ask for, by which a notebook is told from another."""
        return self.all_asked() | {question.id for question in self.questions}

    def all_used(self, question: Question) -> list[str]:
        """List the questions whose functions this one may call, directly or not, nearest first."""
        used = list(question.uses)
        for id in used:
            used += [further for further in self.question(id).uses if further not in used]
        return used


def read_spec(folder: Path) -> Spec:
    """Read and check assignment.toml."""
    path = folder / "assignment.toml"
    try:
        spec = msgspec.toml.decode(path.read_bytes(), type=Spec)
    except FileNotFoundError:
        raise AuthorError(f"{folder} has no assignment.toml") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise AuthorError(f"{path}: {_told(str(error))}") from error
    _check_spec(spec, path)
    return spec


def _told(error: str) -> str:
    """Say what is wrong in a file in the words of the file: the question, the field, and the nearest one that there is."""
    from redink.suggesting import did_you_mean  # which has nothing to do with how anybody is graded

    if (found := _WRONG.fullmatch(error)) is None:
        return error if "TOML" in error else f"this is no TOML: {error}"
    what, at = found.groups("")
    at = re.sub(r"questions\[(\d+)\]", lambda place: f"question {int(place[1]) + 1}", at)
    where = f"{at.replace('.', ', ')}: " if at else ""
    if unknown := re.search(r"unknown field `(.*)`", what):
        kind = Limits if at.startswith("limits") else Question if at.startswith("question ") else Spec
        known = kind.__struct_fields__
        return f"{where}there is no field {unknown[1]}; {did_you_mean(unknown[1], known) or 'there are ' + ', '.join(known)}"
    return where + what[:1].lower() + what[1:].replace("`", "")


def _check_spec(spec: Spec, path: Path) -> None:
    ids = [question.id for question in spec.questions]
    if len(set(ids)) < len(ids):
        twice = next(id for id in ids if ids.count(id) > 1)
        raise AuthorError(f"{path}: two questions have the id {twice!r}")
    if spec.format != FORMAT:
        raise AuthorError(f"{path}: this is format {spec.format}; this Redink reads format {FORMAT}")
    if odd := [question.id for question in spec.questions if not 0 <= question.points < math.inf]:
        raise AuthorError(f"{path}: question {odd[0]} has points that are not a number from 0 upwards")
    if not spec.full_marks:
        raise AuthorError(f"{path}: the core questions have no points; give at least one of them some")
    _check_limits_and_files(spec, path)
    for place, question in enumerate(spec.questions):
        if not question.asks:
            raise AuthorError(f"{path}: question {question.id} asks for nothing")
        if odd := [name for name in question.forbids if not _DOTTED.fullmatch(name)]:
            raise AuthorError(f"{path}: question {question.id} forbids {odd[0]!r}; write a full name: numpy.linalg.inv")
        if later := [used for used in question.uses if used not in ids[:place]]:
            raise AuthorError(f"{path}: question {question.id} uses {later[0]}, which is not an earlier question")


def _check_limits_and_files(spec: Spec, path: Path) -> None:
    for name, limit in msgspec.structs.asdict(spec.limits).items():
        if not 0 < limit < math.inf:
            raise AuthorError(f"{path}: the limit {name} is {limit:g}; a limit is a number above 0")
    for name in spec.packages:
        if not _PACKAGE.fullmatch(name):
            raise AuthorError(f"{path}: packages names {name!r}; write the name alone that pip installs: pandas")
        if name == "torch":
            raise AuthorError(f"{path}: packages names 'torch'; write torch = true instead, which warms it up too")
    for name in spec.data:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise AuthorError(f"{path}: data names {name!r}; only files in this folder ship")
        if Path(name).suffix == ".py" and Path(name).stem in _MODULES:
            raise AuthorError(f"{path}: data names {name!r}, which hides a module of that name; call it something else")
