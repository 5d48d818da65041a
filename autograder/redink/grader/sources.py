"""What a function says, as text: its own source and that of everything it rests on.

Read from the source alone, never from values: an object may print its address, and then no two runs would agree.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any


@functools.cache
def source_of(function: Callable[..., Any]) -> str:
    """Give a function's source, then each function and top-level statement that its names lead to."""
    return "\n".join(_Reader().read(function))


class _Reader:
    """Follows names from one function to whatever they mean; each source is given once."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def read(self, function: Callable[..., Any]) -> Iterator[str]:
        """Give the source of a function and of all it refers to; our own functions are keyed as a whole elsewhere."""
        function = inspect.unwrap(function)
        if isinstance(function, FunctionType) and function.__module__.partition(".")[0] != "redink":
            yield from self._follow(textwrap.dedent(inspect.getsource(function)), function)

    def _follow(self, source: str, at: FunctionType) -> Iterator[str]:
        if source in self._seen:
            return
        self._seen.add(source)
        yield source
        statements = _statements(Path(at.__code__.co_filename))
        for name in sorted(_names_in(source) & at.__globals__.keys()):
            if isinstance(meant := at.__globals__[name], FunctionType):
                yield from self.read(meant)
            else:
                for statement in statements.get(name, ()):
                    yield from self._follow(statement, at)


@functools.cache
def _statements(path: Path) -> dict[str, list[str]]:
    """Map each name to the top-level statements of a file that give it its value."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    found: dict[str, list[str]] = {}
    for statement in ast.parse(source).body:
        for name in _bound_by(statement):
            found.setdefault(name, []).append("\n".join(lines[statement.lineno - 1 : statement.end_lineno]))
    return found


def _bound_by(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {one.asname or one.name.partition(".")[0] for one in statement.names}
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    bound = {name.id for name in names if not isinstance(name.ctx, ast.Load)}
    return bound or {
        name.id for name in names
    }  # TABLE["row"] = 1 and LIST.append(1) bind nothing, and change all the same


def _names_in(source: str) -> set[str]:
    """List the names that a source reads; the decorator of a check names the check, not what the function does."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a lambda, cut out of the line it stands in
        return set()
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            statement.decorator_list = []
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
