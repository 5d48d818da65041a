"""What a test asserts, in the words of a `then`: numbers through `close`, kinds of values and errors by their names."""

from __future__ import annotations

import ast
import builtins
from typing import NamedTuple

from redink.grader.importing.chains import NoCheck, said

_ALIKE = {"allclose": 1e-5, "isclose": 1e-5, "array_equal": 1e-8, "array_equiv": 1e-8}  # and their usual tolerance
_ASSERTING = {
    "assert_allclose": 1e-7, "assert_array_equal": 1e-8, "assert_equal": 1e-8, "assert_almost_equal": 1e-7,
    "assert_array_almost_equal": 1e-6, "assert_close": 1e-5,
}  # fmt: skip
_RELATIVE = ("rtol", "rel_tol", "decimal")
_FINEST = 1e-8


class Asserted(NamedTuple):
    """One assertion: how a person would say it, and the statement that judges."""

    said: str
    judging: ast.stmt


def assertion(node: ast.stmt) -> Asserted | None:
    """Read an `assert`, or a call that asserts; None for any other statement."""
    if isinstance(node, ast.Assert):
        message = node.msg.value if isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str) else ""
        return _asserted(node.test, message)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        name = _last(call.func)
        if name in _ASSERTING and len(call.args) >= 2:
            return _close(call.args[0], call.args[1], _tolerance(call, _ASSERTING[name]), said(call.args[0]))
    return None


def raising(node: ast.stmt) -> Asserted | None:
    """Read "this must raise": `with pytest.raises(…)`, or a `try` that complains if nothing was raised."""
    if isinstance(node, ast.With) and len(node.items) == 1 and len(node.body) == 1:
        call = node.items[0].context_expr
        if isinstance(call, ast.Call) and _last(call.func) in ("raises", "assertRaises") and len(call.args) == 1:
            return _raised(node.body[0], call.args[0], bool(call.keywords))
    if isinstance(node, ast.Try) and len(node.handlers) == 1 and not node.finalbody:
        handler = node.handlers[0]
        quiet = all(isinstance(one, ast.Pass) or _is_print(one) for one in handler.body)
        first, *rest = node.body
        if quiet and handler.type is not None and [*map(_complains, [*rest, *node.orelse])] == [True]:
            return _raised(first, handler.type, False)
    return None


def _asserted(test: ast.expr, message: str) -> Asserted:
    test = _without_all(test)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if isinstance(test.ops[0], ast.Eq | ast.Is) and (value := _type_of(left)) is not None:
            own = ast.Subscript(_kinds(value), ast.Constant(0), ast.Load())
            name = _kind_names(right)[0]
            told = f"type({said(value)}) must be {name}"
            return _holds(ast.Compare(own, [ast.Eq()], [ast.Constant(name)]), message or told)
        if isinstance(test.ops[0], ast.Eq):
            return _close(left, right, _FINEST, message or said(right if isinstance(left, ast.Constant) else left))
    if isinstance(test, ast.Call):
        name = _last(test.func)
        if name == "isinstance" and len(test.args) == 2:
            names = _kind_names(test.args[1])
            wanted = ast.Set([ast.Constant(one) for one in names])
            kinds = ast.Call(ast.Name("set", ast.Load()), [_kinds(test.args[0])], [])
            told = f"{said(test.args[0])} must be of the type {' or '.join(names)}"
            return _holds(ast.BinOp(wanted, ast.BitAnd(), kinds), message or told)
        if name in _ALIKE and len(test.args) >= 2 and not any(one.arg in ("atol", "abs_tol") for one in test.keywords):
            usual = 1e-9 if ast.unparse(test.func) == "math.isclose" else _ALIKE[name]
            return _close(test.args[0], test.args[1], _tolerance(test, usual), message or said(test.args[0]))
    return _holds(test, message or f"`{said(test)}` must hold")


def _without_all(test: ast.expr) -> ast.expr:
    """Return the equation that `(a == b).all()` or `np.all(a == b)` is about; any other test as it is."""
    if not isinstance(test, ast.Call) or _last(test.func) != "all":
        return test
    inner = test.args[0] if len(test.args) == 1 else test.func.value if isinstance(test.func, ast.Attribute) else test
    equation = isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.Eq) and len(inner.ops) == 1
    return inner if equation else test


def _holds(test: ast.expr, message: str) -> Asserted:
    return Asserted(said(test), ast.Assert(test, ast.Constant(message)))


def _close(seen: ast.expr, wanted: ast.expr, tol: float, what: str) -> Asserted:
    options = [ast.keyword("what", ast.Constant(what))]
    if tol != _FINEST:
        options.insert(0, ast.keyword("tol", ast.Constant(tol)))
    return Asserted(said(seen), ast.Expr(ast.Call(ast.Name("close", ast.Load()), [seen, wanted], options)))


def _raised(statement: ast.stmt, errors: ast.expr, matching: bool) -> Asserted:
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    if value is None or matching:
        raise NoCheck(f"line {statement.lineno} must raise, in a way that is not taken apart (`{said(statement)}`)")
    names = _kind_names(errors)
    call = ast.Call(ast.Name("kinds_raised", ast.Load()), [ast.Lambda(_NO_ARGUMENTS, value)], [])
    kinds = ast.Call(ast.Name("set", ast.Load()), [call], [])
    wanted = ast.Set([ast.Constant(name) for name in names])
    return _holds(ast.BinOp(wanted, ast.BitAnd(), kinds), f"{said(value)} must raise {' or '.join(names)}")


_NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _kinds(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("kinds_of", ast.Load()), [value], [])


def _type_of(node: ast.expr) -> ast.expr | None:
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"
    return node.args[0] if isinstance(node, ast.Call) and plain and len(node.args) == 1 else None


def _kind_names(node: ast.expr) -> list[str]:
    """Name the classes that a test asks for; a class is recognised by its name, so only well-known ones will do."""
    found = []
    for one in node.elts if isinstance(node, ast.Tuple | ast.List) else [node]:
        owner = ast.unparse(one).partition(".")[0]
        name = _last(one)
        if not isinstance(one, ast.Name | ast.Attribute) or not (
            isinstance(getattr(builtins, name, None), type) or owner in ("np", "numpy", "torch", "pd", "pandas")
        ):
            raise NoCheck(f"it asks for the type {said(one)}, which is not recognised by its name")
        found.append(name)
    return found


def _tolerance(call: ast.Call, usual: float) -> float:
    """Return the relative tolerance of a comparison; decimals count as such."""
    given = {one.arg: one.value for one in call.keywords}
    for name in _RELATIVE:
        if isinstance(value := given.get(name), ast.Constant) and isinstance(value.value, int | float):
            usual = 10.0 ** -int(value.value) if name == "decimal" else float(value.value)
    return min(max(usual, _FINEST), 0.5)


def _complains(node: ast.stmt) -> bool:
    """Tell whether a statement fails the test wherever it is reached."""
    if isinstance(node, ast.Assert):
        return isinstance(node.test, ast.Constant) and not node.test.value
    return isinstance(node, ast.Raise) and node.exc is not None and "AssertionError" in ast.unparse(node.exc)


def _is_print(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _last(node.value.func) == "print"


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
