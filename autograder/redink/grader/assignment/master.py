"""The master: one text notebook that holds the prose and the reference.

From it come the student's notebook (solutions cut out), the solved one, and every specimen (the solved one with an edit
that matches exactly once).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from redink.checks.specimens import Edit, Specimen
from redink.errors import AuthorError
from redink.grader.assignment.percent import read_percent
from redink.records import Cell, Record
from redink.source import definitions, syntax_error

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
EXPLORE = "explore"
WIDEST = 92  # characters of code that JupyterLab shows without scrolling


class MasterCell(Record, frozen=True):
    """One cell of the master."""

    kind: Literal["code", "markdown"]
    source: str
    explore: bool = False

    @property
    def marked(self) -> bool:
        """Whether it contains a solution."""
        return any(line.strip() == BEGIN for line in self.source.splitlines())


class Master(Record, frozen=True):
    """The whole master, cell by cell."""

    path: str
    cells: tuple[MasterCell, ...]

    def solved(self) -> tuple[Cell, ...]:
        """Return the code cells of the reference, without the marks."""
        return tuple(
            Cell(index=index, source=_without_marks(cell.source))
            for index, cell in enumerate(self.cells, start=1)
            if cell.kind == "code"
        )

    def untouched(self) -> tuple[Cell, ...]:
        """Return the code cells as a student gets them."""
        return tuple(
            Cell(index=index, source=without_solutions(cell.source, f"{self.path}, cell {index}"))
            for index, cell in enumerate(self.cells, start=1)
            if cell.kind == "code"
        )

    def explorations(self) -> frozenset[str]:
        """Return the sources of the cells that the grader need not run."""
        return frozenset(_without_marks(cell.source).strip() for cell in self.cells if cell.explore)


def read_master(path: Path) -> Master:
    """Read a master in the percent format."""
    try:
        found = read_percent(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        raise AuthorError(f"{path} is missing") from None
    cells = tuple(
        MasterCell(kind="markdown" if one.markdown else "code", source=one.source, explore=EXPLORE in one.tags)
        for one in found
    )
    master = Master(path=str(path), cells=cells)
    _check_width(master, path.read_text(encoding="utf-8").splitlines())
    for cell in master.solved():
        _refuse_syntax_error(cell.source, f"{path}, cell {cell.index}")
    return master


def _refuse_syntax_error(source: str, where: str) -> None:
    if error := syntax_error(source):
        raise AuthorError(f"{where}, line {error.lineno}: {error.msg}: {(error.text or '').strip()[:60]}") from error


def _check_width(master: Master, written: list[str]) -> None:
    """Refuse code that would scroll sideways in a student's notebook; `written` are the lines of the master's file."""
    wide = [(cell, line) for cell in master.untouched() for line in cell.source.splitlines() if len(line) > WIDEST]
    if not wide:
        return
    cell, line = wide[0]
    place = f", line {written.index(line) + 1}" if line in written else ""  # not if we wrote it: a stub
    others = ", ".join(str(written.index(one) + 1) for _, one in wide[1:] if one in written)
    raise AuthorError(
        f"{master.path}{place} (cell {cell.index}): the code has {len(line)} characters; {WIDEST} fit: "
        f"{line.strip()[:50]}…{f' (so have the lines {others})' if others else ''}"
    )


def without_solutions(source: str, where: str) -> str:
    """Cut the solutions out; inside a function, `raise NotImplementedError` takes their place."""
    kept: list[str] = []
    inside = False
    for line in source.splitlines():
        mark = line.strip()
        if mark == BEGIN:
            if inside:
                raise AuthorError(f"{where}: {BEGIN} inside a solution")
            inside = True
            kept += _stub(kept, len(line) - len(line.lstrip()))
        elif mark == END:
            if not inside:
                raise AuthorError(f"{where}: {END} without {BEGIN}")
            inside = False
        elif not inside:
            kept.append(line)
    if inside:
        raise AuthorError(f"{where}: {BEGIN} without {END}")
    return "\n".join(kept).rstrip()


def _stub(above: list[str], indent: int) -> list[str]:
    if indent == 0:
        return []
    for line in reversed(above):
        found = re.match(r"(\s*)(?:async )?def (\w+)", line)
        if found and len(found[1]) < indent:
            return [f'{" " * indent}raise NotImplementedError("{found[2]} is yours to write")']
    return [f'{" " * indent}raise NotImplementedError("this is yours to write")']


def _without_marks(source: str) -> str:
    return "\n".join(line for line in source.splitlines() if line.strip() not in (BEGIN, END)).rstrip()


def edited(cells: tuple[Cell, ...], specimen: Specimen, skip: frozenset[str]) -> tuple[Cell, ...]:
    """Apply a specimen's edits to the solved cells; each must match exactly once."""
    for place, edit in enumerate(specimen.edits):
        cells = _apply(cells, edit, specimen, skip, again=place > 0)
    return cells


def _apply(
    cells: tuple[Cell, ...], edit: Edit, specimen: Specimen, skip: frozenset[str], *, again: bool
) -> tuple[Cell, ...]:
    changed: list[Cell] = []
    matches = 0
    for cell in cells:
        if cell.source.strip() in skip:
            changed.append(cell)
            continue
        source, count = _replace_text(cell.source, edit) if edit.old else _replace_definition(cell.source, edit)
        matches += count
        changed.append(Cell(index=cell.index, source=source))
    if matches != 1:
        what = repr(edit.old) if edit.old else f"a definition of {edit.name}"
        advice = "quote more of the line, or replace the whole function" if matches else "was the master changed?"
        if again and not matches:
            advice = (
                f"{specimen.id} is declared {len(specimen.edits)} times, and all of them are edits of one notebook: "
                "if they are two mistakes, give them two names"
            )
        raise AuthorError(
            f"{specimen.kind} {specimen.id}: {what} matches {matches} times in the master, not once; {advice}"
        )
    for cell in set(changed) - set(cells):
        _refuse_syntax_error(cell.source, f"{specimen.kind} {specimen.id}: with its edit, cell {cell.index}")
    return tuple(changed)


def _replace_text(source: str, edit: Edit) -> tuple[str, int]:
    count = source.count(edit.old)
    return (source.replace(edit.old, edit.new) if count else source), count


def _replace_definition(source: str, edit: Edit) -> tuple[str, int]:
    places = [one for one in definitions(source) if one.name == edit.name and one.kind != "value"]
    if not places:
        return source, 0
    lines = source.splitlines()
    return "\n".join([*lines[: places[0].first - 1], edit.new, *lines[places[0].last :]]), len(places)
