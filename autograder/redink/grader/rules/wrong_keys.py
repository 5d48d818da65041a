"""What is wrong with course.toml, in words: on which line, which key was meant, and how a date is written."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from redink.suggesting import did_you_mean

_UNKNOWN = re.compile(r"unknown field `(.*?)`(?: - at `\$\.?(.*?)`)?")
_PLACE = re.compile(r"at `\$(?:.*\.)?(\w+)`")
_DATE = re.compile(r"=\s*\d{4}-\d\d-\d\d[T ]\d\d:")


def wrong_key(path: Path, told: str, keys: Collection[str]) -> str:
    """Say what the reader of TOML found, for a person; `keys` are those that may stand there."""
    if unknown := _UNKNOWN.search(told):
        where = " in [defaults]" if unknown[2] == "defaults" else " of an assignment" if unknown[2] else ""
        near = did_you_mean(unknown[1], keys) or f"there are {', '.join(keys)}"
        return f"{path}{_line(path, unknown[1])}: there is no key {unknown[1]!r}{where}; {near}"
    place = _PLACE.search(told)
    if place and place[1] == "due":
        how = "write the date and the time without quotes, as in due = 2026-11-20T23:59:00"
        return f"{path}{_line(path, 'due', but=_DATE)}: {told}; {how}"
    return f"{path}{_line(path, place[1]) if place else ''}: {told}"


def _line(path: Path, key: str, but: re.Pattern[str] | None = None) -> str:
    """Find the line of a key, where one alone has it; lines that are right are passed over."""
    lines = path.read_text("utf-8", "replace").splitlines()
    found = [
        number
        for number, line in enumerate(lines, start=1)
        if re.match(rf"\s*{re.escape(key)}\s*=", line) and not (but and but.search(line))
    ]
    return f", line {found[0]}" if len(found) == 1 else ""
