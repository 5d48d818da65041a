"""`redink mistakes --adopt`: an unknown mistake that several share becomes a misconception, by one example's own code.

A misconception is an edit of the master that matches exactly once. Here it is what differs between the master's text of
the asked functions and a student's, read from the source alone: nobody's code is run. The hint is left empty, and every
command that reads the bank refuses it until somebody has filled it in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from redink.assignment.load import read_source
from redink.checks.specimens import Specimen
from redink.errors import AuthorError, CourseError
from redink.files import write_whole
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.depending import reached, uses_of
from redink.grader.assignment.master import edited
from redink.grader.course import Course
from redink.grader.desk.edits import Replacement, as_edits, edits_of_answers, edits_of_definition, in_few
from redink.grader.desk.mistakes import UnknownGroup, find_group, find_mistakes, graded_by_student
from redink.grader.evidence.packing import decode_sources
from redink.grader.store.gradebook import Gradebook, Graded
from redink.records import Cell, Record
from redink.source import LONGEST, definitions, is_too_long

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Adopted(Record, frozen=True):
    """A misconception that was written, all but its hint."""

    name: str
    question: str
    students: int
    file: Path
    line: int  # of the hint


def adopt(course: Course, book: Gradebook, slug: str, told: str, name: str = "") -> Adopted:
    """Write the skeleton of a misconception for a group of unknown mistakes into misconceptions.py."""
    group = find_group(find_mistakes(course, book, slug), told)
    assignment = read_assignment(course, slug)
    name = name or f"unknown_{group.name.rpartition('-')[2]}"
    if not _NAME.fullmatch(name):
        raise CourseError(f"{name!r} is no name for a misconception: write small letters, digits and _")
    if any(one.id == name for one in assignment.misconceptions):
        raise CourseError(f"{slug} has a misconception {name} already; choose another name with --name")
    graded = graded_by_student(book, slug)
    edits = _first_edits(assignment, book, group, [graded[student] for student in group.students])
    path = assignment.solution / "misconceptions.py"
    before = read_source(path, needed=False).rstrip("\n") or "from redink.checks import misconception"
    text = _declared(name, group, edits)
    write_whole(path, f"{before}\n\n{text}".encode())
    hint = before.count("\n") + 3 + text[: text.index("hint=")].count("\n")
    return Adopted(name=name, question=group.question, students=len(group.students), file=path, line=hint)


def _first_edits(
    assignment: Assignment, book: Gradebook, group: UnknownGroup, examples: Sequence[Graded]
) -> tuple[Replacement, ...]:
    """Make an edit of the first example of which one can be made; those come first who are right in what is used."""
    used = assignment.spec.all_used(assignment.spec.question(group.question))
    why = ""
    for one in sorted(examples, key=lambda one: _is_unsound(one, used)):
        run = book.last_run(one.submission)
        try:
            if run is None:
                raise CourseError("its cells are not in the gradebook")
            return _edits(assignment, group, decode_sources(run.sources))
        except (CourseError, AuthorError) as error:
            why = why or str(error)
    raise CourseError(f"{group.name} cannot be made an edit of the master: {why}; write the misconception yourself")


def _is_unsound(example: Graded, used: Sequence[str]) -> bool:
    return any(one.id in used and one.score < one.max_score for one in example.result.questions)


def _edits(assignment: Assignment, group: UnknownGroup, cells: Sequence[Cell]) -> tuple[Replacement, ...]:
    """Make edits of one notebook's code: of the functions that the failing checks are about, and of what those use."""
    if is_too_long([cell.source for cell in cells]):
        raise CourseError(f"its code is longer than {LONGEST:,} characters, too long to be read")
    skip = assignment.master.explorations()
    solved = [cell for cell in assignment.solved if cell.source.strip() not in skip]
    asks = assignment.spec.question(group.question).asks
    failing = [check for check in assignment.checks if check.id in group.checks]
    about = {name for check in failing for name in check.about}
    meant = reached(uses_of(cells), about & set(asks) or asks).intersection(asks)
    kinds = {one.name: one.kind for cell in solved for one in definitions(cell.source)}
    found: list[Replacement] = []
    for name in (name for name in asks if name in meant):
        if kinds.get(name) == "value":
            found += edits_of_answers(solved, cells, name, {check.id for check in failing})
        else:
            found += edits_of_definition(solved, cells, name, assignment.spec.all_asked())
    if not found:
        raise CourseError("its code is the master's own, so something else in the notebook makes the difference")
    few = in_few(found, solved)
    specimen = Specimen(id=group.name, kind="misconception", question=group.question, hint="", edits=as_edits(few))
    edited(assignment.solved, specimen, skip)  # refuses what does not match exactly once
    return few


def _declared(name: str, group: UnknownGroup, edits: Sequence[Replacement]) -> str:
    """Write a misconception as misconceptions.py has them, once for each edit."""
    count = len(group.students)
    lines = [f"# {group.name}, of {count} student{'s' if count > 1 else ''}: name it after the belief"]
    for place, one in enumerate(edits):
        if place:
            lines.append("")
        again = (
            "the same hint again: these are edits of one mistake" if place else "what would a teacher say, in one line?"
        )
        lines += ["misconception(", f'    "{name}", "{group.question}",', f'    hint="",  # {again}']
        lines += [*_written("old", one.old), *_written("new", one.new), ")"]
    return "\n".join(lines) + "\n"


def _written(argument: str, text: str) -> list[str]:
    """Write a text as an argument, a line of it on each line."""
    parts = [_quoted(part) for part in text.splitlines(keepends=True)] or ['""']
    if len(parts) == 1:
        return [f"    {argument}={parts[0]},"]
    return [f"    {argument}=(", *(f"        {part}" for part in parts), "    ),"]


def _quoted(text: str) -> str:
    """Write a string in double quotes where that needs no more backslashes."""
    plain = ascii(text) if not text.rstrip("\n").isprintable() else repr(text)
    if plain.startswith("'") and '"' not in plain:
        return f'"{plain[1:-1]}"'
    return plain
