"""A source notebook of nbgrader: answers, locked tests with their points, hidden regions, and what a person grades.

A question is an answer cell with the tests behind it; each test cell is a unit of points, all of which must hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from redink.errors import CourseError
from redink.grader.importing.draft import Draft, DraftCell, DraftQuestion, DraftTest, ToDo, told
from redink.grader.importing.foreign.documents import ForeignCell, ForeignNotebook
from redink.grader.importing.foreign.marking import mark_regions
from redink.grader.importing.foreign.partial import by_counts
from redink.source import definitions, globals_of

_NEWEST = 3
_HIDDEN = re.compile(r"\s*#+\s*(BEGIN|END) HIDDEN TESTS")
_SCHEME = re.compile(r"#+\s*BEGIN MARK SCHEME(.*?)#+\s*END MARK SCHEME", re.DOTALL)
_YOURS = "*Your answer*"


def is_nbgrader(notebook: ForeignNotebook) -> bool:
    """Tell whether nbgrader's metadata marks a cell of this notebook."""
    return any(_marks(cell).get("grade") or _marks(cell).get("solution") for cell in notebook.cells)


def read_nbgrader(notebook: ForeignNotebook) -> Draft:
    """Read a source notebook; a release version, which has no solutions, is refused."""
    _refuse_other_versions(notebook)
    return _SourceReader(notebook).read()


def _marks(cell: ForeignCell) -> dict[str, Any]:
    found = cell.metadata.get("nbgrader")
    return found if isinstance(found, dict) else {}


def _refuse_other_versions(notebook: ForeignNotebook) -> None:
    for cell in notebook.cells:
        marks = _marks(cell)
        version = marks.get("schema_version", 0) if marks else _NEWEST
        if not isinstance(version, int) or not 1 <= version <= _NEWEST:
            raise CourseError(
                f"{notebook.path}, cell {cell.index}: nbgrader's metadata has the version {version}, and 1 to {_NEWEST} "
                "can be read; run `nbgrader update` on it first, or update Redink"
            )
    if any("checksum" in _marks(cell) for cell in notebook.cells):
        raise CourseError(
            f"{notebook.path} is a release version, without solutions and hidden tests; import it from nbgrader's source/"
        )


