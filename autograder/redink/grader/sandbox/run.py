"""Executing one notebook in the box, to see what each cell does, and to keep the notebook as it was executed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from redink.errors import SubmissionError
from redink.files import read_file
from redink.grader.sandbox.client import Zygote
from redink.notebook import read_cells, read_parts
from redink.records import CellRun, Limits, Observed


def run(notebook: Path, *, hidden: Sequence[str] = (), allow_weak: bool = False) -> Observed:
    """Run all cells of a notebook and return what each did; `hidden` folders stay invisible to it."""
    try:
        cells = read_cells(read_file(notebook))
    except SubmissionError as error:
        raise SubmissionError(f"{notebook} {error}") from error
    with Zygote(torch=find_spec("torch") is not None, hidden=hidden, allow_weak=allow_weak) as zygote:
        return zygote.observe([cell for cell in cells if cell.source.strip()], [], Limits())


def executed(notebook: Path, observed: Observed) -> str:
    """Return the notebook with what its cells printed and how they ended, in place of the outputs it came with."""
    parts, cells = read_parts(read_file(notebook))
    runs = {run.index: run for run in observed.cells}
    written: list[dict[str, Any]] = []
    count = 0
    for index, cell in enumerate(cells, start=1):
        run = runs.get(index)
        count += run is not None
        outputs = {"execution_count": count if run else None, "outputs": _outputs(run) if run else []}
        if cell.cell_type:
            written.append({"metadata": {}} | _there(cell) | (outputs if cell.is_code() else {}))
    document = {"metadata": {}, "nbformat": 4, "nbformat_minor": 4} | _there(parts) | {"cells": written}
    return msgspec.json.encode(document).decode("utf-8", "replace") + "\n"  # indented, a deep nest would be gigabytes


def _there(parts: msgspec.Struct) -> dict[str, Any]:
    """Return the parts that are there, by their names."""
    return {name: part for name, part in msgspec.structs.asdict(parts).items() if part}


def _outputs(run: CellRun) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    if run.output:
        made.append({"output_type": "stream", "name": "stdout", "text": run.output})
    if run.status != "ok":
        name, _, text = run.error.partition(": ")
        made.append({"output_type": "error", "ename": name or run.status, "evalue": text, "traceback": [run.error]})
    return made
