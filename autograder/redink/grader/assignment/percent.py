"""Reading a text notebook in the percent format: `# %%` opens a code cell, `# %% [markdown]` one of prose.

The format is jupytext's, and a master opens in Jupyter through it. Reading it here takes a page of code; importing
jupytext took longer than re-judging a class (docs/adr/0007).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from redink.errors import AuthorError

_HEAD = re.compile(r"# %%(?P<rest>.*)")
_TAGS = re.compile(r"tags=\[(?P<tags>[^\]]*)\]")


class PercentCell(NamedTuple):
    """One cell of a text notebook."""

    markdown: bool
    source: str
    tags: tuple[str, ...]


def read_percent(text: str, where: str) -> list[PercentCell]:
    """Split a text notebook into its cells; a header of YAML between `# ---` lines is skipped."""
    cells: list[PercentCell] = []
    head: str | None = None
    lines: list[str] = []
    for line in _without_header(text.splitlines()):
        found = _HEAD.fullmatch(line)
        if found is None:
            lines.append(line)
            continue
        cells += _cell(head, lines, where)
        head, lines = found["rest"].strip(), []
    return cells + _cell(head, lines, where)


def _cell(head: str | None, lines: list[str], where: str) -> list[PercentCell]:
    text = "\n".join(lines).strip("\n")
    if head is None:
        if text.strip():
            raise AuthorError(f"{where}: the text before the first `# %%` belongs to no cell: {text.strip()[:50]}")
        return []
    found = _TAGS.search(head)
    tags = tuple(tag.strip().strip("\"'") for tag in found["tags"].split(",") if tag.strip()) if found else ()
    if not head.startswith("[markdown]"):
        if head.startswith("["):
            raise AuthorError(f"{where}: `# %% {head[:50]}` is no kind of cell here; write `# %%` or `# %% [markdown]`")
        return [PercentCell(markdown=False, source=text, tags=tags)]
    prose = [_uncommented(line, where) for line in text.split("\n")]
    return [PercentCell(markdown=True, source="\n".join(prose), tags=tags)]


def _uncommented(line: str, where: str) -> str:
    if line.startswith("# "):
        return line[2:]
    if line.strip() in ("#", ""):
        return ""
    raise AuthorError(f"{where}: a line of prose must begin with `# `: {line[:50]}")


def _without_header(lines: list[str]) -> list[str]:
    if lines and lines[0].strip() == "# ---":
        end = next((place for place, line in enumerate(lines[1:], start=1) if line.strip() == "# ---"), 0)
        return lines[end + 1 :]
    return lines
