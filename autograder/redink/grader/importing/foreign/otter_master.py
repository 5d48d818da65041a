"""A master of otter-assign: raw cells that open and close questions, solutions, prompts and tests."""

from __future__ import annotations

import ast
import re
from typing import Any

import yaml

from redink.errors import CourseError
from redink.grader.importing.draft import Draft, DraftCell, DraftTest, ToDo, told
from redink.grader.importing.foreign.documents import ForeignCell, ForeignNotebook
from redink.grader.importing.foreign.marking import mark_otter, wrap
from redink.grader.importing.foreign.otter_notebook import drafted, is_otters, plain_id
from redink.grader.importing.foreign.otter_tests import OtterCase, of_function, of_output, with_points
from redink.source import parse
from redink.texts import clean

_BOUNDARY = re.compile(r"\s*#\s*(BEGIN|END|ASSIGNMENT)\s+(QUESTION|SOLUTION|PROMPT|TESTS|CONFIG)\b", re.IGNORECASE)
_FENCED = re.compile(r"\s*```otter\n(.*?)\n\s*```\s*", re.DOTALL)
_CONFIG = re.compile(
    r'\s*(?:\w\s*=\s*)?"""\s*#\s*BEGIN TEST CONFIG\s*\n(.*?)\n\s*"""\s*#\s*END TEST CONFIG\s*\n?',
    re.DOTALL | re.IGNORECASE,
)


def is_otter_master(notebook: ForeignNotebook) -> bool:
    """Tell whether this notebook has otter's raw cells."""
    return any(_boundary(cell) == ("BEGIN", "QUESTION") for cell in notebook.cells)


def read_otter_master(notebook: ForeignNotebook) -> Draft:
    """Read a master of otter-assign."""
    return _MasterReader(notebook).read()


def _raw(cell: ForeignCell) -> str | None:
    """Return the text of a raw cell, or of one that is fenced in Markdown."""
    if cell.kind == "raw":
        return cell.source
    fenced = _FENCED.fullmatch(cell.source) if cell.kind == "markdown" else None
    return fenced[1] if fenced else None


def _boundary(cell: ForeignCell) -> tuple[str, str] | None:
    found = _BOUNDARY.match(_raw(cell) or "")
    return (found[1].upper(), found[2].upper()) if found else None


class _MasterReader:
    def __init__(self, notebook: ForeignNotebook) -> None:
        self.notebook = notebook
        self.cells: list[DraftCell] = []
        self.to_do: list[ToDo] = []
        self.tests: dict[str, tuple[DraftTest, ...]] = {}
        self.doctests = True
        self.open: list[str] = []  # blocks
        self.question: dict[str, Any] = {}
        self.cases: list[OtterCase] = []
        self.prompt = ""

    def read(self) -> Draft:
        for cell in self.notebook.cells:
            if (boundary := _boundary(cell)) is not None:
                self._boundary(cell, *boundary)
            elif "TESTS" in self.open:
                self._test(cell)
            elif cell.kind == "code":
                self._code(cell)
            elif cell.kind == "markdown":
                self._prose(cell)
            elif cell.source.strip():
                self.to_do.append(
                    ToDo(sentence=f"cell {cell.index} is a raw cell, and was left out", quoted=cell.source)
                )
        if self.open:
            raise CourseError(f"{self.notebook.path}: BEGIN {self.open[-1]} without END {self.open[-1]}")
        return drafted(self.notebook.title, self.cells, self.tests, self.to_do, solved=True)

    def _boundary(self, cell: ForeignCell, mark: str, block: str) -> None:
        where = f"{self.notebook.path}, cell {cell.index}"
        if mark == "ASSIGNMENT":
            tests = _settings(_raw(cell) or "", where).get("tests")
            self.doctests = not isinstance(tests, dict) or bool(tests.get("ok_format", True))
        elif mark == "BEGIN":
            self.open.append(block)
            if block == "QUESTION":
                self._begin(_settings(_raw(cell) or "", where), where)
        elif not self.open or self.open.pop() != block:
            raise CourseError(f"{where}: END {block} does not match; mend the marks there and import again")
        elif block == "QUESTION":
            self._end(where)

    def _begin(self, settings: dict[str, Any], where: str) -> None:
        if not settings.get("name"):
            raise CourseError(f"{where}: the question has no name")
        self.question, self.cases, self.prompt = settings, [], ""

    def _end(self, where: str) -> None:
        name, points = str(self.question["name"]), self.question.get("points")
        if self.question.get("manual") or not self.cases:
            worth = f" ({told(points)})" if isinstance(points, int | float) else ""
            why = "is graded by a person" if self.question.get("manual") else "has no tests"
            sentence = (
                f"question {clean(name, 60)}{worth} {why}: make it a concept question, or give these points elsewhere"
            )
            self.to_do.append(ToDo(sentence=sentence))
        else:
            id = plain_id(name)
            if id in self.tests:
                raise CourseError(f"{where}: there are two questions called {name}; rename one")
            self.tests[id] = with_points(name, points, bool(self.question.get("all_or_nothing")), self.cases)
            self.cells.append(DraftCell(kind="code", source=f'check("{id}")'))
        self.question = {}

    def _code(self, cell: ForeignCell) -> None:
        where = f"{self.notebook.path}, cell {cell.index}"
        if "PROMPT" in self.open:
            self.prompt = cell.source
        elif "SOLUTION" in self.open:
            id = plain_id(str(self.question.get("name", "")))
            source = wrap(cell.source, self.prompt) if self.prompt else mark_otter(cell.source, where)
            self.cells.append(DraftCell(kind="code", source=source, question=id))
            self.prompt = ""
        elif cell.source.strip() and not is_otters(cell.source) and "## Ignore ##" not in cell.source:
            self.cells.append(DraftCell(kind="code", source=cell.source))

    def _prose(self, cell: ForeignCell) -> None:
        if "SOLUTION" in self.open:
            name = clean(str(self.question.get("name", "")), 60)
            sentence = f"the written answer to {name} was left out of the notebook"
            self.to_do.append(ToDo(sentence=sentence, quoted=cell.source))
        else:
            self.cells.append(DraftCell(kind="markdown", source=cell.source))

    def _test(self, cell: ForeignCell) -> None:
        """Read one test cell: its settings above, then a doctest with its saved output, or a function."""
        if cell.kind != "code" or not cell.source.strip():
            return
        where = f"{self.notebook.path}, cell {cell.index}"
        first = cell.source.lstrip().splitlines()[0]
        hidden = first.startswith("#") and bool(re.search(r"\bhidden\b", first, re.IGNORECASE))
        settings: dict[str, Any] = {}
        source = cell.source
        if found := _CONFIG.match(source):
            settings, source = _settings(found[1], where), source[found.end() :]
        source, why_not = self._statements(source, cell.printed)
        points = settings.get("points")
        self.cases.append(
            OtterCase(
                source=source,
                hidden=bool(settings.get("hidden", hidden)),
                points=float(points) if isinstance(points, int | float) else None,
                why_not=why_not,
            )
        )

    def _statements(self, source: str, printed: str) -> tuple[str, str]:
        if self.doctests:
            return of_output(source, printed)
        functions = [node for node in parse(source).body if isinstance(node, ast.FunctionDef)]
        return (of_function(functions[0]), "") if len(functions) == 1 else (source, "it is not one test function")


def _settings(text: str, where: str) -> dict[str, Any]:
    """Read the YAML of a raw cell."""
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise CourseError(f"{where}: its settings are not YAML: {clean(str(error), 120)}") from error
    return found if isinstance(found, dict) else {}
