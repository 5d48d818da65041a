"""The reference's own functions, for a `given` that needs them: the cache of a forward pass, the labels of a teacher.

Public checks ship, so they may not contain a solution in another form. A `given` runs only in the grader and may ask for
`reference` there. The master's cells run here once, when a name is first needed.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from redink.errors import AuthorError
from redink.grader.assignment.master import Master
from redink.records import Cell


class Reference:
    """The names that the solved master defines, as attributes."""

    def __init__(self, master: Master, folder: Path | None = None) -> None:
        """Take the master, and the folder whose files its cells may open and import."""
        self._master = master
        self._folder = folder or Path(master.path).parent
        self._names: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if not self._names:
            with _working_in(self._folder):
                self._names = defined(self._master, self._master.solved())
        if name not in self._names:
            raise AuthorError(f"reference.{name}: the master does not define {name}")
        return self._names[name]


@contextlib.contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """Let cells open and import what lies in a folder; what they imported is forgotten, as others have their own."""
    place, before = str(folder.resolve()), set(sys.modules)
    sys.path.insert(0, place)
    try:
        with contextlib.chdir(place):
            yield
    finally:
        sys.path.remove(place)
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(place):
                del sys.modules[name]


def defined(master: Master, cells: Iterable[Cell]) -> dict[str, Any]:
    """Run those cells of a notebook that define something, neither explorations nor checks, and return the names."""
    names: dict[str, Any] = {"__name__": "reference"}
    skip = master.explorations()
    for cell in cells:
        source = cell.source.strip()
        if source not in skip and not source.startswith("check("):
            exec(compile(source, f"{master.path}, cell {cell.index}", "exec"), names)  # noqa: S102 - the author's own
    return names
