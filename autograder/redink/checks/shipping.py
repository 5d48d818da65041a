"""How a `when` travels: its source, without decorators, closed over nothing but `np`, `torch` and builtins.

It runs beside the student's code, so whatever it computes can be forged. Hence it may call and collect, but not compare
or assert: that is refused here, when the assignment is built.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import symtable
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

from redink.errors import AuthorError

ALLOWED = frozenset(dir(builtins)) | {"np", "torch"}
_COMPARERS = frozenset(
    "allclose isclose array_equal array_equiv equal not_equal less less_equal greater greater_equal isin testing operator "  # noqa: SIM905
    "assert_allclose assert_equal assert_array_equal assert_close eq ne lt le gt ge __eq__ __ne__".split()
)


class Shipped(NamedTuple):
    """The source of a function `when(student, …)`, and the inputs it names."""

    source: str
    names: tuple[str, ...]


def ship_when(check: str, function: Callable[..., Any]) -> Shipped:
    """Turn an author's `when` into source for the box, or say why it may not go there."""
    definition = _definition(check, function)
    definition.name = "when"
    definition.decorator_list = []
    definition.returns = None
    parameters = [*definition.args.args, *definition.args.kwonlyargs]
    for argument in parameters:
        argument.annotation = None
    source = ast.unparse(definition) + "\n"
    _refuse_judging(check, definition)
    _refuse_free_names(check, source)
    names = [argument.arg for argument in parameters]
    if not names or names[0] != "student":
        raise AuthorError(f"check {check}: the first parameter of its when must be `student`")
    return Shipped(source, tuple(names[1:]))


def _definition(check: str, function: Callable[..., Any]) -> ast.FunctionDef:
    try:
        definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError, TypeError, IndexError):
        definition = ast.Pass()
    if not isinstance(definition, ast.FunctionDef):
        raise AuthorError(f"check {check}: its when must be a plain function")
    arguments = definition.args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        raise AuthorError(f"check {check}: its when must name its inputs one by one, without * or /")
    return definition


def ship_call(target: str, names: tuple[str, ...]) -> Shipped:
    """Make the `when` that calls one function with the inputs, in their order."""
    listed = ", ".join(names)
    return Shipped(f"def when({', '.join(('student', *names))}):\n    return student.{target}({listed})\n", names)


def ship_item(target: str, item: str) -> Shipped:
    """Make the `when` that reads one answer of a concept question."""
    return Shipped(f"def when(student):\n    return student.{target}[{item!r}]\n", ())


def _refuse_judging(check: str, definition: ast.FunctionDef) -> None:
    for node in ast.walk(definition):
        if isinstance(node, ast.Assert):
            raise AuthorError(f"check {check}: its when asserts; assert in then, where no student can reach it")
        if isinstance(node, ast.Compare | ast.Match) or _names_a_comparer(node):
            raise AuthorError(
                f"check {check}: its when compares ({ast.unparse(node)}); return the data and compare in then"
            )


def _names_a_comparer(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in _COMPARERS and not (isinstance(node.value, ast.Name) and node.value.id == "student")
    return isinstance(node, ast.alias) and not _COMPARERS.isdisjoint(node.name.split("."))


def _refuse_free_names(check: str, source: str) -> None:
    free = sorted(_globals_of(symtable.symtable(source, "when", "exec")) - ALLOWED - {"when"})
    if free:
        raise AuthorError(
            f"check {check}: its when uses {', '.join(free)}, which the box does not have; "
            "pass it as an input, or make it inside the when (np, torch and builtins are there)"
        )


def _globals_of(table: symtable.SymbolTable) -> set[str]:
    found = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    return found.union(*(_globals_of(child) for child in table.get_children()))
