"""Gradescope: the scores of an assignment as it exports them (Review Grades, Download Grades), with the totals filled in."""

from __future__ import annotations

from redink.errors import CourseError
from redink.grader.export.columns import cell_text, choose_column, listing, place_of
from redink.grader.export.filling import Sheet, fill, read_sheet
from redink.grader.export.formats import Export, Order
from redink.grader.export.matching import SheetRow
from redink.grader.export.scaling import style_of
from redink.grader.rules.tables import CsvTable

_TOTAL, _MAXIMUM, _EMAIL = "Total Score", "Max Points", "Email"


class GradescopeScores:
    """Fills a file of scores from Gradescope."""

    name = "gradescope"

    def export(self, order: Order) -> Export:
        """Fill the column of the total scores."""
        path, table = read_sheet(order, "the scores that Gradescope exports (Review Grades, Download Grades)")
        header = table.rows[0].texts()
        email, limit, total = (place_of(header, name) for name in (_EMAIL, _MAXIMUM, _TOTAL))
        if email is None or limit is None or total is None:
            raise CourseError(
                f"{path} is no file of scores from Gradescope: it should have {_EMAIL}, {_TOTAL} and {_MAXIMUM}; "
                f"it has: {listing(header)}"
            )
        column = choose_column(path, {total: header[total]}, order.column or _TOTAL, ())
        texts = [cell_text(row, at) for row in table.rows[1:] for at in (column, limit)]
        style = style_of(texts, table.separator)
        maxima = {style.read(text) for row in table.rows[1:] if (text := cell_text(row, limit))}
        maximum = maxima.pop() if len(maxima) == 1 else None
        if maximum is None or maximum <= 0:
            raise CourseError(f"{path}: {_MAXIMUM} should be one number above 0 in all rows")
        return fill(
            order,
            Sheet(
                format=self.name, path=path, table=table, rows=_rows(table, header), column=column,
                column_name=header[column].strip(), maximum=maximum, style=style,
            ),
        )  # fmt: skip


def _rows(table: CsvTable, header: list[str]) -> tuple[SheetRow, ...]:
    places = {"email": place_of(header, _EMAIL), "sis": place_of(header, "SID")}
    whole, first, last = (place_of(header, name) for name in ("Name", "First Name", "Last Name"))
    found = []
    for at, row in enumerate(table.rows[1:], start=1):
        name = cell_text(row, whole) or f"{cell_text(row, first)} {cell_text(row, last)}".strip()
        ids = {kind: text for kind, place in places.items() if (text := cell_text(row, place))}
        if name or ids:
            found.append(SheetRow(at=at, name=name, ids=ids))
    return tuple(found)
