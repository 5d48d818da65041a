"""The way of a submission, on one screen: collect → load → observe → judge → diagnose → score → record → report.

Each stage is a file of that name with one function of that name. A worker takes a submission from observe to
score (workers/worker.py); the coordinator here collects, looks up what is known, writes, and reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import AnswerKey, encode_key
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.pipeline.collect import Found, collect
from redink.grader.pipeline.job import Done, Job
from redink.grader.pipeline.known import prepare_job
from redink.grader.pipeline.load import Submission, load
from redink.grader.pipeline.record import graded_under, record
from redink.grader.pipeline.report import Outcome, Report, report
from redink.grader.store.gradebook import Gradebook, Graded
from redink.grader.workers.workers import Workers

Progress = Callable[[Outcome, int], None]  # an outcome, and of how many


def grade(
    course: Course,
    slug: str,
    path: Path,
    *,
    workers: Workers,
    gradebook: Path | None = None,
    progress: Progress = lambda outcome, total: None,
) -> Report:
    """Grade every submission at `path`."""
    found = collect(slug, path)
    with Gradebook(gradebook or course.gradebook_path(), course.secret_name(), holder=f"redink grade {slug}") as book:
        key = answer_key(course, slug, workers.observe)
        outcomes = []
        for outcome in grade_all(key, found, book, workers):
            progress(outcome, len(found))
            outcomes.append(outcome)
        return report(outcomes, told=book.told)


def grade_all(key: AnswerKey, found: Iterable[Found], book: Gradebook, workers: Workers) -> Iterator[Outcome]:
    """Grade submissions as they are done; an unchanged one is not graded again."""
    name = digest(encode_key(key))
    waiting: dict[str, tuple[Submission, Graded | None]] = {}
    ready: list[Outcome] = []

    def jobs() -> Iterator[tuple[str, Job]]:
        for one in found:
            submission = load(one)
            before = book.graded(key.slug, submission.name.id)
            if before is not None and before.graded_under == graded_under(name, submission):
                ready.append(Outcome(result=before.result, reused=True, before=before.result, mistakes=before.mistakes))
            elif submission.reason is not None:
                done = Done(state="ungradable", reason=submission.reason)
                ready.append(_recorded(book, key, name, submission, before, done))
            else:
                waiting[submission.name.id] = (msgspec.structs.replace(submission, data=b""), before)
                yield submission.name.id, prepare_job(book, key, submission, before)

    for id, done in workers.grade(key, jobs()):
        yield _recorded(book, key, name, *waiting.pop(id), done)
    yield from ready


def _recorded(
    book: Gradebook, key: AnswerKey, name: str, submission: Submission, before: Graded | None, done: Done
) -> Outcome:
    result = record(book, key, name, submission, done)
    mistakes = done.assessment.mistakes if done.assessment else {}
    return Outcome(result=result, reused=False, before=before.result if before else None, mistakes=mistakes)
