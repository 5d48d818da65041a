"""What differs between the master's code and a student's, as replacements that match exactly once in the master."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from redink.checks.specimens import Edit
from redink.errors import CourseError
from redink.records import Cell
from redink.source import Statement, definitions, globals_of, is_python, lines_of, parse, statements

_MOST_LINES = 120  # of a function that is taken over


class Replacement(NamedTuple):
    """A text of the master, and what stands in its place."""

    old: str
    new: str


def as_edits(found: Sequence[Replacement]) -> tuple[Edit, ...]:
    """Return replacements as a specimen has them."""
    return tuple(Edit(old=one.old, new=one.new) for one in found)


def edits_of_definition(
    solved: Sequence[Cell], cells: Sequence[Cell], name: str, asked: Collection[str]
) -> Iterator[Replacement]:
    """Turn the master's function or class into a student's, and put what only that one needs in front of it."""
    _, old = _definition(solved, name, "the master")
    cell, new = _definition(cells, name, "it")
    if _meaning("\n".join(old)) == _meaning("\n".join(new)):
        return
    if len(new) > _MOST_LINES:
        raise CourseError(f"its {name} has {len(new)} lines")
    if not is_python(cell.source):
        raise CourseError(f"the cell of its {name} is not Python alone")
    if needed := _needed(solved, cells, "\n".join(new), asked):
        yield Replacement(old[0], "\n".join([*needed, "", "", old[0]]))
    yield _difference(old, _with_docstring(new, old), solved)


def edits_of_answers(
    solved: Sequence[Cell], cells: Sequence[Cell], name: str, items: Collection[str]
) -> Iterator[Replacement]:
    """Turn the master's words for these items of a concept question into a student's."""
    wanted, given = _words(solved, name), _words(cells, name)
    for item in (item for item in wanted if item in items):
        right, before, text = wanted[item]
        if item not in given:
            raise CourseError(f"its answer to {item} is not written down as a word or a number")
        wrong = given[item].value
        if wrong != right and wrong is not None:
            yield Replacement(f"{before}{text}", f"{before}{_as_word(wrong)}")


def in_few(found: Sequence[Replacement], solved: Sequence[Cell]) -> tuple[Replacement, ...]:
    """Make one replacement of those that concern one cell: each would need the hint anew."""
    if len(found) < 2:
        return tuple(found)
    few = []
    for cell in solved:
        text = cell.source
        for one in found:
            text = text.replace(one.old, one.new)
        if text != cell.source:
            few.append(_difference(cell.source.splitlines(), text.splitlines(), solved))
    return tuple(few)


def _definition(cells: Sequence[Cell], name: str, whose: str) -> tuple[Cell, list[str]]:
    """Find the last definition of a function or class, with its cell."""
    for cell in reversed(cells):
        for one in reversed(definitions(cell.source)):
            if one.name == name:
                if one.kind == "value":
                    raise CourseError(f"{whose} makes {name} without def or class")
                return cell, lines_of(cell.source)[one.first - 1 : one.last]
    raise CourseError(f"{whose} defines no {name}")


def _meaning(source: str) -> str:
    """Describe a definition without docstring, comments and layout."""
    body = parse(source).body
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return "\n".join(map(ast.dump, body))


def _with_docstring(new: list[str], old: list[str]) -> list[str]:
    """Write a definition with the docstring of another: what it says of itself is no part of a mistake."""
    theirs, ours = (_own_docstring(lines) for lines in (new, old))
    if theirs is None or ours is None:
        return new
    return [*new[: theirs.start], *old[ours.start : ours.stop], *new[theirs.stop :]]


def _own_docstring(lines: list[str]) -> slice | None:
    """Find the lines of a definition's docstring, or the place for one; None where it stands beside other code."""
    (node,) = parse("\n".join(lines)).body or [ast.Pass()]
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return None
    first = node.body[0]
    if lines[first.lineno - 1][: first.col_offset].strip():
        return None
    start = first.lineno - 1
    if isinstance(first, ast.FunctionDef | ast.ClassDef) and first.decorator_list:
        start = first.decorator_list[0].lineno - 1
    return slice(start, first.end_lineno if ast.get_docstring(node) is not None else start)


