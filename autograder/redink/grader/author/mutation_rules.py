"""The rules by which the reference is made wrong: each takes one node of its syntax tree and yields what may stand there.

A replacement is a list, because a branch may be replaced by its statements. Nothing is changed in place. A rule imitates a
kind of mistake that students make; whether an edit changes anything that matters is for the checks to say.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Replacements = Iterator[Sequence[ast.AST]]
Rule = Callable[[ast.AST], Replacements]

_OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
_PAIRS = (("sum", "mean"), ("max", "min"), ("argmax", "argmin"), ("maximum", "minimum"), ("amax", "amin"),
          ("any", "all"), ("std", "var"), ("prod", "sum"))  # fmt: skip
_INSTEAD = dict(_PAIRS) | {second: first for first, second in _PAIRS if first != "prod"}
_ELEMENTWISE = {"maximum", "minimum"}  # of two arguments: neither is what the other would be without the call
_SYMMETRIC = {"maximum", "minimum", "max", "min", "logaddexp", "swapaxes", "transpose", "allclose"}  # of two arguments
_AXIS, _KEEP = ("axis", "dim"), ("keepdims", "keepdim")
_MODULES = {"np", "torch", "F", "copy", "math"}
_SMALL = 1e-3  # a positive constant below this guards against 0


def _with(node: ast.AST, **fields: object) -> ast.AST:
    """Copy a node with some of its fields changed."""
    made = copy.copy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def _called(node: ast.AST) -> str:
    """Return the last word of what a call calls."""
    func = getattr(node, "func", None)
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _subject(call: ast.Call) -> ast.expr | None:
    """Return what a function or method is about: its first argument, or the object that has the method."""
    if isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") not in _MODULES:
        return call.func.value
    return call.args[0] if call.args else None


def _whole(node: ast.AST | None) -> int | None:
    """Read an integer constant, with its sign."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    return sign * node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _plus(node: ast.expr, by: int) -> ast.expr:
    """Add ±1 to an expression."""
    if (number := _whole(node)) is not None:
        return ast.Constant(number + by)
    return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(1))


def operators(node: ast.AST) -> Replacements:
    """Take another operator, swap the operands of @, drop a sign or a not."""
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            yield [_with(node, left=right, right=left)]
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) | ast.Compare(ops=[op]) if type(op) in _OTHER:
            other = _OTHER[type(op)]()
            yield [_with(node, ops=[other]) if isinstance(node, ast.Compare) else _with(node, op=other)]
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
            yield [operand]


def constants(node: ast.AST) -> Replacements:
    """Take another number: the next, the one before, half of it, none of it."""
    if isinstance(node, ast.Constant):
        yield from ([ast.Constant(value)] for value in _other_values(node.value))


