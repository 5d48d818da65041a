"""A submitted notebook is data: of all it holds, only the source text of its code cells is taken."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from redink.errors import SubmissionError
from redink.records import Cell

MAX_BYTES = 50 * 1024 * 1024
MAX_CELLS = 2000
MAX_SOURCE = 2_000_000


def read_cells(data: bytes) -> tuple[Cell, ...]:
    """Return the code cells of a notebook's bytes; `SubmissionError` says why that is not possible."""
    document = read_document(data)
    cells = document.get("cells")
    if cells is None and isinstance(document.get("worksheets"), list):
        raise SubmissionError("is a notebook in an old format (version 3); open it in Jupyter and save it again")
    if not isinstance(cells, list):
        raise SubmissionError("is JSON but not a notebook: it has no list of cells")
    if len(cells) > MAX_CELLS:
        raise SubmissionError(f"has {len(cells)} cells; {MAX_CELLS} are allowed")
    return tuple(
        Cell(index=index, source=_source(cell, index))
        for index, cell in enumerate(cells, start=1)
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    )


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


def read_document(data: bytes) -> dict[str, Any]:
    """Parse a notebook's bytes; `SubmissionError` says why that is not possible."""
    if len(data) > MAX_BYTES:
        raise SubmissionError(f"is {len(data) / 2**20:.0f} MB; {MAX_BYTES // 2**20} MB are allowed: clear its outputs")
    if not data.strip():
        raise SubmissionError("is empty")
    try:
        document = _json(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SubmissionError(f"is not a notebook: {_first_line(error)}") from error
    if not isinstance(document, dict):
        raise SubmissionError("is JSON but not a notebook: its top level is not an object")
    return document


def _json(data: bytes) -> Any:
    """Read JSON, if necessary leniently: some editors leave a byte order mark, NaN or half a character in it."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            return json.loads(data.decode("utf-8-sig"))
        except ValueError:
            pass
        raise


def _source(cell: dict[str, Any], index: int) -> str:
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise SubmissionError(f"is a damaged notebook: the source of cell {index} is not a string")
    if len(source) > MAX_SOURCE:
        raise SubmissionError(f"has {len(source)} characters in cell {index}; {MAX_SOURCE} are allowed")
    return source.encode("utf-8", "replace").decode()


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
