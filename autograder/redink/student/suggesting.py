"""What a student reads after a typo in a name: the nearest known name, and all of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from redink.errors import CourseError


def unknown_name(what: str, name: object, known: Iterable[str]) -> CourseError:
    """Return the error for a name that does not exist, with a suggestion; case does not matter."""
    names = {one.lower(): one for one in known}
    listed = ", ".join(names.values())
    near = difflib.get_close_matches(str(name).lower(), names, n=1)
    if near:
        return CourseError(f"there is no {what} {name!r} here; did you mean {names[near[0]]}? The {what}s are {listed}")
    return CourseError(f"there is no {what} {name!r} here; the {what}s are {listed}")
