"""Trivial answers, which may not earn a point: functions that return the same thing whatever they are asked.

They run in the box like any submission. Those in the form that the reference returns are in derived.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from redink.grader.assignment.master import Master
from redink.records import Cell
from redink.source import Kind, definitions

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
