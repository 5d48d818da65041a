"""What a person reads after a typo in a name: the nearest known name, and all of them where they are few."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from redink.errors import CourseError

_MOST = 15  # names that are listed even where one of them is near


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "did you mean …?", with the nearest known name, whatever its case; nothing if none is near."""
    names = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower().strip("/"), names, n=1)
    return f"did you mean {names[near[0]]}?" if near else ""


def unknown_name(what: str, name: object, known: Iterable[str], where: str = "here") -> CourseError:
    """Return the error for a name that does not exist, with a suggestion."""
    names = list(known)
    beginning = f"there is no {what} {name!r} {where}"
    if not names:
        return CourseError(f"{beginning}; there are none yet")
    near, listed = did_you_mean(str(name), names), ", ".join(names)
    if near and len(names) > _MOST:
        return CourseError(f"{beginning}; {near}")
    return CourseError(f"{beginning}; {f'{near} The' if near else 'the'} {what}s are {listed}")
