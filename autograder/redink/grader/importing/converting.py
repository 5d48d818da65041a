"""The questions of a draft with the checks that its tests become, and what is left for a person."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Collection, Mapping
from typing import NamedTuple

from redink.grader.assignment.depending import reached, uses_of
from redink.grader.assignment.master import MasterCell
from redink.grader.importing.chains import NoCheck, alone
from redink.grader.importing.draft import Draft, DraftQuestion, DraftTest, ToDo
from redink.grader.importing.taking_apart import Known, TakenApart, take_apart
from redink.records import Cell
from redink.source import definitions, parse, statements

_TAKEN = frozenset({"check", "close", "kinds_of", "kinds_raised"})  # names that a file of checks has besides its checks


class MadeCheck(NamedTuple):
    """One check: of a whole test, or of what students may see of it."""

    id: str
    question: str
    test: DraftTest
    weight: float
    hidden: bool
    parts: TakenApart


class MadeQuestion(NamedTuple):
    """One question as assignment.toml has it."""

    id: str
    title: str
    points: float
    asks: tuple[str, ...]
    uses: tuple[str, ...]


class Converted(NamedTuple):
    """What becomes of a draft."""

    questions: tuple[MadeQuestion, ...]
    checks: tuple[MadeCheck, ...]
    to_do: tuple[ToDo, ...]


def convert(draft: Draft, refuted: Mapping[str, str]) -> Converted:
    """Turn tests into checks; `refuted` are tests, by name, that were tried and will not do, with the reason."""
    known = _known(draft)
    checks: list[MadeCheck] = []
    to_do = list(draft.to_do)
    for question in draft.questions:
        asked = _asked(draft, question)
        for test in question.tests:
            try:
                checks += _checks(question, test, known, asked, refuted, {one.id for one in checks})
            except NoCheck as why:
                to_do.append(ToDo(sentence=f"{test.where}: {why}", quoted=test.whole, public=not test.hidden))
    kept = [one for one in checks if any(other.weight for other in checks if other.question == one.question)]
    return Converted(_questions(draft, kept), tuple(kept), tuple(to_do))


def _checks(
    question: DraftQuestion,
    test: DraftTest,
    known: Known,
    asked: frozenset[str],
    refuted: Mapping[str, str],
    taken: Collection[str],
) -> list[MadeCheck]:
    """Make the check of a test, and where part of it is hidden, one without points of what may be seen."""
    if why := test.why_not or refuted.get(test.name, ""):
        raise NoCheck(why)
    if not test.points:
        raise NoCheck("it carries no points")
    parts = take_apart(test.whole, known)
    if not parts.uses & asked:
        raise NoCheck("it tests nothing that its question asks a student to write")
    id = _free(test.name, {*taken, *known.imports})
    made = [MadeCheck(id, question.id, test, test.points, test.hidden, parts)]
    if test.hidden and test.shown:
        try:
            seen = take_apart(test.shown, known)
        except NoCheck:  # its assertions are all hidden
            return made
        made.insert(0, MadeCheck(f"{id}_shown", question.id, test, 0.0, False, seen))
    return made


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken or name in _TAKEN or keyword.iskeyword(name) or hasattr(builtins, name):
        name = f"{name}_test"
    return name


def _questions(draft: Draft, checks: list[MadeCheck]) -> tuple[MadeQuestion, ...]:
    asks = {question.id: _asked(draft, question) for question in draft.questions}
    used = {id: {name for one in checks if one.question == id for name in one.parts.uses} for id in asks}
    uses = uses_of(Cell(index=0, source=cell.source) for cell in draft.cells if cell.kind == "code")
    found: list[MadeQuestion] = []
    for question in draft.questions:
        own = [one for one in checks if one.question == question.id]
        if own:
            names = tuple(sorted(asks[question.id] & used[question.id]))
            calls = reached(uses, names)
            earlier = tuple(one.id for one in found if calls.intersection(one.asks) and not {*one.asks} & {*names})
            points = round(sum(one.weight for one in own), 6)
            found.append(MadeQuestion(question.id, question.title, points, names, earlier))
    return tuple(found)


def _asked(draft: Draft, question: DraftQuestion) -> frozenset[str]:
    """Return what a question's cells define and students must write."""
    cells = [MasterCell(kind="code", source=cell.source) for cell in draft.cells if cell.question == question.id]
    return frozenset(one.name for cell in cells if cell.marked for one in definitions(cell.source))


def _known(draft: Draft) -> Known:
    sources = [cell.source for cell in draft.cells if cell.kind == "code"]
    imports: dict[str, str] = {}
    for node in (node for source in sources for node in parse(source).body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for one in node.names:
                imports[one.asname or one.name.partition(".")[0]] = ast.unparse(alone(node, one))
    defined = {name for source in sources for statement in statements(source) for name in statement.names}
    return Known(frozenset(defined - imports.keys()), imports)
