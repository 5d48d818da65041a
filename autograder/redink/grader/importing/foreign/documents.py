"""Reading an author's own notebook: the cells with what other tools wrote into them. Nothing of it is run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from redink.errors import CourseError, SubmissionError
from redink.notebook import read_parts
from redink.records import Record
from redink.texts import clean


class ForeignCell(Record, frozen=True):
    """One cell of another tool's notebook, and its place, counted from 1."""

    index: int
    kind: str
    source: str
    metadata: dict[str, Any]
    printed: str  # what its saved outputs say

    @property
    def tags(self) -> list[str]:
        """Return its tags."""
        return [str(tag) for tag in self.metadata.get("tags") or ()]


class ForeignNotebook(Record, frozen=True):
    """A notebook of another tool."""

    path: Path
    metadata: dict[str, Any]
    cells: tuple[ForeignCell, ...]

    @property
    def title(self) -> str:
        """Return the first heading; without one, the name of the file."""
        prose = (line for cell in self.cells if cell.kind == "markdown" for line in cell.source.splitlines())
        found = next((match[1] for line in prose if (match := re.match(r"#\s+(\S.*)", line))), "")
        return clean(found, 80) or clean(self.path.stem.replace("_", " ").capitalize(), 80)


def read_notebook(path: Path) -> ForeignNotebook:
    """Read a notebook; one sentence says why that is not possible."""
    try:
        data = path.read_bytes()
        read_parts(data)  # refuses what is no notebook, with a sentence
        document = json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}") from error
    except (SubmissionError, ValueError) as error:
        raise CourseError(f"{path} {error}") from error
    metadata = _dict(document.get("metadata"))
    language = _dict(metadata.get("kernelspec")).get("language") or _dict(metadata.get("language_info")).get("name")
    if language and str(language).lower() not in ("python", "ipython"):
        raise CourseError(f"{path} is a notebook for {clean(str(language), 30)}; only Python can be imported")
    cells = [cell for cell in document["cells"] if isinstance(cell, dict)]
    return ForeignNotebook(
        path=path,
        metadata=metadata,
        cells=tuple(_cell(index, cell) for index, cell in enumerate(cells, start=1)),
    )


def _cell(index: int, cell: dict[str, Any]) -> ForeignCell:
    return ForeignCell(
        index=index,
        kind=str(cell.get("cell_type")),
        source=_text(cell.get("source")).replace("\r\n", "\n"),
        metadata=_dict(cell.get("metadata")),
        printed="".join(_printed(output) for output in cell.get("outputs") or () if isinstance(output, dict)),
    )


def _printed(output: dict[str, Any]) -> str:
    return _text(output.get("text")) + _text(_dict(output.get("data")).get("text/plain"))


def _text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
