"""Errors in a student's cells: which cell and line they came from, whatever the exception does when asked."""

from __future__ import annotations

import re
import traceback
from types import TracebackType

from redink.calling import one_line
from redink.texts import LONGEST

_CELL = re.compile(r"<cell (\d+)>")
_blank_lines: dict[int, int] = {}  # how many empty lines each cell starts with: IPython drops them, people count them


def cell_file(index: int) -> str:
    """Return the file name under which a cell is compiled."""
    return f"<cell {index}>"


def blank_lines(source: str) -> int:
    """Count the empty lines at the start of a text."""
    return source[: len(source) - len(source.lstrip())].count("\n")


def note_blank_lines(index: int, source: str) -> None:
    """Remember how many empty lines a cell starts with."""
    _blank_lines[index] = blank_lines(source)


def place(error: BaseException) -> str:
    """Name the innermost line of a cell that an exception came through, such as "cell 7, line 3"."""
    try:
        found = _line_of(str(error.filename), error.lineno or 1) if isinstance(error, SyntaxError) else ""
        found = found or _in_frames(error.__traceback__)
    except Exception:  # noqa: BLE001 - an exception may carry a forged traceback or file name
        return ""
    return found


def syntax_text(error: SyntaxError) -> str:
    """Name a syntax error without Python's own "(<cell 7>, line 3)"."""
    name = type.__dict__["__name__"].__get__(type(error))
    return f"{name}: {error.msg}"[:LONGEST].encode("utf-8", "replace").decode()


def student_traceback(error: BaseException) -> str:
    """Format a traceback, showing only frames in cells."""
    try:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _CELL.fullmatch(frame.filename)]
        shown = "".join(
            f"  {_line_of(at.filename, at.lineno or 1)}, in {at.name}\n    {at.line}\n" for at in frames[-20:]
        )
    except Exception:  # noqa: BLE001 - see place
        shown = ""
    return f"{shown}{one_line(error)}\n"


def _in_frames(at: TracebackType | None) -> str:
    found = ""
    while at is not None:
        found = _line_of(at.tb_frame.f_code.co_filename, at.tb_lineno) or found
        at = at.tb_next
    return found


def _line_of(file: str, line: int) -> str:
    match = _CELL.fullmatch(file)
    if not match:
        return ""
    index = int(match[1])
    return f"cell {index}, line {line + _blank_lines.get(index, 0)}"
