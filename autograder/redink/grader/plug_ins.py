"""What other packages add to Redink: entry points of a group, each an object or a class of one, loaded once."""

from __future__ import annotations

import functools
from importlib.metadata import entry_points
from typing import Any

from redink.errors import CourseError, in_one_sentence


@functools.cache
def plug_ins(group: str, what: str) -> dict[str, Any]:
    """Load what other packages offer in a group, by name; `what` they are is said where one fails. It takes a while."""
    found: dict[str, Any] = {}
    for point in entry_points(group=group):
        try:
            made = point.load()
            found[point.name] = made() if isinstance(made, type) else made
        except Exception as error:  # it is a stranger's code
            raise CourseError(f"the {what} {point.name} of another package fails: {in_one_sentence(error)}") from error
    return found