def _difference(old: list[str], new: list[str], solved: Sequence[Cell]) -> Replacement:
    """Cut away the lines that both begin and end with, as long as what is left is found exactly once in the master."""
    shorter = min(len(old), len(new))
    start = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    end = next((place for place in range(shorter - start) if old[-1 - place] != new[-1 - place]), shorter - start)
    while True:
        text = "\n".join(old[start : len(old) - end])
        if text.strip() and sum(cell.source.count(text) for cell in solved) == 1:
            return _stripped(Replacement(text, "\n".join(new[start : len(new) - end])), solved)
        if start:
            start -= 1
        elif end:
            end -= 1
        else:
            raise CourseError(f"the text {text[:40]!r} stands more than once in the master")


def _stripped(found: Replacement, solved: Sequence[Cell]) -> Replacement:
    """Leave out the indent that both sides share, if the rest is still found exactly once; of single lines only."""
    old, new = found
    if "\n" in old or "\n" in new or not new.strip():
        return found
    indent = len(old) - len(old.lstrip())
    if len(new) - len(new.lstrip()) != indent or sum(cell.source.count(old[indent:]) for cell in solved) != 1:
        return found
    return Replacement(old[indent:], new[indent:])


def _needed(solved: Sequence[Cell], cells: Sequence[Cell], source: str, asked: Collection[str]) -> list[str]:
    """List the imports, helpers and constants of a notebook that a source uses and the master does not have."""
    given = {name: one.source for cell in solved for one in statements(cell.source) for name in one.names}
    own = {name: one for cell in cells for one in statements(cell.source) for name in one.names}
    waiting, found = sorted(globals_of(source)), dict[str, None]()
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen or name in asked or hasattr(builtins, name):
            continue
        seen.add(name)
        if name in given:
            if name in own and own[name].source != given[name]:
                raise CourseError(f"it has another {name} than the notebook that was handed out")
            continue
        if name not in own:
            raise CourseError(f"it uses {name}, which nothing in the notebook defines")
        if not _is_still(own[name]):
            raise CourseError(f"it uses {name}, which its notebook works out")
        found[own[name].source] = None
        waiting += sorted(own[name].uses)
    order = [one.source for cell in cells for one in statements(cell.source)]
    return [line for one in sorted(found, key=order.index) for line in one.splitlines()]


def _is_still(statement: Statement) -> bool:
    """Tell whether a statement says the same wherever it stands: an import, a function, a class, a plain constant."""
    (node,) = parse(statement.source).body
    if isinstance(node, ast.Assign):
        return all(isinstance(one, ast.Constant | ast.UnaryOp | ast.USub) for one in ast.walk(node.value))
    return isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)


class _Word(NamedTuple):
    """One item of a dict as it stands in the source: its value, what is written before it, and the value's own text."""

    value: object
    before: str
    text: str


def _words(cells: Sequence[Cell], name: str) -> dict[str, _Word]:
    """Read the items of a dict as they stand in the source, the last one counting."""
    found: dict[str, _Word] = {}
    for cell in cells:
        for node in parse(cell.source).body:
            for item, value, before in _items(node, name, cell.source):
                try:
                    found[item] = _Word(ast.literal_eval(value), before, _text(value, cell.source))
                except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    found.pop(item, None)
    return found


def _items(node: ast.stmt, name: str, source: str) -> Iterator[tuple[str, ast.expr, str]]:
    """List the items that a statement gives a dict (`d = {…}`, `d["a"] = …`, `d.update(…)`), and the text before each."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) else None
    if value is None:
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for target in targets:
        if (
            isinstance(target, ast.Subscript)
            and _is_name(target.value, name)
            and isinstance(target.slice, ast.Constant)
        ):
            yield str(target.slice.value), value, f"{_text(target, source)} = "
    call = value if isinstance(value, ast.Call) else None
    changes = call is not None and isinstance(call.func, ast.Attribute) and _is_name(call.func.value, name)
    if changes or any(_is_name(target, name) for target in targets):
        for part in [value, *(call.args if call else [])]:
            yield from _entries(part, source)
        for keyword in call.keywords if call else ():
            yield keyword.arg or "", keyword.value, f"{keyword.arg}="


def _entries(part: ast.expr, source: str) -> Iterator[tuple[str, ast.expr, str]]:
    for key, item in zip(part.keys, part.values, strict=True) if isinstance(part, ast.Dict) else ():
        if isinstance(key, ast.Constant):
            yield str(key.value), item, f"{_text(key, source)}: "


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _text(node: ast.AST, source: str) -> str:
    return ast.get_source_segment(source, node) or ""


def _as_word(value: object) -> str:
    plain = isinstance(value, str) and value.isprintable() and '"' not in value and "\\" not in value
    return f'"{value}"' if plain else ascii(value)
