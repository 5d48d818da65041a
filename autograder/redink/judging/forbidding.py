"""Names that a question forbids inside the functions it asks for: found by reading the source, and by what was called.

`forbids = ["numpy.linalg.lstsq"]` says: write it yourself. A module forbids everything in it, a leading dot any attribute
of that name (`.backward`) that the notebook does not define itself.

The first look reads the source. Aliases are followed (`import numpy as np`, `from … import …`, `solve = np.linalg.lstsq`)
until the name is bound to something else; a local variable of the same name is just a variable, and the student's own
helpers are not searched. The second look weighs the calls that the box has noted (box/shell/forbidden_calls.py), through
helpers, containers and computed names too. A call belongs to the nearest function around it that any question asks for:
one question may use what another one's function has to do without. Both are a rule of the exercise, not a wall: the box
is the wall, and what it notes can only cost points.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from redink.records import ForbiddenCall
from redink.source import LONGEST, is_too_long, parse

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_RUNNING = (ast.stmt, ast.excepthandler, ast.match_case)
_LOCAL = "(a variable)"
_NAME = 300  # characters; of a longer name the beginning is known already
_REASON = "which this question asks you to do without: the point is to write it yourself"


class Source:
    """The source of one cell, parsed once, when the first question looks at it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @functools.cached_property
    def tree(self) -> ast.Module:
        """Parse the cell; what only IPython understands is read as `pass`."""
        return parse(self.text)

    @functools.cached_property
    def own(self) -> frozenset[str]:
        """List the functions, classes and methods that the cell defines."""
        return frozenset(node.name for node in ast.walk(self.tree) if isinstance(node, _SCOPES))


def breaches(cells: Sequence[Source], asks: Sequence[str], forbids: Sequence[str]) -> dict[str, str]:
    """Say for each asked function what it uses that the question forbids; cells come in the order they ran."""
    if not forbids:
        return {}
    if is_too_long([cell.text for cell in cells]):  # only cells that import something or define what is asked count
        relevant = re.compile(rf"\bimport\b|\b(?:{'|'.join(map(re.escape, asks))})\b")
        cells = [cell for cell in cells if relevant.search(cell.text)]
    if is_too_long([cell.text for cell in cells]):
        return dict.fromkeys(asks, f"the cells that define it are longer than {LONGEST:,} characters: too long to read")
    outer = [statement for cell in cells for statement in _statements(cell.tree)]
    if any(name.startswith(".") for name in forbids):
        own = {f".{name}" for cell in cells for name in cell.own}
        forbids = [name for name in forbids if name not in own]
    aliases = _outer_aliases(outer, forbids)
    bodies = dict(one for statement in outer for one in _definitions(statement) if one[0] in asks)  # the last counts
    used = {name: _first_forbidden(body, aliases, forbids) for name, body in bodies.items()}
    return {name: f"{name} uses {what}, {_REASON}" for name, what in used.items() if what}


def breaches_seen(
    published: Iterable[ForbiddenCall],
    secret: Iterable[ForbiddenCall],
    asks: Sequence[str],
    forbids: Sequence[str],
    asked: Collection[str],
) -> dict[str, str]:
    """Say for each asked function what it was seen to call that the question forbids; `asked` is of all questions.

    What was called on secret inputs is not told by its name: which of several names is called could tell a student more
    about those inputs than that a check has failed.
    """

    def weighed(calls: Iterable[ForbiddenCall]) -> Iterator[tuple[str, str]]:
        for call in calls:
            nearest = next((name for name in call.within if name in asked), "")
            if nearest in asks and call.name in forbids:
                yield nearest, call.name

    any_of_them = " or ".join(forbids)
    found = {name: any_of_them for name, _ in weighed(secret)} | dict(weighed(published))
    return {name: f"{name} uses {what} when it runs, {_REASON}" for name, what in found.items()}


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """List what runs in the cell itself, also within `if`, `for`, `with` and `try`, but not in a function or a class."""
    waiting = [node]  # a chain of elif is nested as deep as it is long
    while waiting:
        one = waiting.pop()
        if one is not node:
            yield one
        if not isinstance(one, _SCOPES):
            inside = [child for child in ast.iter_child_nodes(one) if isinstance(child, _RUNNING)]
            waiting += reversed(inside)


