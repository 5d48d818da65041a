"""The student's own cells that answer a question, and whether a question was left as it was handed out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from redink.assignment.spec import Question, Spec
from redink.records import Cell, Result
from redink.source import definitions, is_too_long


def own_cells(cells: Sequence[Cell], question: Question) -> tuple[Cell, ...]:
    """Find the cells that define what a question asks for: of several that define a name, the last, which holds."""
    found = {cell.index: cell for name in question.asks if (cell := _defining(cells, name)) is not None}
    return tuple(found[index] for index in sorted(found))


def blank_by_source(cells: Sequence[Cell], spec: Spec, handed_out: Collection[str]) -> frozenset[str]:
    """List the questions whose cells are still those of the handout."""
    if not handed_out:
        return frozenset()
    return frozenset(
        question.id
        for question in spec.questions
        if all(cell.source.strip() in handed_out for cell in own_cells(cells, question))
    )


def blank_by_result(result: Result) -> frozenset[str]:
    """List the questions without a point in a notebook of which no function was written; its other cells may answer."""
    core = [question for question in result.questions if question.tier == "core"]
    ran = {question.id for question in core if any(check.verdict != "not_run" for check in question.checks)}
    return frozenset(one.id for one in core if not one.score and not ran - {one.id}) if len(core) > 1 else frozenset()


def _defining(cells: Sequence[Cell], name: str) -> Cell | None:
    """Find the last cell that defines a name; reading a cell as Python takes long, so most are told by their text.

    So are all cells of a notebook that is too long to be read.
    """
    pattern = re.compile(
        rf"^(?:(?:async +)?def|class)\s+{re.escape(name)}\b|^{re.escape(name)}\s*[:=](?!=)", re.MULTILINE
    )
    likely = [cell for cell in cells if name in cell.source and pattern.search(cell.source)]
    if len(likely) == 1:
        return likely[0]
    if is_too_long([cell.source for cell in cells]):
        return likely[-1] if likely else None
    asked = likely or [cell for cell in cells if name in cell.source]
    sure = [cell for cell in asked if any(one.name == name for one in definitions(cell.source))]
    return sure[-1] if sure else likely[-1] if likely else None
