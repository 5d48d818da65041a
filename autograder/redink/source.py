"""Source taken apart into its top-level statements, with the names that each defines and those that it uses."""

from __future__ import annotations

import ast
import functools
import symtable
from typing import NamedTuple


class Statement(NamedTuple):
    """One top-level statement; its source is written anew, so comments and layout do not count."""

    names: frozenset[str]  # that it defines or changes
    uses: frozenset[str]
    source: str


@functools.lru_cache(4096)  # specimens share all cells but one
def statements(source: str) -> tuple[Statement, ...]:
    """Take a source apart; what is not Python alone, such as a cell with magics, has no statements."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return ()
    parts = [(node, ast.unparse(node)) for node in body]
    return tuple(
        Statement(frozenset(_defined(node)), frozenset(_globals_of(symtable.symtable(text, "source", "exec"))), text)
        for node, text in parts
    )


def _defined(node: ast.stmt) -> set[str]:
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


def _globals_of(table: symtable.SymbolTable) -> set[str]:
    outer = table.get_type() == "module"
    found = {one.get_name() for one in table.get_symbols() if one.is_referenced() and (outer or one.is_global())}
    return found.union(*(_globals_of(child) for child in table.get_children()))
