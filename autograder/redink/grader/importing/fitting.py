"""Code that fits a notebook's width: long comments are wrapped, long calls and lists broken behind a comma."""

from __future__ import annotations

import io
import textwrap
import tokenize

from redink.grader.assignment.master import WIDEST
from redink.source import is_python


def fitted(source: str) -> str:
    """Break the lines of a cell that are too long, where that does not change what it does."""
    if all(len(line) <= WIDEST for line in source.splitlines()) or not is_python(source):
        return source
    lines = source.splitlines()
    for number in range(len(lines), 0, -1):
        if len(lines[number - 1]) > WIDEST:
            lines[number - 1 : number] = _broken(lines[number - 1], _commas(source, number))
    made = "\n".join(lines)
    return made if is_python(made) else source


def _broken(line: str, commas: list[int]) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    if line.lstrip().startswith("#"):
        text = line.lstrip().lstrip("#").strip()
        return textwrap.wrap(text, WIDEST, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")
    parts: list[str] = []
    start = 0
    further = f"{indent}    "
    for place, after in zip(commas, [*commas[1:], len(line)], strict=True):
        room = WIDEST - (len(further) if parts else 0)
        if after - start > room and place > start:
            parts.append(line[start:place])
            start = place
    parts.append(line[start:])
    return [parts[0].rstrip(), *(further + part.strip() for part in parts[1:])]


def _commas(source: str, number: int) -> list[int]:
    """Return the places behind the commas of a line that are inside brackets."""
    found, depth = [], 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.OP and token.string in "([{":
            depth += 1
        elif token.type == tokenize.OP and token.string in ")]}":
            depth -= 1
        elif token.string == "," and depth and token.start[0] == number:
            found.append(token.end[1])
    return found
