"""Running an author's file as a module of its own, and collecting the checks that it defines."""

from __future__ import annotations

import linecache
import math
import sys
from pathlib import Path
from types import ModuleType

from redink.assignment.packages import modules_of
from redink.assignment.spec import Spec
from redink.checks.comparing import TINY
from redink.checks.language import Check
from redink.errors import AuthorError


def load_module(name: str, source: str, where: str) -> ModuleType:
    """Run an author's source as a module; `where` names it in messages and need not exist as a file."""
    module = ModuleType(f"_redink_{name}")
    module.__file__ = where
    sys.modules[module.__name__] = module
    linecache.cache[where] = (len(source), None, source.splitlines(keepends=True), where)  # for inspect.getsource
    try:
        exec(compile(source, where, "exec"), vars(module))  # noqa: S102 - the author's own
    except AuthorError:
        raise
    except Exception as error:
        raise AuthorError(f"{where}: {type(error).__name__}: {error}") from error
    return module


def read_source(path: Path, *, needed: bool = True) -> str:
    """Read an author's file; one that is not needed and not there says nothing."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if not needed:
            return ""
        raise AuthorError(f"{path} is missing") from None
    except UnicodeDecodeError as error:
        raise AuthorError(f"{path} is not UTF-8: {error}") from error


def load_checks(spec: Spec, source: str, where: str) -> tuple[Check, ...]:
    """Collect the checks that an author's source defines, in their order; they may need the assignment's packages."""
    if spec.packages:
        modules_of(spec.packages)
    module = load_module(f"{spec.slug}_{Path(where).stem}", source, where)
    found = vars(module).items()  # a check has its own name, and often the name _ as well
    checks = tuple(value for name, value in found if isinstance(value, Check) and name == value.id)
    for check in checks:
        try:
            question = spec.question(check.question)
        except AuthorError as error:
            raise AuthorError(f"{where}: check {check.id}: {error}") from error
        check.precision, check.mutates = question.precision, frozenset(question.mutates)
        if check.kind == "call" and check.calls is None and check.when_function is None and len(question.asks) == 1:
            check.calls = question.asks[0]
        if not check.sentence:
            raise AuthorError(f"{where}: check {check.id} has no sentence; write its docstring")
        if check.calls and check.calls not in question.asks:
            raise AuthorError(f"{where}: check {check.id} calls {check.calls}, which {question.id} does not ask for")
        _refuse_senseless_numbers(check, f"{where}: check {check.id}")
    return checks


def _refuse_senseless_numbers(check: Check, whose: str) -> None:
    """Refuse trials, a weight or a tolerance with which points or comparisons would make no sense."""
    if not isinstance(check.trials, int) or check.trials < 1:
        raise AuthorError(f"{whose} has trials={check.trials!r}; it needs a whole number from 1 upwards")
    if not isinstance(check.weight, int | float) or not 0 <= check.weight < math.inf:
        raise AuthorError(f"{whose} has weight={check.weight!r}; a weight is a number from 0 (only informs) upwards")
    if not isinstance(check.tol, int | float) or not TINY <= check.tol < 1:
        raise AuthorError(
            f"{whose} has tol={check.tol!r}; a tolerance is from {TINY:g}, what rounding leaves, to below 1"
        )
