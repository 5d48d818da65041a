"""Filling a teacher's own file: one cell of each student's row is written, and every other byte stays.

Nothing is filled if a student who has a grade has no row, or if it is not clear whose a row is. A cell that holds the same
number already is left as it is written, so a file that was filled once is not changed by filling it again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from pathlib import Path

import msgspec

from redink.errors import CourseError
from redink.grader.export.formats import CappedScore, Export, ExportAccount, FilledCell, LeftCell, Order
from redink.grader.export.matching import Matches, SheetRow, match_rows
from redink.grader.export.scaling import NumberStyle, scaled
from redink.grader.export.scores import OutgoingScore, outgoing, remarks
from redink.grader.rules.tables import CsvCell, CsvRow, CsvTable, cell_saying, read_table
from redink.records import Record
from redink.texts import clean

_EMPTY = ("", "-", "–", "n/a")  # what platforms write where there is no grade


class Sheet(Record, frozen=True):
    """A teacher's file, taken apart: whose rows there are, which column is to be filled, and how."""

    format: str
    path: Path
    table: CsvTable
    rows: tuple[SheetRow, ...]
    column: int
    column_name: str
    maximum: Decimal
    style: NumberStyle


class _Placed(Record, frozen=True):
    """What becomes of one student's cell: a new text, or why there is none."""

    score: OutgoingScore
    row: SheetRow
    old: str
    new: str | None = None
    capped: Decimal | None = None
    why: str = ""


def read_sheet(order: Order, what: str) -> tuple[Path, CsvTable]:
    """Read the file that is to be filled; `what` says which one that is."""
    if order.into is None:
        raise CourseError(f"name the file that is to be filled with --into: {what}")
    try:
        table = read_table(order.into)
        same = table.bytes() == order.into.read_bytes()
    except UnicodeError:
        same = False
    if not same:
        raise CourseError(f"{order.into} has bytes that are no text in any usual encoding; nothing was written")
    return order.into, table


def fill(order: Order, sheet: Sheet) -> Export:
    """Write everybody's score into the sheet; `CourseError` lists who cannot be matched."""
    scores = outgoing(order)
    matches = match_rows(sheet.rows, order.known.people)
    refuse_unmatched(sheet.path, scores, matches, order.known.enrolled)
    placed = [_place(order, sheet, scores[student], row) for student, row in matches.rows.items() if student in scores]
    placed.sort(key=lambda one: one.row.at)
    written = {one.row.at: one.new for one in placed if one.new is not None and one.new != one.old}
    rows = tuple(
        _with_cell(row, sheet.column, written[at], sheet.table.separator) if at in written else row
        for at, row in enumerate(sheet.table.rows)
    )
    path = sheet.path
    return Export(
        data=msgspec.structs.replace(sheet.table, rows=rows).bytes(),
        name=str(path.with_name(f"{path.stem}.filled{path.suffix}")),
        account=_account(order, sheet, scores, matches, placed),
    )


def refuse_unmatched(
    path: Path, scores: dict[str, OutgoingScore], matches: Matches, enrolled: Collection[str] | None
) -> None:
    """Refuse to write anything if somebody who has a grade has no row, or it is not clear which.

    Who is not in the roster either has left the course, and is only told.
    """
    graded = {student for student, one in scores.items() if one.graded}
    unclear = [(told, who) for told, who in matches.trouble if who & graded]
    concerned = {student for _, who in unclear for student in who}
    rowless = sorted(graded - set(matches.rows) - concerned)
    lost = [scores[one].shown for one in rowless if enrolled is None or one in enrolled]
    if not (unclear or lost):
        return
    lines = [f"nothing was written, for not everybody has one row in {path}:"]
    lines += [f"  {one} has a grade and no row" for one in lost]
    lines += [f"  {told}" for told, _ in unclear]
    lines.append("add what the platform calls them to the roster (docs/instructor/export.md), or mend the file;")
    lines.append("who has left the course: take them out of the roster, and they are left out here")
    raise CourseError("\n".join(lines))


def _place(order: Order, sheet: Sheet, score: OutgoingScore, row: SheetRow) -> _Placed:
    """Decide about one student's cell."""
    old = _text(sheet.table.rows[row.at], sheet.column)
    held = old.strip()
    empty = held.casefold() in _EMPTY
    number = sheet.style.read(held)
    why = ""
    if score.points is None:
        why = score.why if empty else f"{score.why}; {clean(held, 20)} stays"
    elif row.locked:
        why = row.locked
    elif not empty and number is None:
        why = f"{clean(held, 20)} stays"
    elif not score.graded and number:
        why = f"{score.why}; {clean(held, 20)} stays"
    if why or score.points is None:
        return _Placed(score=score, row=row, old=old, why=why)
    exact = scaled(score.points, score.max_score, sheet.maximum)
    capped = None if order.above_maximum or exact <= sheet.maximum else exact
    value = exact if capped is None else sheet.maximum
    new = old if number == value else sheet.style.write(value)
    return _Placed(score=score, row=row, old=old, new=new, capped=capped)


def _text(row: CsvRow, column: int) -> str:
    return row.cells[column].text if column < len(row.cells) else ""


def _with_cell(row: CsvRow, column: int, text: str, separator: str) -> CsvRow:
    """Return a row with one cell set; one that ends before it gets the empty cells between."""
    cells = [*row.cells, *[CsvCell(text="", written="")] * (column + 1 - len(row.cells))]
    cells[column] = cell_saying(text, cells[column], separator)
    return msgspec.structs.replace(row, cells=tuple(cells))


def _account(
    order: Order, sheet: Sheet, scores: dict[str, OutgoingScore], matches: Matches, placed: Sequence[_Placed]
) -> ExportAccount:
    most = next((one.max_score for one in scores.values()), 100.0)
    left = [one for one in placed if one.new is None]
    return ExportAccount(
        assignment=order.known.assignment,
        format=sheet.format,
        lateness="before" if order.known.rules.lateness == "platform" else "after",
        column=sheet.column_name,
        maximum=float(sheet.maximum),
        factor=float(sheet.maximum) / most,
        filled=tuple(
            FilledCell(student=one.score.student, old=_held(one), new=one.new.strip())
            for one in placed
            if one.new is not None
        ),
        blank=tuple(_left(one for one in left if one.score.points is None and not _held(one))),
        kept=tuple(_left(one for one in left if one.score.points is not None or _held(one))),
        capped=tuple(
            CappedScore(student=one.score.student, score=float(one.capped)) for one in placed if one.capped is not None
        ),
        overridden=tuple(one.score.student for one in placed if one.new is not None and one.score.overridden),
        nobodys=tuple(one.shown for one in matches.nobodys if not one.test),
        absent=tuple(student for student in scores if student not in matches.rows and not scores[student].graded),
        left=tuple(student for student in scores if student not in matches.rows and scores[student].graded),
        told=(*remarks(order), *(told for told, _ in matches.trouble)),
        names={student: one.shown for student, one in scores.items()},
    )


def _held(placed: _Placed) -> str:
    """Return what stood in a cell; signs for no grade are nothing."""
    held = placed.old.strip()
    return "" if held.casefold() in _EMPTY else held


def _left(placed: Iterator[_Placed]) -> Iterator[LeftCell]:
    return (LeftCell(student=one.score.student, why=one.why) for one in placed)
