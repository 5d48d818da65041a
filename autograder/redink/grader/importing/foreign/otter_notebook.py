"""What notebooks of otter-grader have in common: questions with their tests, and cells that belong to otter alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from redink.grader.importing.draft import Draft, DraftCell, DraftQuestion, DraftTest, ToDo
from redink.source import parse

_OTTERS = frozenset({"otter", "grader"})


def is_otters(source: str) -> bool:
    """Tell whether a code cell does nothing but start otter, call its checks or export."""
    body = parse(source).body
    return bool(body) and all(_OTTERS & _names(node) for node in body)


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Import):
        return {one.name.partition(".")[0] for one in node.names}
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").partition(".")[0]}
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def plain_id(name: str) -> str:
    """Write a question's name as an id."""
    id = re.sub(r"\W", "_", name)
    return f"q_{id}" if id[:1].isdigit() else id


def drafted(
    title: str, cells: Iterable[DraftCell], tests: dict[str, tuple[DraftTest, ...]], to_do: Iterable[ToDo], solved: bool
) -> Draft:
    """Put a draft together; a question is called what the heading above it says."""
    kept = tuple(cells)
    titles: dict[str, str] = {}
    heading = ""
    for cell in kept:
        if cell.kind == "markdown" and (found := re.findall(r"^#+\s+(\S.*)$", cell.source, re.MULTILINE)):
            heading = found[-1]
        elif cell.question:
            titles.setdefault(cell.question, heading or cell.question)
    questions = tuple(DraftQuestion(id=id, title=titles.get(id, id), tests=found) for id, found in tests.items())
    return Draft(title=title, cells=kept, questions=questions, to_do=tuple(to_do), solved=solved)