class _SourceReader:
    def __init__(self, notebook: ForeignNotebook) -> None:
        self.notebook = notebook
        self.cells: list[DraftCell] = []
        self.to_do: list[ToDo] = []
        self.answers: dict[str, set[str]] = {}  # question, and the names that its cell defines
        self.tests: dict[str, list[DraftTest]] = {}
        self.titles: dict[str, str] = {}
        self.heading = ""
        self.first: dict[str, ForeignCell] = {}  # by grade_id

    def read(self) -> Draft:
        for cell in self.notebook.cells:
            if not self._is_copy(cell):
                self._cell(cell)
        return Draft(
            title=self.notebook.title,
            cells=tuple(self.cells),
            questions=tuple(
                DraftQuestion(id=id, title=self.titles[id], tests=tuple(self.tests[id])) for id in self.tests
            ),
            to_do=tuple(self.to_do),
        )

    def _is_copy(self, cell: ForeignCell) -> bool:
        """Leave the copy of a cell out, and say so; nbgrader itself would refuse the notebook."""
        id = str(_marks(cell).get("grade_id", ""))
        first = self.first.setdefault(id, cell) if id and not id.isspace() else cell
        if first is cell:
            return False
        same = first.source == cell.source and first.kind == cell.kind
        fate = "it is a copy, and was left out" if same else "it was left out; give it an id of its own if it is meant"
        sentence = f"cell {cell.index} has the grade_id {id} of cell {first.index}: {fate}"
        self.to_do.append(ToDo(sentence=sentence, quoted="" if same else cell.source))
        return True

    def _cell(self, cell: ForeignCell) -> None:
        marks = _marks(cell)
        grade, solution = bool(marks.get("grade")), bool(marks.get("solution"))
        if marks.get("task") or (grade and solution) or (cell.kind == "markdown" and (grade or solution)):
            self._manual(cell)
        elif cell.kind == "markdown":
            if heading := re.findall(r"^#+\s+(\S.*)$", cell.source, re.MULTILINE):
                self.heading = heading[-1]
            self.cells.append(DraftCell(kind="markdown", source=cell.source))
        elif cell.kind != "code":
            self.to_do.append(ToDo(sentence=f"cell {cell.index} is a raw cell, and was left out", quoted=cell.source))
        elif grade:
            self._test(cell)
        elif solution:
            self._answer(cell)
        elif cell.source.strip():
            self.cells.append(DraftCell(kind="code", source=cell.source))

    def _answer(self, cell: ForeignCell) -> None:
        marked = mark_regions(cell.source, f"{self.notebook.path}, cell {cell.index}")
        id = self._id(cell)
        self.answers[id] = {one.name for one in definitions(marked)}
        self.titles[id] = self.heading or id
        self.cells.append(DraftCell(kind="code", source=marked, question=id))

    def _test(self, cell: ForeignCell) -> None:
        points = float(_marks(cell).get("points") or 0)
        where = f"cell {cell.index} ({_marks(cell).get('grade_id', '')}, {told(points)})"
        lines = cell.source.splitlines()
        hidden = _hidden_lines(lines)
        whole = "\n".join("" if _HIDDEN.match(line) else line for line in lines)
        shown = "\n".join("" if n in hidden or _HIDDEN.match(line) else line for n, line in enumerate(lines, start=1))
        question = self._asked_by(whole)
        test = DraftTest(name=self._id(cell), points=points, where=where, whole=whole, shown=shown)
        if question is None:
            self.to_do.append(ToDo(sentence=f"{where} tests nothing that an answer cell defines", quoted=cell.source))
            return
        self.tests.setdefault(question, []).extend(by_counts(test, hidden))
        self.cells.append(DraftCell(kind="code", source=f'check("{question}")'))

    def _asked_by(self, test: str) -> str | None:
        """Find the last answer cell of whose names a test uses one."""
        named = " ".join(line for line in test.splitlines() if "AUTOTEST" in line)  # a comment, in which names stand
        used = globals_of(test) | {*re.findall(r"\w+", named)}
        return next((id for id in reversed(self.answers) if used & self.answers[id]), None)

    def _manual(self, cell: ForeignCell) -> None:
        points = float(_marks(cell).get("points") or 0)
        sentence = (
            f"cell {cell.index} ({_marks(cell).get('grade_id', '')}, {told(points)}) is graded by a person: make it a "
            "concept question, or give these points elsewhere"
        )
        if _marks(cell).get("task"):
            scheme = "\n".join(part.strip("\n") for part in _SCHEME.findall(cell.source))
            prose = _SCHEME.sub("", cell.source).strip("\n")
            self.cells.append(DraftCell(kind="markdown", source=prose))
            self.to_do.append(ToDo(sentence=sentence, quoted=scheme))
        elif cell.kind == "markdown":
            self.cells.append(DraftCell(kind="markdown", source=_YOURS))
            self.to_do.append(ToDo(sentence=sentence, quoted=cell.source))
        else:
            marked = mark_regions(cell.source, f"{self.notebook.path}, cell {cell.index}")
            self.cells.append(DraftCell(kind="code", source=marked))
            self.to_do.append(ToDo(sentence=sentence))

    def _id(self, cell: ForeignCell) -> str:
        """Name a cell by its grade_id; by what it defines, where nbgrader made the id up."""
        id = str(_marks(cell).get("grade_id", ""))
        defined = [one.name for one in definitions(cell.source)]
        plain = id if id and not re.fullmatch(r"cell-[0-9a-f]+", id) else (defined or [f"cell_{cell.index}"])[0]
        name = re.sub(r"\W", "_", plain)
        return f"q_{name}" if name[:1].isdigit() else name


def _hidden_lines(lines: list[str]) -> set[int]:
    return set(_between(lines))


def _between(lines: list[str]) -> Iterator[int]:
    inside = False
    for number, line in enumerate(lines, start=1):
        if mark := _HIDDEN.match(line):
            inside = mark[1] == "BEGIN"
        elif inside:
            yield number
