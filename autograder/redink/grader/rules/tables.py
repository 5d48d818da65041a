"""CSV files as people and platforms write them: any usual encoding and separator, and back with every other byte kept.

`read_table` takes a file apart so that `Table.bytes` of the untouched table gives the very bytes that were read; a cell that
is set is written with the quotes that it needs, and no other cell changes.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from redink.errors import CourseError
from redink.records import Record

MOST_BYTES = 20 << 20
_SEPARATORS = (",", ";", "\t")
_FORMULA = re.compile(r"(^|[,;\t\r\n])(?=\s*[=+\-@\t\r＝＋－＠])")  # also where another separator would split the text
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class CsvCell(Record, frozen=True):
    """One cell: what it says, and how that is written in the file."""

    text: str
    written: str


class CsvRow(Record, frozen=True):
    """One row of cells, and how it ends."""

    cells: tuple[CsvCell, ...]
    end: str

    def texts(self) -> list[str]:
        """Return what the cells say."""
        return [one.text for one in self.cells]


class CsvTable(Record, frozen=True):
    """A CSV file: its rows, the header among them, and how it is written."""

    rows: tuple[CsvRow, ...]
    encoding: str
    bom: bytes
    separator: str

    def bytes(self) -> bytes:
        """Return the file."""
        text = "".join(self.separator.join(cell.written for cell in row.cells) + row.end for row in self.rows)
        return self.bom + text.encode(self.encoding, "surrogateescape")

    def column(self, *names: str) -> int | None:
        """Find the first of these columns that the header has, whatever its case."""
        header = [plain(text) for text in self.rows[0].texts()] if self.rows else []
        return next((header.index(plain(name)) for name in names if plain(name) in header), None)


def harmless(text: str) -> str:
    """Write a text so that no spreadsheet runs it, whatever separator it expects."""
    return _FORMULA.sub(r"\1'", text)


def plain(text: str) -> str:
    """Return a header's words without case, separators and blanks around them."""
    return " ".join(re.split(r"[\s_\-]+", text.strip().casefold())).strip()


def read_table(path: Path) -> CsvTable:
    """Read a CSV file; `CourseError` says why that is not possible."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise CourseError(f"{path} is {len(data) >> 20} MB; {MOST_BYTES >> 20} MB are allowed")
    table = parse_table(data)
    if not table.rows:
        raise CourseError(f"{path} is empty")
    return table


def parse_table(data: bytes) -> CsvTable:
    """Take a CSV file apart."""
    bom, encoding = next(((bom, name) for bom, name in _BOMS if data.startswith(bom)), (b"", ""))
    body = data[len(bom) :]
    if not encoding:
        encoding = "utf-8" if _is_utf8(body) else "cp1252" if _is_cp1252(body) else "utf-8"
    text = body.decode(encoding, "surrogateescape")
    separator = _separator(text)
    return CsvTable(rows=tuple(_rows(text, separator)), encoding=encoding, bom=bom, separator=separator)


def cell_saying(text: str, like: CsvCell, separator: str) -> CsvCell:
    """Make a cell that says something, in quotes if the one in its place has them or it needs them."""
    needs = any(mark in text for mark in (separator, '"', "\r", "\n"))
    if like.written.startswith('"') or needs:
        doubled = text.replace('"', '""')
        return CsvCell(text=text, written=f'"{doubled}"')
    return CsvCell(text=text, written=text)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_cp1252(data: bytes) -> bool:
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return False
    return True


def _separator(text: str) -> str:
    """Find the separator that the first line has most of, outside quotes."""
    first = re.sub(r'"(?:[^"]|"")*"', "", text.lstrip("\r\n").split("\n", 1)[0])
    return max(_SEPARATORS, key=first.count)


def _rows(text: str, separator: str) -> list[CsvRow]:
    quoted = re.compile(r'"(?:[^"]|"")*("|$)')
    bare = re.compile(rf"[^{re.escape(separator)}\r\n]*")
    rows: list[CsvRow] = []
    cells: list[CsvCell] = []
    at = 0
    while at < len(text):
        start = at
        if text[at] == '"' and (match := quoted.match(text, at)):
            at = match.end()
            inside = text[start + 1 : at - 1] if match[1] else text[start + 1 :]
            rest = bare.match(text, at)
            assert rest is not None  # it may be empty
            at = rest.end()
            said = inside.replace('""', '"') + rest[0]
        else:
            match = bare.match(text, at)
            assert match is not None  # it may be empty
            at, said = match.end(), match[0]
        cells.append(CsvCell(text=said, written=text[start:at]))
        if at < len(text) and text[at] == separator:
            at += 1
            if at < len(text) and text[at] not in "\r\n":
                continue
            cells.append(CsvCell(text="", written=""))
        end = re.match(r"\r\n|\n|\r|$", text[at:])
        assert end is not None
        at += end.end()
        rows.append(CsvRow(cells=tuple(cells), end=end[0]))
        cells = []
    return rows
