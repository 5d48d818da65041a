"""Trivial answers; none may earn a point.

Two families: functions that return the same thing whatever they are asked (run in the box like any submission), and
constants in exactly the form that the reference returns (made here, from the expected values).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redink.grader.assignment.master import Master
from redink.records import Cell, Observation
from redink.source import Kind, definitions
from redink.wire import decode, encode

ANSWERS = {
    "none": "None",
    "zero": "0",
    "one": "1",
    "true": "True",
    "text": "'the answer'",
    "zeros": "__import__('numpy').zeros_like(args[0]) if args else 0.0",
    "echo": "args[0] if args else None",
}


def trivial_cells(master: Master, asks: Sequence[str], answer: str) -> tuple[Cell, ...]:
    """Return the solved cells with every asked name replaced by a trivial answer."""
    solved = master.solved()
    kinds = {one.name: one.kind for cell in solved for one in definitions(cell.source)}
    lines = [_definition(name, kinds.get(name, "value"), answer) for name in asks]
    return (*solved, Cell(index=len(master.cells) + 1, source="\n".join(lines)))


def constant_observations(expected: Sequence[Observation], number: float) -> list[Observation]:
    """Return answers of the right form in which every number is the same."""
    return [Observation(status="returned", value=encode(filled(decode(one.value), number))) for one in expected]


def filled(value: Any, number: float) -> Any:
    """Return a value of the same form in which every number is `number`."""
    if isinstance(value, np.ndarray):
        return np.full_like(value, number)
    if isinstance(value, bool):
        return bool(number)
    if isinstance(value, int | float):
        return type(value)(number)
    if isinstance(value, list):
        return [filled(item, number) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, number) for key, item in value.items()}
    return "" if isinstance(value, str) else value


def _definition(name: str, kind: Kind, answer: str) -> str:
    function = f"def {name}(*args, **kwargs):\n    return {answer}"
    if kind == "function":
        return function
    if kind == "class":
        body = (
            f"    def __init__(self, *args, **kwargs): pass\n    def __call__(self, *args, **kwargs): return {answer}"
        )
        return f"class {name}:\n{body}\n    def __getattr__(self, attribute): return self"
    return f"args = ()\n{name} = {{key: ({answer}) for key in {name}}} if isinstance({name}, dict) else ({answer})"