def _definitions(statement: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(statement, _SCOPES):
        yield statement.name, statement
    elif isinstance(statement, ast.Assign):
        yield from ((target.id, statement.value) for target in statement.targets if isinstance(target, ast.Name))


def _outer_aliases(outer: Iterable[ast.AST], forbids: Sequence[str]) -> dict[str, str]:
    """Find what names stand for in the end, statement by statement: a name may be bound again."""
    aliases: dict[str, str] = {}
    for statement in outer:
        own = [name for name, value in _definitions(statement) if "." not in _dotted(value, aliases)]
        aliases = _aliases([statement], forbids, aliases)
        aliases |= dict.fromkeys(own, _LOCAL)
    return aliases


def _aliases(nodes: Iterable[ast.AST], forbids: Sequence[str], aliases: dict[str, str]) -> dict[str, str]:
    """Add to `aliases` what further names stand for, as far as imports and plain assignments show."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for one in node.names:
                aliases[one.asname or one.name.partition(".")[0]] = (
                    one.name if one.asname else one.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                if one.name == "*":
                    inside = [name for name in forbids if name.rpartition(".")[0] == node.module]
                    aliases |= {name.rpartition(".")[2]: name for name in inside}
                else:
                    aliases[one.asname or one.name] = f"{node.module}.{one.name}"
        elif isinstance(node, ast.Assign) and "." in (meant := _dotted(node.value, aliases)) and len(meant) < _NAME:
            aliases |= {target.id: meant for target in node.targets if isinstance(target, ast.Name)}
    return aliases


def _first_forbidden(body: ast.AST, aliases: dict[str, str], forbids: Sequence[str]) -> str:
    """Find the first forbidden name in a function; in a class, method by method, since each has names of its own."""
    waiting = [body]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.ClassDef):
            waiting += reversed(one.body)
        elif found := _forbidden_in(one, aliases, forbids):
            return found
    return ""


def _forbidden_in(body: ast.AST, aliases: dict[str, str], forbids: Sequence[str]) -> str:
    aliases = _aliases(ast.walk(body), forbids, {**aliases, **dict.fromkeys(_bound(body), _LOCAL)})
    for node in ast.walk(body):
        dotted = _dotted(node, aliases)
        for name in forbids:
            if name.startswith(".") and isinstance(node, ast.Attribute) and node.attr == name[1:]:
                return name
            if _belongs(dotted, name):
                return dotted
        if isinstance(node, ast.ImportFrom):
            for one in node.names:
                if any(_belongs(f"{node.module}.{one.name}", name) for name in forbids):
                    return f"{node.module}.{one.name}"
    return ""


def _belongs(dotted: str, name: str) -> bool:
    return dotted == name or dotted.startswith(f"{name}.")


def _bound(body: ast.AST) -> set[str]:
    """List the names that a function binds itself: parameters, variables, and those of its loops and comprehensions."""
    found = set()
    for node in ast.walk(body):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


def _dotted(node: ast.AST, aliases: dict[str, str]) -> str:
    """Write `np.linalg.lstsq` with its full name; anything but a chain of names is empty."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call) and (named := _getattr_name(node)):
            parts.append(named)
            node = node.args[0]
        elif isinstance(node, ast.Name):
            return ".".join([aliases.get(node.id, node.id), *reversed(parts)])
        else:
            return ""


def _getattr_name(call: ast.Call) -> str:
    """Return the attribute that `getattr(thing, "name")` reads."""
    if isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) > 1:
        name = call.args[1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return name.value
    return ""
