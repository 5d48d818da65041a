"""What a function says, as text: its own source and that of everything it rests on.

Read from the source alone, never from values: an object may print its address, and then no two runs would agree.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from redink.source import Statement, statements, without_decorators


@functools.cache
def source_of(function: Callable[..., Any]) -> str:
    """Give a function's source, then each function and top-level statement that its names lead to, once."""
    found: dict[str, None] = {}
    _add(function, found)
    return "\n".join(found)


def _add(function: Any, found: dict[str, None]) -> None:
    """Add a function of an author's; our own are keyed as a whole elsewhere."""
    if isinstance(function, FunctionType) and function.__module__.partition(".")[0] != "redink":
        for statement in statements(_own(function)):
            _follow(statement, function, found)


def _follow(statement: Statement, at: FunctionType, found: dict[str, None]) -> None:
    if statement.source in found:
        return
    found[statement.source] = None
    for name in sorted(statement.uses & at.__globals__.keys()):
        if isinstance(meant := at.__globals__[name], FunctionType):
            _add(meant, found)
        else:
            for other in statements(_file_of(at)):
                if name in other.names:
                    _follow(other, at, found)


def _own(function: FunctionType) -> str:
    """Give a function without the decorator of a check, which names the check and not what the function does."""
    own = without_decorators(textwrap.dedent(inspect.getsource(function)))
    return _file_of(function) if own is None else own  # a lambda may be torn out of the statement it stands in


def _file_of(function: FunctionType) -> str:
    return Path(function.__code__.co_filename).read_text(encoding="utf-8")
