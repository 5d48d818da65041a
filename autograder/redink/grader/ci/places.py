"""The lines of a notebook's file at which its cells stand, so that an annotation points at one.

A file that is read back word for word has lines to point at only if it was written with some; then each line of a cell
is a line of the file. All of it is built while it is read, which takes 25 times its bytes: so a very large one has no lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
MOST_BYTES = 8 << 20


def cell_lines(data: bytes) -> dict[int, int]:
    """Return at which line of the file the source of each cell begins, by the cell's index; nothing if that is unclear."""
    if len(data) > MOST_BYTES:
        return {}
    try:
        text = data.decode("utf-8-sig")
        cells = next(at for key, at in _members(text, _skip(text, 0)) if key == "cells")
        starts = {index: _source(text, at) for index, at in enumerate(_items(text, cells), start=1)}
    except (ValueError, StopIteration, RecursionError):
        return {}
    lines, line, last = {}, 1, 0
    for index, at in starts.items():  # in the order of the file
        line, last = line + text.count("\n", last, at), at
        lines[index] = line
    return lines


def _source(text: str, cell: int) -> int:
    """Return where the source of a cell begins: its first line, where it has a list of them."""
    at = next((at for key, at in _members(text, cell) if key == "source"), cell)
    return _skip(text, at + 1) if text[at] == "[" else at


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """List the keys of an object and where their values begin."""
    if text[at : at + 1] != "{":
        raise ValueError("no object")
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        yield key, at
        at = _after(text, at)


def _items(text: str, at: int) -> Iterator[int]:
    """List where the items of a list begin."""
    if text[at : at + 1] != "[":
        raise ValueError("no list")
    at = _skip(text, at + 1)
    while text[at : at + 1] not in ("]", ""):
        yield at
        at = _after(text, at)


def _after(text: str, at: int) -> int:
    """Return where the next member or item begins, behind the value that begins here."""
    at = _skip(text, _DECODER.raw_decode(text, at)[1])
    return _skip(text, at + 1) if text[at : at + 1] == "," else at
