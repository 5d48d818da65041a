"""What student code gets for `redink`: a module in which everything does nothing.

A notebook's `from redink import check` and `check("train")` have a meaning at home only. The modules of the box itself
leave `sys.modules`, and importing any other part of redink fails inside. This keeps things tidy and is no wall: an installed
redink is beside what students need, and holds no secret. In a mount namespace its files are gone too (walls/visible.py).
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from redink.box.walls.visible import OURS


class _Nothing:
    """Calls, attributes and items of it are itself; it shows as nothing."""

    def __call__(self, *args: object, **kwargs: object) -> _Nothing:
        return self

    def __getattr__(self, name: str) -> _Nothing:
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key: object) -> _Nothing:
        return self

    def __enter__(self) -> _Nothing:
        return self

    def __exit__(self, *details: object) -> None:
        return None

    def __repr__(self) -> str:
        return ""


class _Stub(ModuleType):
    """A module that has every public name."""

    def __getattr__(self, name: str) -> _Nothing:
        if name.startswith("_"):
            raise AttributeError(name)
        return _NOTHING


_NOTHING = _Nothing()


class _Closed:
    """Finds no module of ours, and lets nobody after it look for one."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Refuse our names, and know no other."""
        if name.partition(".")[0] in OURS:
            raise ModuleNotFoundError(f"No module named {name!r} in the box", name=name)


def hide_ourselves() -> None:
    """Put the stub in place of redink; functions already imported keep working."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Closed)
    root = Path(__file__).resolve().parents[3]
    if root.name not in ("site-packages", "dist-packages"):  # an installed redink is beside what students need
        sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != root]
    sys.modules["redink"] = _Stub("redink", "Inside the box, redink does nothing.")
