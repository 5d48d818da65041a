"""A folder of otter-grader: a notebook with `tests/` beside it, or with tests in its own metadata."""

from __future__ import annotations

import re
from pathlib import Path

from redink.errors import CourseError
from redink.grader.importing.draft import Draft, DraftCell, DraftTest
from redink.grader.importing.foreign.documents import ForeignNotebook
from redink.grader.importing.foreign.marking import wrap
from redink.grader.importing.foreign.otter_notebook import drafted, is_otters, plain_id
from redink.grader.importing.foreign.otter_tests import read_test_file
from redink.source import definitions, globals_of

_CHECK = re.compile(r"""grader\.check\(\s*["']([^"']+)["']""")
_UNSOLVED = re.compile(r"^\s*(?:\w[\w.\[\]'\", ]*=\s*)?\.\.\.\s*$", re.MULTILINE)


def is_otter_folder(notebook: ForeignNotebook) -> bool:
    """Tell whether tests of otter are beside this notebook, or in it."""
    return bool(_files(notebook))


def read_otter_folder(notebook: ForeignNotebook) -> Draft:
    """Read a notebook and its tests; without solutions in it, a person has to write them."""
    read = [read_test_file(text, path) for path, text in _files(notebook).items()]
    tests = {plain_id(name): found for name, found in read}
    cells: list[DraftCell] = []
    answers: dict[int, str] = {}  # the place of a cell, and the question that it answers
    recent: list[int] = []
    for cell in notebook.cells:
        asked = _CHECK.search(cell.source) if cell.kind == "code" else None
        if asked and plain_id(asked[1]) in tests:
            id = plain_id(asked[1])
            answers |= {place: id for place in recent if _answers(cells[place].source, tests[id])}
            cells.append(DraftCell(kind="code", source=f'check("{id}")'))
            recent = []
        elif cell.kind in ("code", "markdown") and cell.source.strip() and not is_otters(cell.source):
            if cell.kind == "code":
                recent.append(len(cells))
            cells.append(DraftCell(kind="code" if cell.kind == "code" else "markdown", source=cell.source))
    solved = not any(_UNSOLVED.search(cells[place].source) for place in answers)
    made = [
        DraftCell(kind=cell.kind, source=_marked(cell.source, solved), question=answers[place])
        if place in answers
        else cell
        for place, cell in enumerate(cells)
    ]
    in_order = {id: tests[id] for id in dict.fromkeys([*answers.values(), *tests])}
    return drafted(notebook.title, made, in_order, (), solved)


def _files(notebook: ForeignNotebook) -> dict[Path, str]:
    """Return the test files by their paths; a folder beside the notebook comes before its metadata, as in otter."""
    folder = notebook.path.parent / "tests"
    if found := sorted(folder.glob("*.py")) if folder.is_dir() else []:
        try:
            return {path: path.read_text(encoding="utf-8") for path in found if path.name != "__init__.py"}
        except (OSError, UnicodeDecodeError) as error:
            raise CourseError(f"{folder} cannot be read: {error}") from error
    inside = notebook.metadata.get("otter")
    tests = inside.get("tests") if isinstance(inside, dict) else None
    if not isinstance(tests, dict):
        return {}
    return {
        notebook.path.with_name(f"{name}.py"): text if isinstance(text, str) else f"test = {text!r}"
        for name, text in tests.items()
    }


def _answers(source: str, tests: tuple[DraftTest, ...]) -> bool:
    used = frozenset(name for test in tests for name in globals_of(test.whole))
    return any(one.name in used for one in definitions(source))


def _marked(source: str, solved: bool) -> str:
    return wrap(source) if solved else wrap(f"# TO DO: write the solution\n{source}", source)
