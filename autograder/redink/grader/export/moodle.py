"""Moodle: the offline grading worksheet of an assignment, with the grades filled in.

Its headers are in the language of the site, so columns are found by what they hold, too: the first has a number at the end
of each cell (`Participant 123`), and the maximum is a column of one and the same number, right after that of the grades.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from redink.errors import CourseError
from redink.grader.export.columns import cell_text, choose_column, listing, place_of
from redink.grader.export.filling import Sheet, fill, read_sheet
from redink.grader.export.formats import Export, Order
from redink.grader.export.matching import SheetRow
from redink.grader.export.scaling import NumberStyle, style_of
from redink.grader.rules.tables import CsvRow, CsvTable

_GRADE = ("Grade", "Bewertung", "Note", "Calificación", "Nota", "Valutazione", "Cijfer", "Ocena", "Betyg", "Karakter")
_NAME = ("Full name", "Vollständiger Name", "Nom complet", "Nombre completo", "Nome completo", "Cognome e nome")
_NUMBER = ("ID number", "ID-Nummer", "Numéro d'identification", "Número de ID")
_LOGIN = ("Username", "Anmeldename", "Nom d'utilisateur", "Nombre de usuario")
_CHANGEABLE = ("Grade can be changed", "Bewertung kann geändert werden", "La note peut être modifiée")
_NO = ("no", "nein", "non")
_NO_GRADE = ("", "-", "–")


class MoodleWorksheet:
    """Fills an offline grading worksheet of Moodle."""

    name = "moodle"

    def export(self, order: Order) -> Export:
        """Fill the column of the grades."""
        path, table = read_sheet(order, "the worksheet of the assignment in Moodle (Download grading worksheet)")
        header = table.rows[0].texts()
        rows = [row for row in table.rows[1:] if any(text.strip() for text in row.texts())]
        _refuse_others(path, header, rows)
        column = _grade_column(path, table, header, rows, order.column)
        style = _style(table, rows, (column, column + 1))
        return fill(
            order,
            Sheet(
                format=self.name, path=path, table=table, rows=_rows(table, header), column=column,
                column_name=header[column].strip(), maximum=_maximum(path, rows, column + 1, style), style=style,
            ),
        )  # fmt: skip


def _refuse_others(path: Path, header: list[str], rows: list[CsvRow]) -> None:
    if not rows:
        raise CourseError(f"{path} has no row of a participant")
    numbered = [cell_text(row, 0)[-1:].isdigit() for row in rows]
    if not all(numbered) or len(header) < 3:
        raise CourseError(
            f"{path} is no grading worksheet of Moodle: its first column should hold Participant 123 and the like, "
            f"and there should be columns Grade and Maximum grade; it has: {listing(header)}"
        )


def _grade_column(path: Path, table: CsvTable, header: list[str], rows: list[CsvRow], told: str) -> int:
    """Find the grades: where the instructor says, where a known word stands, or before a column of one number."""
    named = {at: text for at, text in enumerate(header) if at > 0 and text.strip()}
    if told:
        return choose_column(path, named, told, ())
    if (known := place_of(header, *_GRADE)) is not None:
        return known
    found = [at for at in named if at + 1 in named and _is_pair(table, rows, at)]
    if len(found) == 1:
        return found[0]
    raise CourseError(
        f"{path}: which column has the grades is not clear in this language; say it with --column; "
        f"Grade was looked for, and there are: {listing(header)}"
    )


def _is_pair(table: CsvTable, rows: list[CsvRow], at: int) -> bool:
    """Tell whether a column could hold grades, and the next one their maximum."""
    style = _style(table, rows, (at, at + 1))
    grades = {cell_text(row, at) for row in rows}
    limits = {style.read(cell_text(row, at + 1)) for row in rows}
    return all(one in _NO_GRADE or style.read(one) is not None for one in grades) and _one_number(limits) is not None


def _style(table: CsvTable, rows: list[CsvRow], columns: tuple[int, ...]) -> NumberStyle:
    return style_of([cell_text(row, column) for row in rows for column in columns], table.separator)


def _one_number(found: set[Decimal | None]) -> Decimal | None:
    only = next(iter(found)) if len(found) == 1 else None
    return only if only is not None and only > 0 else None


def _maximum(path: Path, rows: list[CsvRow], column: int, style: NumberStyle) -> Decimal:
    texts = {cell_text(row, column) for row in rows}
    only = _one_number({style.read(text) for text in texts})
    if only is None:
        raise CourseError(
            f"{path}: the maximum grade should be one number above 0, right after the grades; "
            f"there is: {listing(sorted(texts)[:5])} (a worksheet that uses a scale cannot be filled)"
        )
    return only


def _rows(table: CsvTable, header: list[str]) -> tuple[SheetRow, ...]:
    kinds = {"sis": place_of(header, *_NUMBER), "login": place_of(header, *_LOGIN)}
    changeable, name = place_of(header, *_CHANGEABLE), place_of(header, *_NAME)
    found = []
    for at, row in enumerate(table.rows[1:], start=1):
        texts = [text.strip() for text in row.texts()]
        ids = {kind: text for kind, place in kinds.items() if (text := cell_text(row, place))}
        address = next((text for text in texts[1:6] if "@" in text and " " not in text), "")
        locked = "Moodle does not let this grade be changed" if cell_text(row, changeable).casefold() in _NO else ""
        if any(texts):
            ids = {"moodle": texts[0], **ids, **({"email": address} if address else {})}
            found.append(SheetRow(at=at, name=cell_text(row, 1 if name is None else name), ids=ids, locked=locked))
    return tuple(found)
