"""What a person decides: more time, another score, a check that does not count; one by one or from a CSV file.

Everything is checked before anything is written, so of a file all rows hold or none. Each decision is a new row of the
gradebook with who, why and when; taking it back is one too.
"""

from __future__ import annotations

import getpass
import math
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec

from redink.assignment.spec import Spec, read_spec
from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.desk.standings import ClassStandings, find_standings, find_student, local
from redink.grader.rules.course_rules import CourseRules, days_later, local_time
from redink.grader.rules.standing import Standing
from redink.grader.rules.tables import read_table
from redink.grader.store.gradebook import Gradebook
from redink.records import Record
from redink.suggesting import did_you_mean

_Read = TypeVar("_Read")


class GradeMove(Record, frozen=True):
    """What a decision did to one student's grade."""

    student: str
    old: float | None
    new: float | None
    group: tuple[str, ...] = ()  # who has the same submission, and keeps the grade
    until: str = ""  # by the course's clock, after an extension
    before: str = ""  # until when there was an extension before it


class Wish(Record, frozen=True):
    """One decision as an instructor writes it: a student, what to, and why; without a value it is taken back."""

    student: str
    value: str
    reason: str = ""
    question: str = ""
    where: str = ""  # in a file of many


def read_wishes(path: Path, column: str) -> list[Wish]:
    """Read decisions from a CSV file with the columns student, `column`, reason and, if there is one, question."""
    table = read_table(path)
    at = {name: table.column(name) for name in ("student", column, "reason", "question")}
    for name in ("student", column, "reason"):
        if at[name] is None:
            raise CourseError(f"{path} has no column {name!r}; it needs student, {column} and reason")
    wishes = []
    for number, row in enumerate(table.rows[1:], start=2):
        texts = row.texts()

        def said(name: str, texts: list[str] = texts) -> str:
            place = at[name]
            return texts[place].strip() if place is not None and place < len(texts) else ""

        if not any(text.strip() for text in texts):
            continue
        if not (said("student") and said("reason")):
            raise CourseError(f"{path}, line {number}: a student and a reason are needed; nothing was changed")
        wishes.append(
            Wish(
                student=said("student"),
                value=said(column),
                reason=said("reason"),
                question=said("question"),
                where=f"{path}, line {number}: ",
            )
        )
    return wishes


def extend(course: Course, book: Gradebook, slug: str, wishes: Sequence[Wish]) -> list[GradeMove]:
    """Set until when students have time: `2026-11-22 23:59`, or `+2` for so many days after it is due."""
    before = find_standings(course, book, slug)
    made = _all_read(wishes, lambda one: (_who(before, one), _until(before, one), one))
    with book.transaction():
        for student, until, one in made:
            book.decisions.extend(slug, student, until, reason=one.reason, who=getpass.getuser())
    after = find_standings(course, book, slug)
    moves = _moves(before, after, [student for student, _, _ in made])
    return [
        msgspec.structs.replace(one, until=_end(after, one.student) or "it is due", before=_end(before, one.student))
        for one in moves
    ]


def override(course: Course, book: Gradebook, slug: str, wishes: Sequence[Wish]) -> list[GradeMove]:
    """Set scores of questions, or of the whole assignment where no question is named."""
    before = find_standings(course, book, slug)
    spec = read_spec(course.find_assignment(slug))
    made = _all_read(wishes, lambda one: (_who(before, one), _score(before, spec, one), one))
    with book.transaction():
        for student, score, one in made:
            book.decisions.override(slug, student, one.question, score, reason=one.reason, who=getpass.getuser())
    return _moves(before, find_standings(course, book, slug), [student for student, _, _ in made])


def void(course: Course, book: Gradebook, slug: str, check: str, *, void: bool, reason: str) -> list[GradeMove]:
    """Have a check count as passed for everybody who was graded, or take that back."""
    before = find_standings(course, book, slug)
    known = sorted(
        {
            one.id
            for standing in before.standings
            if standing.attempt and standing.attempt.result
            for question in standing.attempt.result.questions
            for one in question.checks
        }
    )
    if check not in known:
        near = did_you_mean(check, known)
        where = "the class page has the names, beside what the checks ask" if known else "nothing was graded yet"
        raise CourseError(f"{slug} has no check {check!r} that was graded; {near or where}")
    if void == any(one.check == check for one in before.voids):
        raise CourseError(f"{check} is {'void already' if void else 'not void'}; nothing was changed")
    book.decisions.void(slug, check, void, reason=reason, who=getpass.getuser())
    after = find_standings(course, book, slug)
    return [one for one in _moves(before, after, [one.student for one in before.standings]) if one.old != one.new]


