"""How a `when` travels: its source, without decorators, behind the helpers that it uses.

A helper is a function or class at the top level of the author's file, or of redink.checks.stand_ins. Both are closed over
nothing but `np`, `torch`, builtins and other helpers.

They run beside the student's code, so whatever they compute can be forged. Hence they may call and collect, but not compare
or assert: that is refused here, when the assignment is built.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, NamedTuple

from redink.errors import AuthorError
from redink.source import globals_of

ALLOWED = frozenset(dir(builtins)) | {"np", "torch"}
STAND_INS = "redink.checks.stand_ins"
_COMPARERS = frozenset(
    "allclose isclose array_equal array_equiv equal not_equal less less_equal greater greater_equal isin testing operator "  # noqa: SIM905
    "assert_allclose assert_equal assert_array_equal assert_close eq ne lt le gt ge __eq__ __ne__".split()
)


class Shipped(NamedTuple):
    """The source of a function `when(student, …)` behind its helpers, and the inputs it names."""

    source: str
    names: tuple[str, ...]


class _Helper(NamedTuple):
    """A function or class that travels with a `when`."""

    place: tuple[bool, int]  # where it is defined: shared ones first, then the author's own, each by its line
    meant: FunctionType | type
    source: str


def ship_when(check: str, function: Callable[..., Any]) -> Shipped:
    """Turn an author's `when` into source for the box; raise `AuthorError` with the reason if it may not go there."""
    definition = _definition(check, function)
    definition.name = "when"
    definition.decorator_list = []
    _strip_annotations(definition)
    source = ast.unparse(definition) + "\n"
    _refuse_judging(f"check {check}: its when", definition)
    helpers = _helpers(check, function, source)
    names = [argument.arg for argument in (*definition.args.args, *definition.args.kwonlyargs)]
    if not names or names[0] != "student":
        raise AuthorError(f"check {check}: the first parameter of its when must be `student`")
    return Shipped("".join([*helpers, source]), tuple(names[1:]))


def ship_call(target: str, names: tuple[str, ...]) -> Shipped:
    """Make the `when` that calls one function with the inputs, in their order."""
    listed = ", ".join(names)
    return Shipped(f"def when({', '.join(('student', *names))}):\n    return student.{target}({listed})\n", names)


def ship_item(target: str, item: str) -> Shipped:
    """Make the `when` that reads one answer of a concept question."""
    return Shipped(f"def when(student):\n    return student.{target}.get({item!r})\n", ())


def _definition(check: str, function: Callable[..., Any]) -> ast.FunctionDef:
    definition = _parsed(function)
    if not isinstance(definition, ast.FunctionDef):
        raise AuthorError(f"check {check}: its when must be a plain function")
    arguments = definition.args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        raise AuthorError(f"check {check}: its when must name its inputs one by one, without * or /")
    return definition


def _parsed(meant: Callable[..., Any]) -> ast.stmt:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(meant))).body[0]
    except (OSError, SyntaxError, TypeError, IndexError):
        return ast.Pass()


def _strip_annotations(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Remove annotations, which may name what the box does not have."""
    function.returns = None
    every = function.args
    for argument in (*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg):
        if argument is not None:
            argument.annotation = None


def _helpers(check: str, when: Callable[..., Any], source: str) -> list[str]:
    """Return the sources of the helpers of a `when`, and of theirs, in the order of their definition."""
    found: dict[str, _Helper] = {}
    waiting = [("when", source, _scope(when))]
    while waiting:
        user, text, scope = waiting.pop()
        for name, meant in _used(check, user, text, scope).items():
            if name not in found:
                found[name] = _helper(f"check {check}: its {user} uses {name}", name, meant, when.__module__)
                _refuse_judging(f"check {check}: its helper {name}", ast.parse(found[name].source))
                waiting.append((f"helper {name}", found[name].source, _scope(meant)))
            elif found[name].meant is not meant:
                raise AuthorError(f"check {check}: its when uses two different helpers called {name}; rename one")
    return [helper.source for helper in sorted(found.values(), key=lambda helper: helper.place)]


def _scope(meant: Any) -> Mapping[str, Any]:
    """Return the global names that a function or class may use; those of an enclosing function are not among them."""
    if not isinstance(meant, FunctionType):
        return vars(sys.modules[meant.__module__])
    return {name: value for name, value in meant.__globals__.items() if name not in meant.__code__.co_freevars}


def _used(check: str, user: str, source: str, scope: Mapping[str, Any]) -> dict[str, FunctionType | type]:
    """Find the functions and classes that a source uses; refuse a name that is neither one of them nor in the box."""
    free = sorted(globals_of(source) - {"when", "np", "torch"})
    meant = {name: inspect.unwrap(scope[name]) for name in free if name in scope}
    used = {name: one for name, one in meant.items() if isinstance(one, FunctionType | type)}
    if unknown := [name for name in free if name not in used and name not in ALLOWED]:
        if offered := [name for name in unknown if name in ("printed", "raised")]:
            raise AuthorError(
                f"check {check}: its {user} uses {offered[0]}: write `from redink.checks import {offered[0]}`"
            )
        raise AuthorError(
            f"check {check}: its {user} uses {', '.join(unknown)}, which the box does not have; "
            f"pass it as an input, or make it inside the {user} (np, torch and builtins are there)"
        )
    return used


def _helper(use: str, name: str, meant: FunctionType | type, own: str) -> _Helper:
    """Turn a helper into source for the box, or raise with the reason why not; `use` says who uses it."""
    if meant.__module__ not in (own, STAND_INS):
        raise AuthorError(f"{use}, which comes from {meant.__module__}; import it inside, or write it in this file")
    definition = _parsed(meant)
    if not isinstance(definition, ast.FunctionDef | ast.ClassDef) or "<locals>" in meant.__qualname__:
        raise AuthorError(f"{use}, which is not plain source; write it with def or class at the top level of this file")
    if meant.__name__ != name:
        raise AuthorError(f"{use}, which is another name of {meant.__name__}; use the name that it is defined under")
    for node in ast.walk(definition):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            _strip_annotations(node)
    place = meant.__module__ != STAND_INS, inspect.getsourcelines(meant)[1]
    return _Helper(place, meant, ast.unparse(definition) + "\n\n")


def _refuse_judging(whose: str, tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            raise AuthorError(f"{whose} asserts; assert in then, where no student can reach it")
        if isinstance(node, ast.Compare | ast.Match) or _names_a_comparer(node):
            raise AuthorError(f"{whose} compares ({ast.unparse(node)}); return the data and compare in then")


def _names_a_comparer(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in _COMPARERS and not (isinstance(node.value, ast.Name) and node.value.id == "student")
    return isinstance(node, ast.alias) and not _COMPARERS.isdisjoint(node.name.split("."))
