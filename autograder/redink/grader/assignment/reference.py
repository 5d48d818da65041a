"""The reference's own functions, for a `given` that needs them: the cache of a forward pass, the labels of a teacher.

Public checks ship, so they may not contain a solution in another form. A `given` runs only in the grader and may ask for
`reference` there. The master's cells run here once, when a name is first needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from redink.errors import AuthorError
from redink.grader.assignment.master import Master
from redink.records import Cell


class Reference:
    """The names that the solved master defines, as attributes."""

    def __init__(self, master: Master) -> None:
        self._master = master
        self._names: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if not self._names:
            self._names = defined(self._master, self._master.solved())
        if name not in self._names:
            raise AuthorError(f"reference.{name}: the master does not define {name}")
        return self._names[name]


def defined(master: Master, cells: Iterable[Cell]) -> dict[str, Any]:
    """Run those cells of a notebook that define something, neither explorations nor checks, and return the names."""
    names: dict[str, Any] = {"__name__": "reference"}
    skip = master.explorations()
    for cell in cells:
        source = cell.source.strip()
        if source not in skip and not source.startswith("check("):
            exec(compile(source, f"{master.path}, cell {cell.index}", "exec"), names)  # noqa: S102 - the author's own
    return names
