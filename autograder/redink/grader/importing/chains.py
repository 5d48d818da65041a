"""The parts of a test that reach into the notebook: chains of calls, attributes and items from one of its names."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, Any, TypeVar

from redink.texts import clean

if TYPE_CHECKING:
    from redink.grader.importing.asserting import Asserted

Node = TypeVar("Node", bound=ast.AST)
_WHOLE = ("kinds_of", "kinds_raised")  # helpers that run beside the student's code
ONES = ("one", "other", "third", "fourth", "fifth", "sixth")  # values of one assertion, in a then
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class NoCheck(Exception):  # noqa: N818 - it is an outcome, not an error
    """A test cannot become a check; the message says why."""


def said(node: ast.AST) -> str:
    """Write a part of a test on one short line."""
    return clean(ast.unparse(node).partition("\n")[0], 70)


def alone(node: ast.Import | ast.ImportFrom, one: ast.alias) -> ast.stmt:
    """Return the import of one name, where a line may import several."""
    if isinstance(node, ast.Import):
        return ast.Import([one])
    return ast.ImportFrom(node.module, [one], node.level)


class Chains:
    """Knows which names are the notebook's, and which hold what came from there."""

    def __init__(self, defined: frozenset[str]) -> None:
        self.defined = set(defined)
        self.tainted: set[str] = set()
        self.uses: set[str] = set()

    def own(self, name: str, *, tainted: bool) -> None:
        """Note that the test itself assigns a name."""
        self.defined.discard(name)
        (self.tainted.add if tainted else self.tainted.discard)(name)

    def depends(self, node: ast.AST) -> bool:
        """Tell whether something depends on the student's code."""
        return any(isinstance(one, ast.Name) and one.id in self.defined | self.tainted for one in ast.walk(node))

    def rewritten(self, node: Node) -> Node:
        """Write the notebook's names as attributes of `student`."""
        bound = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
        bound |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        result: Node = _Rewriting(self, bound).visit(copy.deepcopy(node))
        return result

    def cut(self, asserted: Asserted, place: str) -> tuple[list[ast.expr], list[ast.stmt]]:
        """Cut the values out that an assertion is about; return them, and the statements that judge what was collected."""
        cutting = _Cutting(self)
        judging = cutting.visit(copy.deepcopy(asserted.judging))
        if not cutting.values:
            raise NoCheck(f"`{asserted.said}` asserts nothing about the student's code")
        if len(cutting.values) == 1 and not place.startswith("next"):
            return cutting.values, [_turned(_Placing([place]).visit(judging))]
        names = list(ONES[: len(cutting.values)])
        if len(names) < len(cutting.values):
            raise NoCheck(f"`{asserted.said}` is about more than {len(ONES)} values")
        first = ast.parse(f"{', '.join(names)} = {place}").body  # raises if there are more or fewer
        return cutting.values, [*first, _turned(_Placing(names).visit(judging))]


def _turned(judging: ast.stmt) -> ast.stmt:
    """Let what was seen stand first where two values are compared."""
    call = judging.value if isinstance(judging, ast.Expr) else None
    if isinstance(call, ast.Call) and ast.unparse(call.func) == "close":
        names = [{one.id for one in ast.walk(side) if isinstance(one, ast.Name)} for side in call.args]
        if not names[0] & {"seen", *ONES}:
            call.args.reverse()
    return judging


class _Rewriting(ast.NodeTransformer):
    def __init__(self, chains: Chains, bound: set[str]) -> None:
        self.chains = chains
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.bound or node.id not in self.chains.defined:
            return node
        self.chains.uses.add(node.id)
        return ast.copy_location(ast.Attribute(ast.Name("student", ast.Load()), node.id, ast.Load()), node)


class _Cutting(ast.NodeTransformer):
    """Puts numbered places where values of the student's were."""

    def __init__(self, chains: Chains) -> None:
        self.chains = chains
        self.values: list[ast.expr] = []

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and self.chains.depends(node) and (_is_chain(self.chains, node)):
            self.values.append(node)
            return ast.Name(f"place {len(self.values) - 1}", ast.Load())
        return self.generic_visit(node)


def _is_chain(chains: Chains, node: ast.expr) -> bool:
    if isinstance(node, _SCOPES):
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _WHOLE:
        return True
    root: ast.expr = node
    while isinstance(root, ast.Call | ast.Attribute | ast.Subscript):
        root = root.func if isinstance(root, ast.Call) else root.value
    return isinstance(root, ast.Name) and root.id in chains.defined | chains.tainted


class _Placing(ast.NodeTransformer):
    def __init__(self, places: list[str]) -> None:
        self.places = places

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not node.id.startswith("place "):
            return node
        return ast.parse(self.places[int(node.id.removeprefix("place "))], mode="eval").body
