"""A script in place of a notebook: cells by `# %%` (or `# In[3]:`, as exports have it), else the whole as one cell."""

from __future__ import annotations

import re

from redink.errors import SubmissionError
from redink.notebook import MAX_CELLS, MAX_SOURCE
from redink.records import Cell

SCRIPT = ".py"
_LARGEST = 4 * MAX_SOURCE  # bytes of so many characters
_HEAD = re.compile(r"# ?%%(?P<rest>.*)|# In ?\[[ \d]*\]:\s*")
_PROSE = re.compile(r"\s*\[(markdown|md|raw)\]")


def read_script(data: bytes) -> tuple[Cell, ...]:
    """Return the cells of a script; `SubmissionError` says why that is not possible."""
    if len(data) > _LARGEST:
        raise _too_much()
    text = _text(data)
    if not text.strip():
        raise SubmissionError("is empty")
    if len(text) > MAX_SOURCE:
        raise _too_much()
    cells = _cells(_without_header(text.split("\n")))
    if len(cells) > MAX_CELLS:
        raise SubmissionError(f"has more than the {MAX_CELLS} cells that are allowed")
    return tuple(cells)


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SubmissionError("is not a script: its text is not UTF-8") from error
    if "\0" in text:
        raise SubmissionError("is not a script: it holds a zero byte")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _cells(lines: list[str]) -> list[Cell]:
    """Split lines at the marks of cells; what stands before the first one is a cell too."""
    cells: list[Cell] = []
    index, prose, held = 1, False, list[str]()
    for line in [*lines, None]:
        head = None if line is None else _HEAD.fullmatch(line)
        if line is not None and head is None:
            held.append(line)
            continue
        source = "\n".join(held).strip("\n")
        if source.strip():
            cells += [] if prose else [Cell(index=index, source=source)]
            index += 1
        prose, held = bool(head and _PROSE.match(head["rest"] or "")), []
    return cells


def _without_header(lines: list[str]) -> list[str]:
    """Leave out a header of YAML between `# ---` lines, as text notebooks have it."""
    if lines[0].strip() != "# ---":
        return lines
    end = next((place for place, line in enumerate(lines[1:], start=1) if line.strip() == "# ---"), 0)
    return lines[end + 1 :] if end else lines


def _too_much() -> SubmissionError:
    return SubmissionError(f"has more than the {MAX_SOURCE} characters of code that are allowed")
