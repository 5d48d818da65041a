"""The source of a function and of everything it depends on.

Read from source files alone, never from values: the repr of an object may hold its address, which differs in every run.
What an author may import is not followed: stamps name Python and the libraries by version, and our own code by its bytes.
"""

from __future__ import annotations

import functools
import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from redink.source import Statement, statements, without_decorators

_STAMPED = frozenset({"redink", "redink_datasets", "numpy", "torch", *sys.stdlib_module_names})


@functools.cache
def source_of(function: Callable[..., Any]) -> str:
    """Return a function's source, then each function and top-level statement that it uses, once."""
    found: dict[str, None] = {}
    _add(function, found)
    return "\n".join(found)


def _add(function: Any, found: dict[str, None]) -> None:
    """Add an author's function."""
    if isinstance(function, FunctionType) and not _is_stamped(function):
        for statement in statements(_own(function), authors=True):
            _follow(statement, function, found)


def _is_stamped(function: FunctionType) -> bool:
    """Tell whether a function is of an installed package, or of ours: stamps name its version."""
    if function.__module__.partition(".")[0] in _STAMPED:
        return True
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(function.__code__.co_filename).parts)


def _follow(statement: Statement, at: FunctionType, found: dict[str, None]) -> None:
    if statement.source in found:
        return
    found[statement.source] = None
    for name in sorted(statement.uses & at.__globals__.keys()):
        if isinstance(meant := at.__globals__[name], FunctionType):
            _add(meant, found)
        else:
            for other in statements(_file_of(at), authors=True):
                if name in other.names:
                    _follow(other, at, found)


def _own(function: FunctionType) -> str:
    """Return a function without the decorator of a check, which does not change what the function does."""
    own = without_decorators(textwrap.dedent(inspect.getsource(function)))
    return _file_of(function) if own is None else own  # the source of a lambda may be half of the statement around it


def _file_of(function: FunctionType) -> str:
    return Path(function.__code__.co_filename).read_text(encoding="utf-8")
