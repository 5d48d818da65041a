"""Whose file it is: nbgrader's, otter-assign's, or an otter folder's."""

from __future__ import annotations

from pathlib import Path

from redink.errors import CourseError
from redink.grader.importing.draft import Draft
from redink.grader.importing.foreign.documents import read_notebook
from redink.grader.importing.foreign.nbgrader_source import is_nbgrader, read_nbgrader
from redink.grader.importing.foreign.otter_folder import is_otter_folder, read_otter_folder
from redink.grader.importing.foreign.otter_master import is_otter_master, read_otter_master


def read_draft(path: Path) -> Draft:
    """Read a notebook, or the only one of a folder; refuse one in which nothing says what is a question."""
    notebook = read_notebook(_notebook(path))
    if is_otter_master(notebook):
        return read_otter_master(notebook)
    if is_nbgrader(notebook):
        return read_nbgrader(notebook)
    if is_otter_folder(notebook):
        return read_otter_folder(notebook)
    raise CourseError(
        f"{notebook.path} has neither nbgrader's marks (Create Assignment), nor otter's raw cells (# BEGIN QUESTION), nor "
        "otter's tests/ beside it: nothing says what is a question; `redink new SLUG` begins an assignment of your own"
    )


def _notebook(path: Path) -> Path:
    if not path.is_dir():
        if path.suffix != ".ipynb":
            raise CourseError(f"{path} is not a notebook: name an .ipynb file, or a folder with one in it")
        return path
    found = sorted(path.glob("*.ipynb"))
    if len(found) != 1:
        told = ", ".join(one.name for one in found) or "none"
        raise CourseError(f"{path} must have one notebook, and has {len(found)} ({told}); name the file")
    return found[0]
