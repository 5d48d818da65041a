"""The way of a submission, on one screen: collect → load → observe → judge → diagnose → score → record → report.

Each stage is a file of that name with one function of that name. A worker takes a submission from observe to
score (workers/worker.py); the coordinator here collects, looks up what is known, writes, and reports.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from redink.errors import CourseError, in_one_sentence
from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import AnswerKey, encode_key
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.pipeline.collect import Found, collect
from redink.grader.pipeline.job import OURS, Done, Job
from redink.grader.pipeline.known import prepare_job
from redink.grader.pipeline.load import Submission, load
from redink.grader.pipeline.record import graded_under, make_result, record
from redink.grader.pipeline.report import Outcome, Report, report
from redink.grader.store.gradebook import Gradebook, Graded
from redink.grader.workers.workers import Workers

Step = TypeVar("Step")
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
    """Grade submissions as they are done; an unchanged one is not graded again, and none ends the others' way."""
    grading = _Grading(key, digest(encode_key(key)), book)
    ready: list[Outcome] = []

    def jobs() -> Iterator[tuple[_Waiting, Job]]:
        for one in found:
            submission = load(one)
            before = book.graded(key.slug, submission.name.id)
            prepared = grading.carefully(grading.prepare, submission, before)
            if isinstance(prepared, Outcome):
                ready.append(prepared)
            else:
                yield _Waiting(msgspec.structs.replace(submission, data=b""), before), prepared

    for waiting, done in workers.grade(key, jobs()):
        yield grading.carefully(grading.finish, *waiting, done)
    yield from ready


class _Waiting(NamedTuple):
    """A submission while a worker has it, without its bytes, and the result that it had before."""

    submission: Submission
    before: Graded | None


class _Grading(NamedTuple):
    """The grading of a class by one answer key, in one gradebook."""

    key: AnswerKey
    name: str  # the digest of the key
    book: Gradebook

    def prepare(self, submission: Submission, before: Graded | None) -> Job | Outcome:
        """Return the job of a submission, or its outcome where there is nothing to do."""
        if before is not None and before.graded_under == graded_under(self.name, submission):
            return Outcome(result=before.result, reused=True, before=before.result, mistakes=before.mistakes)
        if submission.reason is not None:
            return self.finish(submission, before, Done(state="ungradable", reason=submission.reason))
        return prepare_job(self.book, self.key, submission, before)

    def finish(self, submission: Submission, before: Graded | None, done: Done) -> Outcome:
        """Record what a worker made of a submission, and say what became of it."""
        result = record(self.book, self.key, self.name, submission, done)
        mistakes = done.assessment.mistakes if done.assessment else {}
        return Outcome(result=result, reused=False, before=before.result if before else None, mistakes=mistakes)

    def carefully(self, act: Callable[..., Step], submission: Submission, *given: object) -> Step | Outcome:
        """Do something for one submission; what is raised becomes its state, unless the gradebook cannot be used at all."""
        try:
            return act(submission, *given)
        except (CourseError, sqlite3.Error):
            raise
        except Exception as error:  # noqa: BLE001 - one submission never ends the others' way
            done = Done(state="internal_error", reason=f"{OURS}: {in_one_sentence(error)}")
            return Outcome(result=make_result(self.key, submission, done), reused=False, before=None, mistakes={})
