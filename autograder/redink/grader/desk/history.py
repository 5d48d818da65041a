"""Everything that happened to one student in an assignment, as lines that can be pasted into a reply."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from redink.grader.course import Course
from redink.grader.desk.standings import ClassStandings, check_sentences, find_standings, find_student, local
from redink.grader.rules.standing import QuestionStanding, Standing
from redink.grader.store.gradebook import Gradebook

_VOIDED = re.compile(r"(\w+)( does not count any more| counts again)(?=, decided by )")
_GRADED = re.compile(r"((?:\S+: )?attempt \d+) graded: (.*)")
_UTC = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def history(course: Course, book: Gradebook, slug: str, told: str) -> list[str]:
    """Write what a student has in an assignment and how that came about."""
    known = find_standings(course, book, slug)
    student = find_student(known, told)
    standing = known.by_student()[student]
    person = known.people[student]
    events = book.decisions.events(slug, student)
    title = f"{person.name} ({student})" if person.name and person.name != student else student
    return [
        f"{title}, {slug}: {_grade(standing)}",
        "",
        *explain(known, standing),
        "",
        *(_by_the_clock(f"{when}  {what}", known) for when, what in _in_words(known, standing, events)),
    ]


def _in_words(
    known: ClassStandings, standing: Standing, events: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Say what happened as a student would read it: checks by their sentences, and what was judged again as such."""
    sentences = known.sentences or check_sentences(known.standings)
    judged: dict[str, str] = {}
    for when, what in events:
        told = what
        if void := _VOIDED.match(what):
            if standing.attempt is None:
                continue  # who handed in nothing has no check
            told = f"the check {check_in_words(sentences, void[1])}{void[2]}{what[void.end() :]}"
        elif graded := _GRADED.match(what):
            attempt, points = graded.groups()
            before = judged.get(attempt)
            judged[attempt] = points
            if before is not None:
                told = f"{attempt} judged again: {points}" + (
                    ", as before" if points == before else f", before: {before}"
                )
        yield when, told


def check_in_words(sentences: Mapping[str, str], check: str) -> str:
    """Quote what a check asks; one that everybody passes is known by its name alone."""
    return f"“{sentences.get(check) or check.replace('_', ' ')}”"


def _by_the_clock(event: str, known: ClassStandings) -> str:
    """Write the times of an event, which the gradebook has in UTC, by the course's clock."""
    return _UTC.sub(lambda found: local(datetime.fromisoformat(found[0]), known.rules), event)


def _grade(standing: Standing) -> str:
    if standing.grade is None:
        return {"missing": "nothing was handed in", "not_graded": "not graded yet"}.get(standing.kind, "no grade")
    return f"{standing.grade:g} of {standing.max_score:g} points"


def explain(known: ClassStandings, standing: Standing) -> Iterator[str]:
    """Say in sentences how the grade came about, in the order in which it is worked out."""
    yield from _explain_attempt(known, standing)
    for question in standing.questions:
        for check, points in _given(standing, question):
            here = f"{points:+g}" if points else "here nothing changes"
            which = f"The check {check_in_words(known.sentences, check)} of {question.id}"
            yield f"{which} does not count: everybody has its points ({here})."
        if question.override:
            one = question.override
            yield f"{question.id}: {question.checked:g} → {one.score:g}, set by {one.who}: {one.reason}."
    extra = standing.earned - math.fsum(one.score for one in standing.questions if one.tier == "core")
    if extra > 0:
        yield f"With {extra:g} for extra questions it is {standing.earned:g}."
    yield from explain_lateness(known, standing)
    if standing.override:
        one = standing.override
        yield f"The whole was set to {one.score:g} by {one.who}: {one.reason}."


def _explain_attempt(known: ClassStandings, standing: Standing) -> Iterator[str]:
    """Say which attempt counts, whose it is, and what the checks gave."""
    attempt = standing.attempt
    if attempt is None:
        yield "There is no submission."
        return
    counts = known.rules.of(known.assignment).counts
    of_all = f" of {standing.attempts}{' by the group' if attempt.group else ''}"
    which = "" if standing.attempts == 1 else f"{of_all}, the {counts} one"
    when = f", handed in {local(attempt.handed_in, known.rules)}" if attempt.handed_in else ""
    sha256 = f", SHA-256 {attempt.sha256[:16]}…" if attempt.sha256 else ""
    whose = f" by {attempt.by}" if attempt.by != standing.student else ""
    yield f"What counts is attempt {attempt.number}{whose}{which}: {attempt.file}{when}{sha256}."
    if attempt.group:
        yield f"It is the submission of a group: {', '.join(attempt.group)}."
    if standing.kind == "ungradable":
        yield f"It could not be graded: {standing.reason}."
    elif standing.kind == "graded":
        yield f"The checks gave {standing.checked:g}: {', '.join(_parts(standing))}."
    for dispute in (one for one in known.disputes if standing.student in one.people):
        yield f"{dispute.told}."


def _parts(standing: Standing) -> Iterator[str]:
    """Write what the checks gave by question; extra ones where there is something."""
    for one in standing.questions:
        if one.tier == "core" or one.checked:
            yield f"{one.id} {one.checked:g} of {one.max_score:g}" + (" (extra)" if one.tier == "extra" else "")


def _given(standing: Standing, question: QuestionStanding) -> Iterator[tuple[str, float]]:
    """List the voided checks of a question, with the points that each gives."""
    result = standing.attempt.result if standing.attempt else None
    checks = {one.id: one for of in (result.questions if result else ()) for one in of.checks if of.id == question.id}
    for check in question.voided:
        yield check, round(checks[check].max_score - checks[check].score, 2)


def explain_lateness(known: ClassStandings, standing: Standing) -> Iterator[str]:
    """Say when it was due, and what lateness took."""
    late = standing.late
    if late.due:
        yield f"It was due {local(late.due, known.rules)}{' (extended)' if late.extended else ''}."
    if late.unknown:
        yield "The platform says that it was late, and not by how much: nothing is taken for it."
    elif late.days and late.slip_days == late.days:
        yield f"It is {_days(late.days)} late, which slip days cover: nothing is taken for it."
    elif late.days:
        slips = f", {late.slip_days} of them covered by slip days" if late.slip_days else ""
        takes = (
            "the platform deducts for that"
            if known.rules.lateness == "platform"
            else f"{late.penalty:g} % are {standing.taken:g} points"
            if standing.kind != "not_graded"
            else f"{late.penalty:g} % are taken for it"
        )
        yield f"It is {_days(late.days)} late{slips}: {takes}."


def _days(count: int) -> str:
    return f"{count} day{'s' if count > 1 else ''}"
