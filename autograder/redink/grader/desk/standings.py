"""Everybody's standing in an assignment: those who handed in, and those of the roster who did not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from redink.assignment.spec import read_spec
from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.rules.course_rules import CourseRules
from redink.grader.rules.decisions import Void
from redink.grader.rules.groups import Dispute, disputes
from redink.grader.rules.reading import read_course
from redink.grader.rules.roster import Person, Roster
from redink.grader.rules.standing import Decided, Standing, settle_course
from redink.grader.store.gradebook import Gradebook
from redink.records import Record
from redink.suggesting import did_you_mean


class ClassStandings(Record, frozen=True):
    """A class in one assignment today, by the students' ids; `people` says who they are."""

    assignment: str
    rules: CourseRules
    standings: tuple[Standing, ...]
    people: dict[str, Person]
    voids: tuple[Void, ...] = ()
    enrolled: frozenset[str] | None = None  # None: there is no roster
    sentences: dict[str, str] = msgspec.field(default_factory=dict)  # of checks, where some do not count
    disputes: tuple[Dispute, ...] = ()  # groups whose people handed in different files

    def by_student(self) -> dict[str, Standing]:
        """Return the standings by student."""
        return {one.student: one for one in self.standings}

    def missing(self) -> list[str]:
        """List those of the roster who handed in nothing."""
        return [one.student for one in self.standings if one.kind == "missing" and self._is_enrolled(one.student)]

    def strangers(self) -> list[str]:
        """List those who handed in and are in no roster, where there is one."""
        return [one.student for one in self.standings if one.attempts and not self._is_enrolled(one.student)]

    def last_end(self) -> datetime | None:
        """Return when the last student's time is over: before that, answers could still be passed on."""
        ends = [one.late.due for one in self.standings if one.late.due is not None]
        due = self.rules.due(self.assignment)
        return max([*ends, *([due] if due else [])], default=None)

    def _is_enrolled(self, student: str) -> bool:
        return self.enrolled is None or student in self.enrolled


@contextlib.contextmanager
def open_gradebook(
    course: Course, gradebook: Path | None, holder: str, *, make: bool = False, reads: bool = False
) -> Iterator[Gradebook]:
    """Open the gradebook of a course that exists already; a command that only looks makes none.

    One that `reads` alone may look while another command writes.
    """
    path = gradebook or course.gradebook_path()
    if not (make or path.exists()):
        raise CourseError(f"there is no gradebook {path}: collect or grade first, or name another with --gradebook")
    with Gradebook(path, course.secret_name(), holder=holder, reads=reads) as book:
        yield book


def find_standings(course: Course, book: Gradebook, slug: str) -> ClassStandings:
    """Work out everybody's standing in an assignment."""
    course.find_assignment(slug)
    rules, roster = read_course(course)
    slugs = {slug, *(rules.by_due_date() if rules.slip_days else ())}
    attempts = {one: book.collected.attempts(one) for one in slugs}
    decided = {one: book.decisions.decided(one) for one in slugs}
    voids = {one: book.decisions.voids(one) for one in slugs}
    written = [one for one in slugs if (course.assignments / one / "assignment.toml").is_file()]
    full_marks = {one: read_spec(course.assignments / one).full_marks for one in written}
    students = sorted({*attempts[slug], *decided[slug], *(one.id for one in (roster.people if roster else ()))})
    standings = tuple(
        settle_course(
            rules,
            student,
            {one: attempts[one].get(student, []) for one in slugs},
            {one: decided[one].get(student, Decided()) for one in slugs},
            voids,
            full_marks=full_marks,
        )[slug]
        for student in students
    )
    return ClassStandings(
        assignment=slug,
        rules=rules,
        standings=standings,
        people=people_of(book, roster, students),
        voids=voids[slug],
        sentences=check_sentences(standings) if voids[slug] else {},
        enrolled=frozenset(one.id for one in roster.people) if roster else None,
        disputes=disputes(attempts[slug], rules.of(slug).counts),
    )


def check_sentences(standings: Sequence[Standing]) -> dict[str, str]:
    """Return what checks ask, in words; of one that everybody passed no sentence is stored."""
    results = [one.attempt.result for one in standings if one.attempt and one.attempt.result]
    return {
        check.id: check.message.split("\n")[0]
        for result in results
        for question in result.questions
        for check in question.checks
        if check.message
    }


def find_student(known: ClassStandings, told: str) -> str:
    """Find the student whom an instructor means by an id, an address or a whole name."""
    return find_called(known.people, told, known.assignment).id


def find_called(people: Mapping[str, Person], told: str, where: str) -> Person:
    """Find who is called so, by an id, an address or a whole name; several are all named, and nobody is chosen."""
    if told in people:
        return people[told]
    meant = Roster(tuple(people.values())).meant(told)
    if len(meant) == 1:
        return meant[0]
    if meant:
        who = ", ".join(f"{one.id}{f' <{one.email}>' if one.email not in ('', one.id) else ''}" for one in meant)
        raise CourseError(f"{len(meant)} people in {where} are called {told!r}: write the id of one of them: {who}")
    near = did_you_mean(told, people)
    raise CourseError(f"nobody in {where} is called {told!r}" + (f"; {near}" if near else ""))


def local(moment: datetime | None, rules: CourseRules) -> str:
    """Write a moment as the course's clock shows it."""
    return "" if moment is None else f"{moment.astimezone(rules.zone):%Y-%m-%d %H:%M}"


def is_over(known: ClassStandings) -> bool:
    """Tell whether everybody's time is over; without a due date nobody knows, and it is."""
    end = known.last_end()
    return end is None or end <= datetime.now(UTC)


def people_of(book: Gradebook, roster: Roster | None, students: Sequence[str]) -> dict[str, Person]:
    """Say who the students are: by the roster, and by what platforms told."""
    told = book.collected.identities()
    found = {}
    for student in students:
        person = roster[student] if roster else Person(id=student)
        ids = dict(told.get(student, {}))
        name, email = ids.pop("name", ""), ids.pop("email", "")
        found[student] = msgspec.structs.replace(
            person, name=person.name or name, email=person.email or email, ids={**ids, **person.ids}
        )
    return found
