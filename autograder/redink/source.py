"""The one reader of Python source: what a cell's statements define, what they use, and on which lines.

Cells are written for IPython. A line that only IPython understands (`%time`, `!ls`, `x = !ls`, `f?`) is read as `pass`, so
that the rest of the cell can be read; `is_python` tells whether there was such a line. What nobody could run, such as a
syntax error or brackets nested a thousand deep, has no statements; nor has a source that is too long, unless it is said to
be an author's: reading can take minutes and a gigabyte. Nothing here raises, whatever a student wrote. A notebook of many
cells can be too long as a whole, so where nothing else limits that, it is asked first whether it `is_too_long`.
"""

from __future__ import annotations

import ast
import functools
import re
import symtable
from collections.abc import Collection
from typing import Literal, NamedTuple

Kind = Literal["function", "class", "value"]

LONGEST = 100_000  # characters of a notebook's code: some seconds, and some 100 MB

_REST = r"(?:.*\\\n)*.*"  # to the end of the line, and of those that a backslash adds to it
_MAGIC = re.compile(
    rf"^([ \t]*+)(?:[%!?]{_REST}|[\w.,*][\w.,* \t]*=[ \t]*[%!]{_REST}|[\w.*]+\?{{1,2}}[ \t]*)$", re.MULTILINE
)
_ENDLESS = re.compile(  # a dotted name that is imported; Python reads such a one in quadratic time
    r"\b(?:import|from)\b(?:[^,;#()\\\r\n]|\\\r?+\n?+){5000}+"
)
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # Python could not run these either


class Statement(NamedTuple):
    """One top-level statement; its source is rewritten where it can be, so that comments and layout do not count."""

    names: frozenset[str]  # that it defines or changes
    uses: frozenset[str]
    source: str


class Definition(NamedTuple):
    """One name that a top-level statement defines, and the lines of that statement, counted from 1, decorators included."""

    name: str
    kind: Kind
    first: int
    last: int


class _Reading(NamedTuple):
    """All that is kept of a source; not its syntax tree, which takes far more memory."""

    statements: tuple[Statement, ...]
    definitions: tuple[Definition, ...]


def is_too_long(sources: Collection[str]) -> bool:
    """Tell whether reading these cells of one notebook may take very long."""
    return sum(map(len, sources)) > LONGEST or any(map(_ENDLESS.search, sources))


def parse(source: str) -> ast.Module:
    """Parse a source; one that cannot be read is empty. Callers that ask again keep the tree."""
    return _parsed(source, authors=False)[0]


def statements(source: str, *, authors: bool = False) -> tuple[Statement, ...]:
    """Return the top-level statements of a source; an author's may have any length."""
    return _read(source, authors).statements


def definitions(source: str, *, authors: bool = False) -> tuple[Definition, ...]:
    """Return the functions, classes and values that a source defines at top level, in their order."""
    return _read(source, authors).definitions


def lines_of(source: str) -> list[str]:
    """Return the lines of a source as Python counts them: at a form feed or a separator of Unicode no line ends."""
    return re.split(r"\r\n|\r|\n", source)


def globals_of(source: str) -> frozenset[str]:
    """Return the names that a source reads and that are not local to its functions: globals and builtins."""
    return frozenset() if is_too_long([source]) else _read_in(source)


def is_python(source: str) -> bool:
    """Tell whether a source is Python alone and can be parsed: neither magics nor a syntax error, nor too long."""
    if is_too_long([source]):
        return False
    try:
        ast.parse(source)
    except _UNREADABLE:
        return False
    return True


def syntax_error(source: str) -> SyntaxError | None:
    """Find the syntax error of a cell; a cell that begins with a cell magic such as `%%bash` has none."""
    if is_python(source) or source.lstrip().startswith("%%"):
        return None
    try:
        ast.parse(_without_magics(source))
    except SyntaxError as error:
        return error
    except _UNREADABLE as error:
        return SyntaxError(str(error) or "too deeply nested")
    return None