def _other_values(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return {0: [1], 1: [0, 2]}.get(value, [value - 1, value + 1])
    if isinstance(value, float):
        return [1.0] if value == 0 else [0.0, 1000 * value] if value < _SMALL else [value / 2]
    return []


def axes(node: ast.AST) -> Replacements:
    """Take another axis, all of them, or do not keep the dimension."""
    if isinstance(node, ast.keyword) and node.arg in _AXIS:
        if (axis := _whole(node.value)) is not None:
            yield [_with(node, value=ast.Constant({0: 1, 1: 0, -1: 0}.get(axis, axis + (1 if axis < 0 else -1))))]
        elif isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
            yield [_with(node, value=_with(node.value, elts=node.value.elts[:-1]))]
    elif isinstance(node, ast.Call):
        for one in node.keywords:
            if one.arg in (*_AXIS, *_KEEP):
                yield [_with(node, keywords=[other for other in node.keywords if other is not one])]


def reductions(node: ast.AST) -> Replacements:
    """Take another reduction, or none."""
    if not isinstance(node, ast.Call) or (name := _called(node)) not in _INSTEAD:
        return
    other = _INSTEAD[name]
    if isinstance(node.func, ast.Attribute):
        yield [_with(node, func=_with(node.func, attr=other))]
    elif name not in ("sum", "prod"):  # Python has no mean
        yield [_with(node, func=ast.Name(other))]
    if name not in _ELEMENTWISE and (subject := _subject(node)) is not None:
        yield [subject]


def arguments(node: ast.AST) -> Replacements:
    """Swap two neighbours among the positional arguments of a call."""
    if not isinstance(node, ast.Call) or any(isinstance(one, ast.Starred) for one in node.args):
        return
    if _called(node) in _SYMMETRIC and len(node.args) == 2:
        return
    for at in range(len(node.args) - 1):
        first, second = node.args[at : at + 2]
        yield [_with(node, args=[*node.args[:at], second, first, *node.args[at + 2 :]])]


def copies(node: ast.AST) -> Replacements:
    """Forget a copy, or change an array in place instead of making a new one."""
    match node:
        case ast.Call(func=ast.Attribute(attr="copy" | "clone" | "detach" | "deepcopy")):
            if (subject := _subject(node)) is not None:
                yield [subject]
        case ast.Call(func=ast.Attribute(attr="array") | ast.Name(id="list" | "dict"), args=[one]):
            if not isinstance(one, ast.List | ast.Tuple | ast.ListComp | ast.GeneratorExp):
                yield [one]
        case ast.Assign(
            targets=[ast.Name(id=name) as target], value=ast.BinOp(left=ast.Name(id=first), op=op) as value
        ):
            if name == first and not isinstance(op, ast.MatMult):
                yield [ast.AugAssign(target, op, value.right)]


def stale_state(node: ast.AST) -> Replacements:
    """Keep what the first call computed for all calls to come."""
    if not isinstance(node, ast.Assign | ast.Return) or node.value is None:
        return
    if any(isinstance(part, ast.Call | ast.BinOp) for part in ast.walk(node.value)):
        what = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else "result"
        kept = ast.Attribute(ast.Call(ast.Name("globals"), [], []), "setdefault")
        yield [_with(node, value=ast.Call(kept, [ast.Constant(f"kept {what}"), node.value], []))]


def off_by_one(node: ast.AST) -> Replacements:
    """Begin or end a range, a slice or a count one too early or too late."""
    if isinstance(node, ast.Call) and _called(node) == "range":
        stop = 0 if len(node.args) == 1 else 1
        steps = [(stop, -1), (stop, 1), *([(0, 1)] if stop else [])]
        for at, by in steps if stop < len(node.args) else []:
            yield [_with(node, args=[*node.args[:at], _plus(node.args[at], by), *node.args[at + 1 :]])]
    elif isinstance(node, ast.Call) and _called(node) == "len":
        yield [_plus(node, -1)]
    elif isinstance(node, ast.Slice):
        if node.lower is not None:
            yield [_with(node, lower=_plus(node.lower, 1))]
            yield [_with(node, lower=None)]
        if node.upper is not None:
            yield [_with(node, upper=None if _whole(node.upper) == -1 else _plus(node.upper, 1))]
            yield [_with(node, upper=_plus(node.upper, -1))]


def defaults(node: ast.AST) -> Replacements:
    """Take another default for a parameter."""
    if isinstance(node, ast.arguments):
        for field in ("defaults", "kw_defaults"):
            values = getattr(node, field)
            for at, one in enumerate(values):
                for other in _other_defaults(one.value) if isinstance(one, ast.Constant) else []:
                    yield [_with(node, **{field: [*values[:at], ast.Constant(other), *values[at + 1 :]]})]


def _other_defaults(value: Any) -> list[Any]:
    """Return values far from a default: 301 steps for 300 would be as good."""
    return [2 * value] if type(value) is int and value else _other_values(value)


def dropped_statements(node: ast.AST) -> Replacements:
    """Forget a statement without which the rest still runs."""
    match node:
        case ast.AugAssign() | ast.Break() | ast.Continue() | ast.Raise() | ast.Expr(value=ast.Call()):
            yield [ast.Pass()]
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield [ast.Pass()]
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(value)):
                yield [ast.Pass()]


def dropped_branches(node: ast.AST) -> Replacements:
    """Forget a guard, or what it guards."""
    match node:
        case ast.If(body=body, orelse=orelse):
            yield body
            yield orelse or [ast.Pass()]
        case ast.IfExp(body=first, orelse=second):
            yield [first]
            yield [second]
        case ast.With(body=body):
            yield body
        case ast.comprehension(ifs=[_, *_]):
            yield [_with(node, ifs=[])]


RULES: dict[str, Rule] = {  # where two make the same edit, it is the first one's
    "axis": axes,
    "reduction": reductions,
    "arguments": arguments,
    "copy": copies,
    "stale": stale_state,
    "off-by-one": off_by_one,
    "default": defaults,
    "statement": dropped_statements,
    "branch": dropped_branches,
    "operator": operators,
    "constant": constants,
}
