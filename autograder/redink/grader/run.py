"""Executing one notebook in the box, to see what each cell does."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from redink.errors import SubmissionError
from redink.grader.boxes import Zygote
from redink.notebook import read_cells
from redink.records import Limits, Observed


def run(notebook: Path) -> Observed:
    """Run all cells of a notebook and give what each did."""
    try:
        cells = read_cells(notebook.read_bytes())
    except SubmissionError as error:
        raise SubmissionError(f"{notebook} {error}") from error
    with Zygote(torch=find_spec("torch") is not None) as zygote:
        return zygote.observe([cell for cell in cells if cell.source.strip()], [], Limits())
