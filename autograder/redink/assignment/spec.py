"""An assignment as a student has it: assignment.toml, the public checks and the published values."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import msgspec

from redink.checks.diagnosing import Asked, Misconception
from redink.checks.feedback import Trial
from redink.checks.language import Check
from redink.checks.seeds import PUBLISHED, generator
from redink.errors import AuthorError
from redink.records import Limits, Observation, Record, Request
from redink.wire import Opaque, decode, encode, frozen

FULL_MARKS = 100.0
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


class Spec(Record, frozen=True):
    """What assignment.toml says."""

    title: str
    slug: str
    questions: tuple[Question, ...]
    order: int = 0
    minutes: int = 0
    torch: bool = False
    bonus: bool = False  # extra questions count on top of the 100 points
    data: tuple[str, ...] = ()
    limits: Limits = Limits()

    def question(self, id: str) -> Question:
        """Find a question by its id."""
        for question in self.questions:
            if question.id == id:
                return question
        known = ", ".join(question.id for question in self.questions)
        raise AuthorError(f"{self.slug} has no question {id!r}; its questions are {known}")

    def all_used(self, question: Question) -> list[str]:
        """List the questions whose functions this one may call, directly or not, nearest first."""
        used = list(question.uses)
        for id in used:
            used += [further for further in self.question(id).uses if further not in used]
        return used


class Published(Record, frozen=True):
    """What `build` publishes for students: inputs, expected values, and what misconceptions give.

    The inputs are here too, so that a student's card does not depend on which numpy drew them. `made_from` names the sources
    of it all, so that it can be told whether they have changed since.
    """

    schema: str = "redink/published/1"
    made_from: str = ""
    trials: tuple[Trial, ...] = ()
    expected: dict[str, Observation] = msgspec.field(default_factory=dict)
    misconceptions: tuple[Misconception, ...] = ()


def read_spec(folder: Path) -> Spec:
    """Read and check assignment.toml."""
    path = folder / "assignment.toml"
    try:
        spec = msgspec.toml.decode(path.read_bytes(), type=Spec)
    except FileNotFoundError:
        raise AuthorError(f"{folder} has no assignment.toml") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise AuthorError(f"{path}: {error}") from error
    _check_spec(spec, path)
    return spec


def _check_spec(spec: Spec, path: Path) -> None:
    ids = [question.id for question in spec.questions]
    if len(set(ids)) < len(ids):
        twice = next(id for id in ids if ids.count(id) > 1)
        raise AuthorError(f"{path}: two questions have the id {twice!r}")
    core = sum(question.points for question in spec.questions if question.tier == "core")
    if not all(0 <= question.points < math.inf for question in spec.questions):
        raise AuthorError(f"{path}: a question has points that are not a number from 0 upwards")
    if abs(core - FULL_MARKS) > 1e-9:
        raise AuthorError(f"{path}: the core questions have {core:g} points; they must total {FULL_MARKS:g}")
    for place, question in enumerate(spec.questions):
        if not question.asks:
            raise AuthorError(f"{path}: question {question.id} asks for nothing")
        if odd := [name for name in question.forbids if not _DOTTED.fullmatch(name)]:
            raise AuthorError(f"{path}: question {question.id} forbids {odd[0]!r}; write a full name: numpy.linalg.inv")
        if later := [used for used in question.uses if used not in ids[:place]]:
            raise AuthorError(f"{path}: question {question.id} uses {later[0]}, which is not an earlier question")


def load_module(path: Path) -> ModuleType:
    """Run an author's file as a module of its own; no bytecode is kept, for it would ship, and could be stale."""
    name = f"_redink_{path.parent.parent.name}_{path.parent.name}_{path.stem}"
    if not path.is_file():
        raise AuthorError(f"{path} is missing")
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(path.read_bytes(), path, "exec"), vars(module))  # noqa: S102 - the author's own file
    except AuthorError:
        raise
    except Exception as error:
        raise AuthorError(f"{path}: {type(error).__name__}: {error}") from error
    return module


def load_checks(path: Path, spec: Spec) -> tuple[Check, ...]:
    """Collect the checks that an author's file defines, in their order."""
    found = vars(load_module(path)).items()  # a check has its own name, and often the name _ as well
    checks = tuple(value for name, value in found if isinstance(value, Check) and name == value.id)
    for check in checks:
        try:
            question = spec.question(check.question)
        except AuthorError as error:
            raise AuthorError(f"{path}: check {check.id}: {error}") from error
        if check.kind == "call" and check.calls is None and check.when_function is None and len(question.asks) == 1:
            check.calls = question.asks[0]
        if not check.sentence:
            raise AuthorError(f"{path}: check {check.id} has no sentence; write its docstring")
        if check.calls and check.calls not in question.asks:
            raise AuthorError(f"{path}: check {check.id} calls {check.calls}, which {question.id} does not ask for")
        if check.trials < 1:
            raise AuthorError(f"{path}: check {check.id} has no trial")
    return checks


def make_trials(slug: str, check: Check, key: bytes, reference: Any = None) -> tuple[Trial, ...]:
    """Make the inputs of all trials of a check from one key: the published one, or a course secret."""
    return tuple(
        Trial(
            check=check.id,
            number=number,
            published=key == PUBLISHED,
            inputs=encode(check.inputs(generator(key, slug, check.id, number), number, reference)),
        )
        for number in range(check.trials)
    )


def make_request(check: Check, trial: Trial, asks: tuple[str, ...]) -> Request:
    """Say what the box must run for one trial; only the inputs that the `when` names cross."""
    inputs = decode(trial.inputs)
    if odd := [f"{name}, a {value.type_name}" for name, value in inputs.items() if isinstance(value, Opaque)]:
        raise AuthorError(f"check {check.id}: its given makes {odd[0]}, which is not plain data and cannot cross")
    shipped = check.shipped(asks, inputs)
    if unknown := [name for name in shipped.names if name not in inputs]:
        raise AuthorError(f"check {check.id}: its when names {', '.join(unknown)}, which given does not make")
    crossing = {name: inputs[name] for name in shipped.names}
    return Request(id=trial.id, when=shipped.source, inputs=encode(crossing), group=check.id)


def as_asked(
    checks: Sequence[Check], trials: Sequence[Trial], expected: Mapping[str, Observation]
) -> tuple[Asked, ...]:
    """Pair trials with their checks and with what the reference returned, decoded once for everybody."""
    by_id = {check.id: check for check in checks}
    return tuple(
        Asked(
            id=trial.id,
            check=by_id[trial.check],
            inputs=frozen(decode(trial.inputs)),
            expected=frozen(decode(expected[trial.id].value)),
        )
        for trial in trials
    )
