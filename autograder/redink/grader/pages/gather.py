"""What the gradebook and the course know of a class, read once for all pages of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from redink.assignment.spec import Spec, read_spec
from redink.errors import in_one_sentence
from redink.grader.assignment.handed_out import handed_out, looks_like, names_by_assignment, other_assignment
from redink.grader.course import Course
from redink.grader.desk.history import explain_lateness
from redink.grader.desk.standings import ClassStandings, find_standings
from redink.grader.evidence.packing import decode_sources
from redink.grader.pages.facts import StudentFacts
from redink.grader.pages.own_cells import blank_by_result, blank_by_source
from redink.grader.pages.packing import page_name
from redink.grader.pipeline.report import MistakeGroup, mistake_groups
from redink.grader.rules.standing import Attempt, Standing
from redink.grader.store.gradebook import Gradebook
from redink.records import Cell
from redink.source import forget
from redink.texts import clean


class ClassMaterial(NamedTuple):
    """A class in one assignment: everybody's standing, attempts, cells and shared mistakes."""

    known: ClassStandings
    spec: Spec
    attempts: Mapping[str, Sequence[Attempt]]
    cells: Mapping[int, tuple[Cell, ...]]  # of the attempts that count
    groups: tuple[MistakeGroup, ...]
    students: tuple[StudentFacts, ...]
    told: tuple[str, ...]


def gather(course: Course, book: Gradebook, slug: str) -> ClassMaterial:
    """Read everything that the pages of a class need."""
    known = find_standings(course, book, slug)
    spec = read_spec(course.find_assignment(slug))
    given, names = handed_out(course, slug), names_by_assignment(course)
    strangers, missing = set(known.strangers()), set(known.missing())
    told: list[str] = []
    cells: dict[int, tuple[Cell, ...]] = {}
    students = []
    for one in known.standings:
        if one.kind == "missing" and one.student not in missing and one.grade is None:
            continue  # somebody about whom only an extension is known, and who is in no roster
        mine = _cells(book, one, cells, told)
        blank = blank_by_source(mine, spec, given) if mine else frozenset()
        forget()
        doubts = ["is not in the roster"] if one.student in strangers else []
        doubts += [looks_like(other)] if (other := other_assignment(names, slug, mine)) else []
        students.append(_student(known, one, blank, doubts))
    mistakes = book.mistakes(slug)
    counting = {one.student: one.attempt.submission for one in known.standings if one.attempt}
    return ClassMaterial(
        known=known,
        spec=spec,
        attempts=book.collected.attempts(slug),
        cells=cells,
        groups=mistake_groups({id: mistakes.get(submission, {}) for id, submission in counting.items()}, spec),
        students=tuple(students),
        told=tuple(told),
    )


def _cells(
    book: Gradebook, standing: Standing, known: dict[int, tuple[Cell, ...]], told: list[str]
) -> tuple[Cell, ...]:
    """Read a student's cells as they were handed in; what cannot be read is told, and costs only these cells."""
    if standing.attempt is None or standing.attempt.result is None:
        return ()
    submission = standing.attempt.submission
    if submission not in known:
        try:
            run = book.last_run(submission)
            known[submission] = decode_sources(run.sources) if run and run.sources else ()
        except Exception as error:  # noqa: BLE001 - whatever it is, the others have their pages
            known[submission] = ()
            told.append(f"{clean(standing.student)}: the cells cannot be read: {clean(in_one_sentence(error))}")
    return known[submission]


def _student(known: ClassStandings, standing: Standing, blank: frozenset[str], also: Sequence[str]) -> StudentFacts:
    attempt = standing.attempt
    result = attempt.result if attempt else None
    doubts = [*(attempt.flags if attempt else ())]
    if standing.kind == "not_graded":
        doubts.append("handed in and not graded: grade again")
    if standing.late.unknown:
        doubts.append("late, and nobody says by how much")
    doubts += also
    return StudentFacts(
        student=standing.student,
        name=clean(known.people[standing.student].name),
        kind=standing.kind,
        grade=standing.grade,
        result=result,
        submission=attempt.submission if attempt else 0,
        late=" ".join(explain_lateness(known, standing)) if standing.late.late else "",
        decided=tuple(_decided(standing)),
        doubts=tuple(clean(one) for one in doubts),
        blank=blank | (blank_by_result(result) if result else frozenset()),
        scores={one.id: one.score for one in standing.questions if one.score != one.checked},
        page=f"students/{page_name(standing.student)}.html" if has_page(standing) else "",
    )


def has_page(standing: Standing) -> bool:
    """Tell whether there is something to tell a student: something handed in, or a grade."""
    return standing.attempt is not None or standing.grade is not None


def _decided(standing: Standing) -> list[str]:
    said = [
        f"{one.id}: {one.checked:g} → {one.override.score:g} by {one.override.who}: {one.override.reason}"
        for one in standing.questions
        if one.override
    ]
    if standing.override:
        whole = standing.override
        said.append(f"the whole set to {whole.score:g} by {whole.who}: {whole.reason}")
    return [clean(one, 500) for one in said]
