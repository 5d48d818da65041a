"""A submitted notebook is data: of all it holds, only the source text of its code cells is taken.

The rest (outputs, metadata, prose) is passed over and never built: 50 MB may be millions of lists, which would take
gigabytes. So every part is a `msgspec.Raw`, a view of the document's bytes, until it is known to be wanted and small.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from redink.errors import SubmissionError
from redink.records import Cell
from redink.texts import clean

MAX_BYTES = 50 * 1024 * 1024
MAX_CELLS = 2000
MAX_SOURCE = 1_000_000  # characters of all code cells together
_WRITTEN = 8 * MAX_SOURCE  # bytes that these take at most in a document, as lines and escapes
_NOTHING = Raw(b"")  # a part that is not there

_MOST_REPAIRS = 1_000_000
_NO_NUMBER = re.compile(rb'((?:[^"NI]++|"(?:[^"\\]++|\\.)*+")*+)(NaN|Infinity)', re.DOTALL)
_HALF_A_CHARACTER = re.compile(
    rb"((?:[^\\]++|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\(?!u[dD][89a-fA-F]).)*+)(\\u[dD][89a-fA-F]..)", re.DOTALL
)
_REPAIRS = ((_NO_NUMBER, b"0"), (_HALF_A_CHARACTER, rb"\u003f"))

Form = TypeVar("Form")


class NotebookParts(msgspec.Struct):
    """What a notebook consists of."""

    cells: Raw = _NOTHING
    worksheets: Raw = _NOTHING
    metadata: Raw = _NOTHING
    nbformat: Raw = _NOTHING
    nbformat_minor: Raw = _NOTHING


class CellParts(msgspec.Struct):
    """What a cell consists of, but for its outputs."""

    cell_type: Raw = _NOTHING
    id: Raw = _NOTHING
    metadata: Raw = _NOTHING
    attachments: Raw = _NOTHING
    source: Raw = _NOTHING

    def is_code(self) -> bool:
        """Tell whether this is a code cell."""
        return 0 < len(self.cell_type) < 100 and msgspec.json.decode(self.cell_type) == "code"

    def tags(self) -> list[Any]:
        """Return what stands among the tags of this cell."""
        try:
            tags = msgspec.json.decode(self.metadata, type=_Metadata).tags
        except msgspec.DecodeError:
            return []
        return tags if isinstance(tags, list) else []


class _Metadata(msgspec.Struct):
    tags: Any = None


# A list of which only so many items are taken: whether it is too long is known before anything is built.
_FirstCells = msgspec.defstruct(
    "_FirstCells", [(f"cell_{place}", Raw, _NOTHING) for place in range(MAX_CELLS + 1)], array_like=True
)


def read_cells(data: bytes) -> tuple[Cell, ...]:
    """Return the code cells of a notebook's bytes; `SubmissionError` says why that is not possible."""
    _, cells = read_parts(data)
    with _in_one_sentence():
        code = {index: cell.source for index, cell in enumerate(cells, start=1) if cell.is_code()}
        if sum(map(len, code.values())) <= _WRITTEN:
            read = tuple(Cell(index=index, source=_source(source, index)) for index, source in code.items())
            if sum(len(cell.source) for cell in read) <= MAX_SOURCE:
                return read
    raise SubmissionError(f"has more than the {MAX_SOURCE} characters of code that are allowed")


def read_parts(data: bytes) -> tuple[NotebookParts, list[CellParts]]:
    """Take a notebook apart, and its cells; what stands among the cells and is none has no parts."""
    if len(data) > MAX_BYTES:
        raise too_large(len(data))
    if not data or data.isspace():
        raise SubmissionError("is empty")
    with _in_one_sentence():
        text = _json(data.removeprefix(b"\xef\xbb\xbf"))
        parts = _decoded(text, NotebookParts, "is JSON but not a notebook: its top level is not an object")
        if len(parts.cells) <= len("null") and bytes(memoryview(parts.worksheets)[:1]) == b"[":
            raise SubmissionError("is a notebook in an old format (version 3); open it in Jupyter and save it again")
        found = _decoded(parts.cells, _FirstCells, "is JSON but not a notebook: it has no list of cells")
        cells = [cell for cell in msgspec.structs.astuple(found) if cell]
        if len(cells) > MAX_CELLS:
            raise SubmissionError(f"has more than the {MAX_CELLS} cells that are allowed")
        return parts, [_cell_parts(cell) for cell in cells]


def cells_to_run(cells: Sequence[Cell], explorations: Collection[str]) -> tuple[Cell, ...]:
    """Leave out empty cells, and explorations, which are recognised by their source."""
    return tuple(cell for cell in cells if (source := cell.source.strip()) and source not in explorations)


def write_cells(cells: Sequence[Cell]) -> bytes:
    """Write cells as a notebook in which each has its place; prose fills the places between them."""
    sources = {cell.index: cell.source for cell in cells}
    document = [
        {"cell_type": "code", "source": sources[place]} if place in sources else {"cell_type": "markdown", "source": ""}
        for place in range(1, max(sources, default=0) + 1)
    ]
    return msgspec.json.encode({"cells": document, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def too_large(size: int) -> SubmissionError:
    """Return the error for a notebook of so many bytes."""
    most = MAX_BYTES // 2**20
    return SubmissionError(f"is {math.ceil(size / 2**20)} MB; {most} MB are allowed: clear its outputs")


def _json(data: bytes) -> bytes | bytearray:
    """Return JSON that can be read, if necessary repaired: some editors leave NaN or half a character in it."""
    try:
        msgspec.json.decode(data, type=Raw)
    except msgspec.DecodeError:
        repaired = _repaired(data)
        msgspec.json.decode(repaired, type=Raw)
        return repaired
    return data


def _repaired(data: bytes) -> bytearray:
    """Write 0 for NaN and a question mark for half a character, in their places; the rest stays where it is."""
    text = bytearray(data)
    for pattern, instead in _REPAIRS:
        end = 0
        for _ in range(_MOST_REPAIRS):
            found = pattern.match(text, end)
            if found is None:
                break
            start, end = found.span(2)
            text[start:end] = instead.ljust(end - start)
    return text


def _decoded(text: bytes | bytearray | Raw, form: type[Form], otherwise: str) -> Form:
    """Read JSON as something of this form; `otherwise` says that it is something else."""
    try:
        return msgspec.json.decode(text or b"null", type=form)
    except msgspec.ValidationError as error:
        raise SubmissionError(otherwise) from error


def _cell_parts(cell: Raw) -> CellParts:
    try:
        return msgspec.json.decode(cell, type=CellParts)
    except msgspec.ValidationError:
        return CellParts()


def _source(source: Raw, index: int) -> str:
    damaged = f"is a damaged notebook: the source of cell {index} is not a string"
    lines: str | list[str] = _decoded(source or Raw(b"[]"), str | list[str], damaged)  # type: ignore[arg-type] # a union
    return "".join(lines)


@contextlib.contextmanager
def _in_one_sentence() -> Iterator[None]:
    """Turn what reading JSON may raise into a `SubmissionError`."""
    try:
        yield
    except RecursionError as error:
        raise SubmissionError("is not a notebook: it is nested too deeply") from error
    except MemoryError as error:
        raise SubmissionError("is not a notebook: it takes too much memory") from error
    except msgspec.DecodeError as error:
        cut = "it ends in the middle (" if str(error) == "Input data was truncated" else ""
        raise SubmissionError(f"is not a notebook: {cut}{clean(str(error))}{')' if cut else ''}") from error
    except UnicodeDecodeError as error:
        raise SubmissionError(f"is not a notebook: {clean(str(error))}") from error
