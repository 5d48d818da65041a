"""The key of an assignment's concept questions, and where it can be read in files that students have."""

from __future__ import annotations

import ast
import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from redink import wire
from redink.errors import WireError
from redink.grader.assignment.assignment import Assignment


def concept_key(assignment: Assignment) -> dict[str, Any]:
    """Read the right answer of each item from the master, where one statement gives them all."""
    items = {check.id for check in assignment.checks if check.kind == "item"}
    calls = [node for cell in assignment.solved for node in ast.walk(ast.parse(cell.source)) if _updates(node)]
    key = {one.arg: eval(ast.unparse(one.value)) for call in calls for one in call.keywords}
    assert items <= key.keys(), "an item has no answer that this test can read"
    return {item: key[item] for item in items}


def _updates(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update"


def told(files: Mapping[str, bytes], key: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Find right answers in values of JSON files, however deep, also in those that cross the wire: file and item."""
    found = set()
    for name, content in files.items():
        if name.endswith((".json", ".ipynb")):
            for one in _dicts(json.loads(content)):
                found |= {(name, item) for item, right in key.items() if _is_right(one.get(item), right)}
    return found


def _is_right(value: Any, right: Any) -> bool:
    return isinstance(value, str | int | float) and value == right


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _dicts(item)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _dicts(item)
    elif isinstance(value, str):
        try:
            yield from _dicts(wire.decode(base64.b64decode(value, validate=True)))
        except (ValueError, WireError):
            return
