"""Canvas: the gradebook as it is exported (Grades, Export), with the column of one assignment filled.

Below the header there may be a row that says `Manual Posting`; the row `Points Possible` has the maximum of each column,
and `(read only)` under totals. Canvas finds an assignment by the number in its header, a student by ID, and takes a blank
for no change.
"""

from __future__ import annotations

from pathlib import Path

from redink.errors import CourseError
from redink.grader.export.columns import (
    cell_text,
    choose_column,
    listing,
    place_of,
    refuse_column_of_another,
    title_and_number,
)
from redink.grader.export.filling import Sheet, fill, read_sheet
from redink.grader.export.formats import Export, Order
from redink.grader.export.matching import SheetRow
from redink.grader.export.scaling import style_of
from redink.grader.rules.tables import CsvTable, plain

_IDS = {"canvas": "ID", "sis": "SIS User ID", "login": "SIS Login ID", "email": "Email"}
_SEARCHED = 5  # rows for the header
_TEST_STUDENTS = ("student, test", "test student")


class CanvasGradebook:
    """Fills a gradebook of Canvas."""

    name = "canvas"

    def export(self, order: Order) -> Export:
        """Fill the column of the assignment."""
        path, table = read_sheet(order, "the gradebook that Canvas exports (Grades, Export)")
        at = _header(path, table)
        header = table.rows[at].texts()
        points = _points_row(path, table, at)
        maxima = table.rows[points]
        after = max(place for name in ("Section", *_IDS.values()) if (place := place_of(header, name)) is not None)
        candidates = {
            column: text
            for column, text in enumerate(header)
            if column > after and title_and_number(text)[1] and "read only" not in cell_text(maxima, column)
        }
        own = (order.known.assignment, order.title)
        column = choose_column(path, candidates, order.column, own)
        refuse_column_of_another(path, header[column], own, order.others)
        below = table.rows[points:]
        others = [text for row in below for text in row.texts()[after + 1 :]]
        style = style_of([cell_text(row, column) for row in below], table.separator, others)
        maximum = style.read(cell_text(maxima, column))
        if maximum is None or maximum <= 0:
            raise CourseError(
                f"{path}: {header[column]!r} has {cell_text(maxima, column) or 'no'} points possible; "
                "set its points in Canvas and export again"
            )
        return fill(
            order,
            Sheet(
                format=self.name, path=path, table=table, rows=_rows(table, header, points), column=column,
                column_name=header[column].strip(), maximum=maximum, style=style,
            ),
        )  # fmt: skip


def _header(path: Path, table: CsvTable) -> int:
    for at, row in enumerate(table.rows[:_SEARCHED]):
        words = [plain(text) for text in row.texts()]
        if "id" in words and ("student" in words[0] or words[:2] == ["lastname", "firstname"]):
            return at
    raise CourseError(
        f"{path} is no gradebook of Canvas: it has no header with Student and ID; "
        f"its first row is: {listing(table.rows[0].texts())}"
    )


def _points_row(path: Path, table: CsvTable, header: int) -> int:
    for at, row in enumerate(table.rows[header + 1 : header + 1 + _SEARCHED], start=header + 1):
        if "points possible" in plain(cell_text(row, 0)):
            return at
    raise CourseError(f"{path} is no gradebook of Canvas: no row below the header begins with Points Possible")


def _rows(table: CsvTable, header: list[str], points: int) -> tuple[SheetRow, ...]:
    places = {kind: place_of(header, name) for kind, name in _IDS.items()}
    whole, last, first = (place_of(header, name) for name in ("Student", "LastName", "FirstName"))
    found = []
    for at, row in enumerate(table.rows[points + 1 :], start=points + 1):
        name = cell_text(row, whole) or f"{cell_text(row, first)} {cell_text(row, last)}".strip()
        ids = {kind: text for kind, place in places.items() if (text := cell_text(row, place))}
        if name or ids:
            test = name.casefold() in _TEST_STUDENTS
            locked = "the row of Canvas' test student stays" if test and "sis" not in ids else ""
            found.append(SheetRow(at=at, name=name, ids=ids, test=test, locked=locked))
    return tuple(found)