def _all_read(wishes: Sequence[Wish], read: Callable[[Wish], _Read]) -> list[_Read]:
    """Read all decisions; of those that cannot be, all are told, each with its line."""
    found, wrong = [], []
    for one in wishes:
        try:
            found.append(read(one))
        except CourseError as error:
            wrong.append(f"{one.where}{error}")
    if wrong:
        raise CourseError("; ".join(wrong))
    return found


def _who(known: ClassStandings, wish: Wish) -> str:
    return find_student(known, wish.student)


def _until(known: ClassStandings, wish: Wish) -> datetime | None:
    """Return the end of a student's time, after the due date; None if an extension is taken back."""
    rules, slug = known.rules, known.assignment
    if not wish.value:
        if not known.by_student()[_who(known, wish)].late.extended:
            raise CourseError(f"{wish.student} has no extension that could be taken back")
        return None
    until, due = _moment(rules, slug, wish.value), rules.due(slug)
    if due is not None and until <= due:
        raise CourseError(
            f"{local(until, rules)} is no more time for {wish.student}: {slug} is due {local(due, rules)} "
            "(--undo takes an extension back)"
        )
    return until


def _end(known: ClassStandings, student: str) -> str:
    """Write until when a student has an extension."""
    late = known.by_student()[student].late
    return local(late.due, known.rules) if late.extended else ""


def _moment(rules: CourseRules, slug: str, told: str) -> datetime:
    """Read a moment of the course's clock, or so many days after an assignment is due."""
    due = rules.due(slug)
    try:
        if told.startswith("+"):
            if due is None:
                raise CourseError(f"{slug} has no due date in course.toml; write a date and a time")
            whole = int(told[1:])
            return days_later(due, whole, rules.zone)
        moment = datetime.fromisoformat(told)
        if len(told) == len("2026-11-22"):
            moment += timedelta(hours=23, minutes=59)
        return local_time(moment, rules.zone)
    except ValueError:
        raise CourseError(f"{told!r} is no time: write it as '2026-11-22 23:59', or +2 for two more days") from None


def _score(known: ClassStandings, spec: Spec, wish: Wish) -> float | None:
    if not wish.value:
        standing = known.by_student()[_who(known, wish)]
        set_to = {one.id: one.override for one in standing.questions} if wish.question else {"": standing.override}
        if not set_to.get(wish.question):
            raise CourseError(f"{wish.student} has no score of {wish.question or 'the whole'} that could be taken back")
        return None
    most = known.standings[0].max_score if known.standings else 0.0
    if wish.question:
        if wish.question not in {one.id for one in spec.questions}:
            raise CourseError(
                f"{spec.slug} has no question {wish.question!r}; its questions are "
                + ", ".join(one.id for one in spec.questions)
            )
        most = spec.question(wish.question).points
        standing = known.by_student()[find_student(known, wish.student)]
        if standing.kind != "graded":
            raise CourseError(
                f"nothing of {wish.student} was graded question by question; set the whole, without --question"
            )
    try:
        score = float(wish.value)
    except ValueError:
        near = wish.value.replace(",", ".", 1)
        write = f"; write {near}" if "," in wish.value and _is_number(near) else ""
        raise CourseError(f"{wish.value!r} is no score for {wish.student}{write}") from None
    if not 0 <= score < math.inf:
        raise CourseError(f"a score is a number from 0 upwards, not {wish.value}")
    if wish.question and score > most:
        raise CourseError(f"{wish.question} has {most:g} points; {score:g} are more")
    return score


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _moves(before: ClassStandings, after: ClassStandings, students: Sequence[str]) -> list[GradeMove]:
    old, new = before.by_student(), after.by_student()
    return [
        GradeMove(
            student=one,
            old=old[one].grade if one in old else None,
            new=new[one].grade if one in new else None,
            group=_others(new[one], students) if one in new else (),
        )
        for one in dict.fromkeys(students)
    ]


def _others(standing: Standing, decided: Sequence[str]) -> tuple[str, ...]:
    """List who handed in together with a student and was not decided about."""
    together = standing.attempt.group if standing.attempt else ()
    return tuple(one for one in together if one not in decided)
