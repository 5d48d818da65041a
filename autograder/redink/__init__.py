"""Redink: a deep-learning course that marks itself.

In a notebook: `from redink import check`, then `check("question")` in a cell.
"""

from typing import Any

__all__ = ["check"]


def __getattr__(name: str) -> Any:
    """Load the student's side only when it is asked for, so that the command line starts fast."""
    if name != "check":
        raise AttributeError(f"module 'redink' has no attribute {name!r}")
    from redink.student.checker import check

    return check
