"""`redink mistakes`: what a class got wrong: misconceptions by count, and shared wrong answers that no bank knows.

All of it stands in the gradebook; nobody's code is run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from redink.assignment.spec import read_spec
from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.pipeline.report import MistakeGroup, mistake_groups
from redink.grader.store.gradebook import Gradebook, Graded
from redink.records import QuestionResult, Record

_DIGITS = 6  # of a mistake's name, enough to tell those of a class apart


class KnownMistake(Record, frozen=True):
    """A misconception of the bank, and the students who hold it."""

    question: str
    misconception: str
    hint: str
    students: tuple[str, ...]


class UnknownGroup(Record, frozen=True):
    """Equal wrong answers to a question that no misconception explains: who gave them, and what one of them was told."""

    name: str  # short, and the same as long as the checks are: for --adopt
    question: str
    also: tuple[str, ...]  # later questions that use it, in which the same students are alike too
    students: tuple[str, ...]
    checks: tuple[str, ...]  # that fail
    message: str  # of the first of these that says something, as one student has it
    told: str = ""  # how the answers relate to the right ones, if students were told that


class ClassMistakes(Record, frozen=True):
    """What a class got wrong in one assignment."""

    assignment: str
    graded: int
    known: tuple[KnownMistake, ...]
    unknown: tuple[UnknownGroup, ...]


def find_mistakes(course: Course, book: Gradebook, slug: str) -> ClassMistakes:
    """List a class's misconceptions and its groups of equal unknown mistakes, the most frequent first."""
    spec = read_spec(course.find_assignment(slug))
    graded = graded_by_student(book, slug)
    groups = mistake_groups({student: one.mistakes for student, one in graded.items()}, spec)
    return ClassMistakes(
        assignment=slug,
        graded=len(graded),
        known=tuple(_known(graded)),
        unknown=tuple(_unknown(group, graded) for group in groups),
    )


def graded_by_student(book: Gradebook, slug: str) -> dict[str, Graded]:
    """Return the results that count today, of those whose submissions could be graded."""
    found = {one.result.submission.id: one for one in book.all_graded(slug) if one.result.state == "graded"}
    if not found:
        raise CourseError(f"nothing handed in to {slug} was graded into {book.path}: grade it first")
    return found


def find_group(mistakes: ClassMistakes, told: str) -> UnknownGroup:
    """Find the group that an instructor means; the beginning of its name will do, if no other begins so."""
    found = [one for one in mistakes.unknown if one.name == told] or [
        one for one in mistakes.unknown if told and one.name.startswith(told)
    ]
    if len(found) == 1:
        return found[0]
    there = ", ".join(one.name for one in (found or mistakes.unknown)[:8]) or "none"
    what = f"{len(found)} groups begin with {told!r}" if found else f"no group of unknown mistakes is called {told!r}"
    raise CourseError(f"{what} in {mistakes.assignment}; there are: {there}")


def _known(graded: Mapping[str, Graded]) -> Iterator[KnownMistake]:
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for student, one in graded.items():
        for question in one.result.questions:
            if question.hint is not None and question.hint.misconception:
                found[question.id, question.hint.misconception, question.hint.text].append(student)
    for (id, misconception, hint), students in sorted(found.items(), key=lambda one: (-len(one[1]), one[0])):
        yield KnownMistake(question=id, misconception=misconception, hint=hint, students=tuple(students))


def _unknown(group: MistakeGroup, graded: Mapping[str, Graded]) -> UnknownGroup:
    result = next(one for one in graded[group.submissions[0]].result.questions if one.id == group.question)
    failing = [check for check in result.checks if check.verdict != "passed"]
    return UnknownGroup(
        name=f"{group.question}-{group.mistake[:_DIGITS]}",
        question=group.question,
        also=group.also,
        students=group.submissions,
        checks=tuple(check.id for check in failing),
        message=_example(result),
        told=result.hint.text if result.hint else "",
    )


def _example(result: QuestionResult) -> str:
    """Choose a message that shows more than the sentence of its check; a hidden check has no other."""
    messages = [check.message for check in result.checks if check.verdict != "passed"]
    return next((message for message in messages if "\n" in message), messages[0] if messages else "")
