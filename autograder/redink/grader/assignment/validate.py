"""Whether the parts of an assignment fit together: an author's mistakes, found before any submission runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from redink.checks.seeds import PUBLISHED, generator
from redink.errors import AuthorError
from redink.grader.assignment.depending import check_uses
from redink.grader.assignment.forbidden_names import refuse_unknown_forbids
from redink.grader.assignment.master import Master
from redink.grader.assignment.reference import Reference
from redink.grader.assignment.slips import refuse_names_used_twice, refuse_unknown_names
from redink.source import definitions

if TYPE_CHECKING:
    from redink.grader.assignment.assignment import Assignment

_CHECK_CELL = re.compile(r"""^check\(\s*["']([^"']*)["']\s*\)""", re.MULTILINE)


def validate(assignment: Assignment) -> None:
    """Raise `AuthorError` with what does not fit, and where."""
    _refuse_slips(assignment)
    _unique("checks", [check.id for check in assignment.checks], assignment.slug)
    specimens = assignment.misconceptions + assignment.alternatives
    _unique("specimens", [f"{one.kind} {one.id}" for one in specimens], assignment.slug)
    for check in assignment.checks:
        check.shipped(assignment.spec.question(check.question).asks, {})  # refuses a when that may not be shipped
    _refuse_a_public_key(assignment)
    checked = {check.question for check in assignment.checks if check.weight > 0}
    known = {question.id for question in assignment.spec.questions}
    for one in specimens:
        if one.question not in known:
            raise AuthorError(f"{one.kind} {one.id}: there is no question {one.question!r}; there are {_listed(known)}")
    for question in assignment.spec.questions:
        if question.id not in checked:
            raise AuthorError(f"{assignment.slug}: question {question.id} has no check that carries points")
        for name in question.asks:
            _check_asked(assignment.master, question.id, name)
    check_uses(assignment.spec, assignment.master.solved(), assignment.master.path)
    for index, cell in enumerate(assignment.master.cells, start=1):
        for named in _CHECK_CELL.findall(cell.source) if cell.kind == "code" else ():
            if named not in known:
                where = f"{assignment.master.path}, cell {index}"
                raise AuthorError(f"{where}: check({named!r}) names no question; there are {_listed(known)}")


def _refuse_a_public_key(assignment: Assignment) -> None:
    """Refuse a public check that compares short answers with the key, which would then be published."""
    for check in filter(assignment.sees_short_answers, assignment.public):
        if check.then_function is None or "expected" in inspect.signature(check.then_function).parameters:
            raise AuthorError(
                f"check {check.id} is public and compares short answers with the right ones, which would be published: "
                "write it in hidden_checks.py, or let its then judge without `expected`"
            )


def _refuse_slips(assignment: Assignment) -> None:
    """Refuse what each file gets wrong by itself, and Python would not tell."""
    for checks, source, path in (
        (assignment.public, assignment.checks_source, assignment.folder / "checks.py"),
        (assignment.hidden, assignment.hidden_source, assignment.solution / "hidden_checks.py"),
    ):
        refuse_names_used_twice(source, str(path), checks)
        refuse_unknown_names(checks)
    for name in assignment.spec.data:
        if not (assignment.folder / name).is_file():
            raise AuthorError(
                f"{assignment.folder / 'assignment.toml'}: data names {name!r}, which is not a file there"
            )
    refuse_unknown_forbids(assignment.spec, assignment.folder / "assignment.toml")


def questions_without_a_cell(assignment: Assignment) -> Iterator[str]:
    """Return the ids of the questions for which the notebook has no `check` cell."""
    named = {id for cell in assignment.master.cells if cell.kind == "code" for id in _CHECK_CELL.findall(cell.source)}
    return (question.id for question in assignment.spec.questions if question.id not in named)


def refuse_unknown_mutates(assignment: Assignment) -> None:
    """Refuse a name in `mutates` that is no input of any check of its question; runs their givens."""
    reference = Reference(assignment.master, assignment.folder)
    for question in (one for one in assignment.spec.questions if one.mutates):
        known: set[str] = set()
        for check in (one for one in assignment.checks if one.question == question.id):
            inputs = check.inputs(generator(PUBLISHED, assignment.slug, check.id, 0), 0, reference)
            known |= set(check.shipped(question.asks, inputs).names)
        if unknown := [name for name in question.mutates if name not in known]:
            raise AuthorError(
                f"{assignment.slug}: question {question.id} mutates {unknown[0]}, which no `when` of its checks is given; "
                f"there are {', '.join(sorted(known))}"
            )


def _check_asked(master: Master, question: str, name: str) -> None:
    """Refuse a master that does not define what a question asks for, or does not mark the solution."""
    code = [cell for cell in master.cells if cell.kind == "code"]
    defining = [cell for cell in code if any(one.name == name for one in definitions(cell.source))]
    if not defining:
        raise AuthorError(f"{master.path}: question {question} asks for {name}, which the master does not define")
    if not any(cell.marked for cell in defining):
        raise AuthorError(
            f"{master.path}: the cell that defines {name} has no solution marks, so students would be given the solution"
        )


def _unique(what: str, names: Sequence[str], slug: str) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise AuthorError(f"{slug}: there are two {what} called {twice[0]}")


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