def forget() -> None:
    """Forget every source that was read: a process that serves many strangers keeps nothing of one for the next."""
    _read.cache_clear()


def is_written(name: str, source: str) -> bool:
    """Tell whether a cell means to define this name, even where it cannot be parsed."""
    return bool(
        re.search(rf"^(?:(?:async\s+)?def|class)\s+{re.escape(name)}\b|^{re.escape(name)}\s*[:=]", source, re.MULTILINE)
    )


def without_decorators(source: str) -> str | None:
    """Write the functions of a source without their decorators; None where the source is not Python."""
    if not is_python(source):
        return None
    tree = parse(source)
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            statement.decorator_list = []
    try:
        return ast.unparse(tree)
    except _UNREADABLE:  # as in _written
        return None


def _without_magics(source: str) -> str:
    """Put `pass` in the place of each magic; every other line keeps its number."""
    return _MAGIC.sub(lambda found: f"{found[1]}pass" + "\n" * found[0].count("\n"), source)


def _parsed(source: str, *, authors: bool) -> tuple[ast.Module, str]:
    """Parse a source; return with the tree the text that was parsed."""
    for text in () if is_too_long([source]) and not authors else (source, _without_magics(source)):
        try:
            return ast.parse(text), text
        except _UNREADABLE:
            continue
    return ast.Module(body=[], type_ignores=[]), ""


@functools.lru_cache(4096)  # specimens share all cells but one
def _read(source: str, authors: bool) -> _Reading:
    tree, text = _parsed(source, authors=authors)
    lines = lines_of(text)
    written = [_written(node, lines) for node in tree.body]
    return _Reading(
        tuple(
            Statement(frozenset(_names(node)), _read_in(one), one) for node, one in zip(tree.body, written, strict=True)
        ),
        tuple(definition for node in tree.body for definition in _definitions(node)),
    )


def _written(node: ast.stmt, lines: list[str]) -> str:
    """Write a statement anew, or as it stands where that cannot be done."""
    try:
        return ast.unparse(node)
    except _UNREADABLE:  # nested more deeply than it can be written, or a string for which that finds no quotes
        return _as_it_stands(node, lines)


def _as_it_stands(node: ast.stmt, lines: list[str]) -> str:
    first = _first_line(node)
    rows = [line.encode() for line in lines[first - 1 : node.end_lineno]]
    rows[-1] = rows[-1][: node.end_col_offset]
    rows[0] = rows[0][node.col_offset if first == node.lineno else 0 :]
    return b"\n".join(rows).decode()


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(node.lineno, *(one.lineno for one in decorators)) if decorators else node.lineno


def _read_in(source: str) -> frozenset[str]:
    try:
        return frozenset(_globals_of(symtable.symtable(source, "source", "exec")))
    except _UNREADABLE:
        return frozenset()


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {one.asname or one.name.partition(".")[0] for one in node.names}
    found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    if isinstance(node, ast.Assign):  # `table["row"] = 1` changes table
        found |= {name for target in node.targets for name in _owner(target)}
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):  # `answers.update(…)` changes answers
        found |= _owner(node.value.func)
    return found


def _owner(node: ast.expr) -> set[str]:
    """Name what an attribute or an item belongs to."""
    owner = node.value if isinstance(node, ast.Attribute | ast.Subscript) else None
    return {owner.id} if isinstance(owner, ast.Name) else set()


def _definitions(node: ast.stmt) -> list[Definition]:
    last = node.end_lineno or node.lineno
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        kind: Kind = "class" if isinstance(node, ast.ClassDef) else "function"
        return [Definition(node.name, kind, _first_line(node), last)]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [Definition(target.id, "value", node.lineno, last) for target in targets if isinstance(target, ast.Name)]


def _globals_of(table: symtable.SymbolTable) -> set[str]:
    found, waiting = set(), [table]
    while waiting:
        one = waiting.pop()
        outer = one.get_type() == "module"
        found |= {name.get_name() for name in one.get_symbols() if name.is_referenced() and (outer or name.is_global())}
        waiting += one.get_children()
    return found
