"""What an author's checks get wrong and running them does not show: a name used twice, a name that nobody defines.

Python lets the second definition of a name replace the first, so that a check is lost without a word. And it looks a name
up only when it is used: `raise Fial(…)` in a `then` would be met by the first wrong answer, and cost that student.
"""

from __future__ import annotations

import builtins
import difflib
import dis
import inspect
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

from redink.checks.language import Check
from redink.checks.shipping import ALLOWED
from redink.errors import AuthorError
from redink.source import definitions

_NAMELESS = "_"  # the name of every when, then and view


def refuse_names_used_twice(source: str, where: str, checks: Sequence[Check]) -> None:
    """Refuse a file that defines a function, a class or a check twice under one name."""
    first: dict[str, int] = {}
    ids = {check.id for check in checks}
    for one in definitions(source, authors=True):
        if one.name == _NAMELESS or (one.kind == "value" and one.name not in ids):
            continue
        if one.name in first:
            what = "check" if one.name in ids else one.kind
            raise AuthorError(
                f"{where}: lines {first[one.name]} and {one.first} both define the {what} {one.name}, "
                "and the second would replace the first; rename one"
            )
        first[one.name] = one.first


def refuse_unknown_names(checks: Sequence[Check]) -> None:
    """Refuse a function of an author's file that uses a name nobody defines, or what a module does not have."""
    for check in checks:
        for function in (check.given_function, check.then_function, check.view_function):
            if function is not None:
                _refuse_unknown(function, vars(builtins))
    for name in dict.fromkeys(check.given_function.__module__ for check in checks):
        for function in _functions(sys.modules[name]):  # helpers of a `when` may use what the box has
            _refuse_unknown(function, ALLOWED)


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """List the functions and methods that a file defines."""
    for value in vars(module).values():
        for one in vars(value).values() if isinstance(value, type) else (value,):
            meant = inspect.unwrap(one) if callable(one) else None
            if isinstance(meant, FunctionType) and meant.__module__ == module.__name__:
                yield meant


def _refuse_unknown(function: Any, known: Collection[str]) -> None:
    scope: Mapping[str, Any] = function.__globals__
    for code in _codes(function.__code__):
        meant: Any = None  # what the name stands for that was read last
        for step in dis.get_instructions(code):
            line = step.positions.lineno if step.positions else None
            if step.opname == "LOAD_GLOBAL":
                if step.argval not in scope and step.argval not in known:
                    _refuse(code, line, f"{step.argval} is not defined", step.argval, {*scope, *known})
                meant = scope.get(step.argval)
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(meant, ModuleType):
                if not hasattr(meant, step.argval):
                    _refuse(code, line, f"{meant.__name__} has no {step.argval}", step.argval, dir(meant))
                meant = getattr(meant, step.argval)
            else:
                meant = None


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Return the code of a function and of those inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _refuse(code: CodeType, line: int | None, what: str, name: str, there: Collection[str]) -> NoReturn:
    raise AuthorError(f"{code.co_filename}, line {line or code.co_firstlineno}: {what}{meant_by(name, there)}")


def meant_by(name: str, there: Collection[str]) -> str:
    """Return "; did you mean …?" with the nearest of the names that there are; nothing, if none is near."""
    near = difflib.get_close_matches(name, there, n=1, cutoff=0.7)
    return f"; did you mean {near[0]}?" if near else ""
