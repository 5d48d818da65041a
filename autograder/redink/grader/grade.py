"""The way of a submission, on one screen: collect → load → observe → judge → diagnose → score → record → report.

Each stage is a file of that name with one function of that name. A worker takes a submission from observe to
score (workers/worker.py); the coordinator here collects, looks up what is known, writes, and reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from redink.assignment.published import stale
from redink.assignment.spec import read_spec
from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import AnswerKey
from redink.grader.assignment.handed_out import handed_out
from redink.grader.course import Course
from redink.grader.grading import Answering, Grading, Groups, Handed, Watcher, mixed_up
from redink.grader.pipeline.collect import Found, collect, collected_before
from redink.grader.pipeline.job import Job
from redink.grader.pipeline.load import load
from redink.grader.pipeline.report import Outcome, Report, remarks, report
from redink.grader.rules.reading import read_course
from redink.grader.store.gradebook import Gradebook
from redink.grader.workers.workers import Workers


def grade(
    course: Course,
    slug: str,
    path: Path | None = None,
    *,
    workers: Workers,
    gradebook: Path | None = None,
    insist: str | None = None,
    names: str | None = None,
    progress: Watcher = Watcher(),  # noqa: B008 - it has no state
) -> Report:
    """Grade every submission at `path`, whose layout is recognised; without a path, what was collected."""
    asked, given = read_spec(course.find_assignment(slug)).all_names(), handed_out(course, slug)
    rules, roster = read_course(course, slug)
    handed_in = path and collect(slug, path, asked, given, insist=insist, names=names, roster=roster)
    with Gradebook(gradebook or course.gradebook_path(), course.secret_name(), holder=f"redink grade {slug}") as book:
        found = handed_in.found if handed_in else collected_before(book, slug, rules.of(slug).counts == "best")
        progress.start(len(found))
        groups = Groups(book, slug, rules.of(slug).counts)
        key = answer_key(course, slug, workers.observe)
        outcomes = []
        for outcome in grade_all(key, found, book, workers):
            progress.step(outcome)
            outcomes.append(outcome)
        called = {one.id: one.name for one in (roster.people if roster else ())}
        old = stale(course.assignments / slug, key.published_from)
        more = remarks(key, old, [*(one.id for one in found), *called])
        told = [*(handed_in.gathered.lines() if handed_in else ()), *book.told, *more]
        return groups.told_in(report(outcomes, told, key.spec, called, mixed_up(course, book, slug, outcomes)))


def grade_all(key: AnswerKey, found: Iterable[Found], book: Gradebook, workers: Answering) -> Iterator[Outcome]:
    """Grade submissions as they are done; an unchanged one is not graded again, and none ends the others' way."""
    grading = Grading.by(key, book)
    ready: list[Outcome] = []

    def jobs() -> Iterator[tuple[Handed, Job]]:
        for one in found:
            submission = load(one)
            before = book.graded(key.slug, submission.name.id, submission.attempt)
            prepared = grading.carefully(grading.prepare, submission, before)
            if isinstance(prepared, Outcome):
                ready.append(prepared)
            else:
                yield Handed(msgspec.structs.replace(submission, data=b""), before), prepared

    for waiting, done in workers.grade(key, jobs()):
        yield grading.carefully(grading.finish, *waiting, done)
        while ready:
            yield ready.pop()
    yield from ready
