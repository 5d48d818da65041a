"""Partial credit: a test cell that counts points, `if …: score += 2`, as one test for each of its counts."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from redink.grader.importing.draft import DraftTest


def by_counts(test: DraftTest, hidden_lines: Collection[int]) -> list[DraftTest]:
    """Split a test that counts points into one for each count; any other stays whole."""
    try:
        body = ast.parse(test.whole).body
    except (SyntaxError, ValueError, RecursionError):
        return [test]
    last = body[-1].value if body and isinstance(body[-1], ast.Expr) else None
    if isinstance(last, ast.Constant) and not isinstance(last.value, str):
        return [_not(test, "it ends in a number, which nbgrader takes for its score")]
    if not isinstance(last, ast.Name):
        return [test] if last is None or _shows_nothing(last) else [_not(test, _ENDS)]
    made: list[DraftTest] = []
    setup: list[ast.stmt] = []
    for node in body[:-1]:
        counted = _counted(node, last.id)
        if counted is None and last.id in {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}:
            if not _starts_at_zero(node):
                return [_not(test, _ENDS)]
        elif counted is None:
            setup.append(node)
        else:
            made.append(_one(test, len(made) + 1, [*setup, *counted[1]], counted[0], node.lineno in hidden_lines))
    if not made or abs(sum(one.points for one in made) - test.points) > 1e-9:
        return [_not(test, "the points that it counts are not the points of its cell")]
    return made


_ENDS = "it ends in a value, which nbgrader takes for its score, and how that is counted is not taken apart"


def _shows_nothing(last: ast.expr) -> bool:
    """Tell whether a last line has no value that nbgrader could take for a score."""
    if isinstance(last, ast.Constant):
        return True
    name = ast.unparse(last.func).rpartition(".")[2] if isinstance(last, ast.Call) else ""
    return name == "print" or name.startswith("assert")


def _counted(node: ast.stmt, score: str) -> tuple[float, list[ast.stmt]] | None:
    """Return the points of one count, and the assertions that they hang on."""
    if isinstance(node, ast.If) and not node.orelse and len(node.body) == 1:
        points = _added(node.body[0], score)
        return None if points is None else (points, [ast.Assert(node.test)])
    if isinstance(node, ast.Try) and len(node.handlers) == 1 and not (node.orelse or node.finalbody):
        points = _added(node.body[-1], score)
        quiet = all(isinstance(one, ast.Pass) for one in node.handlers[0].body)
        return None if points is None or not quiet else (points, node.body[:-1])
    return None


def _added(node: ast.stmt, score: str) -> float | None:
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add) or ast.unparse(node.target) != score:
        return None
    value = node.value.value if isinstance(node.value, ast.Constant) else None
    return float(value) if isinstance(value, int | float) else None


def _starts_at_zero(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value in (0, 0.0)


def _one(test: DraftTest, number: int, body: Sequence[ast.stmt], points: float, hidden: bool) -> DraftTest:
    source = "\n".join(ast.unparse(ast.fix_missing_locations(node)) for node in body)
    return DraftTest(
        name=f"{test.name}_{number}", points=points, where=test.where, whole=source, shown="" if hidden else source
    )


def _not(test: DraftTest, why: str) -> DraftTest:
    return DraftTest(
        name=test.name, points=test.points, where=test.where, whole=test.whole, shown=test.shown, why_not=why
    )
