"""Executing one notebook in the box, to see what each cell does, and to keep the notebook as it was executed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from redink.errors import SubmissionError
from redink.grader.sandbox.client import Zygote
from redink.notebook import read_cells, read_document
from redink.records import CellRun, Limits, Observed


def run(notebook: Path, *, hidden: Sequence[str] = (), allow_weak: bool = False) -> Observed:
    """Run all cells of a notebook and return what each did; `hidden` folders stay invisible to it."""
    try:
        cells = read_cells(notebook.read_bytes())
    except SubmissionError as error:
        raise SubmissionError(f"{notebook} {error}") from error
    with Zygote(torch=find_spec("torch") is not None, hidden=hidden, allow_weak=allow_weak) as zygote:
        return zygote.observe([cell for cell in cells if cell.source.strip()], [], Limits())


def executed(notebook: Path, observed: Observed) -> str:
    """Return the notebook with what its cells printed and how they ended, in place of the outputs it came with."""
    document = read_document(notebook.read_bytes())
    runs = {run.index: run for run in observed.cells}
    count = 0
    for index, cell in enumerate(document["cells"], start=1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            run = runs.get(index)
            count += run is not None
            cell["execution_count"] = count if run else None
            cell["outputs"] = _outputs(run) if run else []
            cell.setdefault("metadata", {})
    document.setdefault("metadata", {})
    document.setdefault("nbformat", 4)
    document.setdefault("nbformat_minor", 4)
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _outputs(run: CellRun) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    if run.output:
        made.append({"output_type": "stream", "name": "stdout", "text": run.output})
    if run.status != "ok":
        name, _, text = run.error.partition(": ")
        made.append({"output_type": "error", "ename": name or run.status, "evalue": text, "traceback": [run.error]})
    return made
