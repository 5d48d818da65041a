"""What becomes of one submission, as the coordinator sees it: a job, or an outcome; whatever is raised is its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from redink.errors import CourseError, in_one_sentence
from redink.grader.answer_key.key import AnswerKey, encode_key
from redink.grader.assignment.handed_out import looks_like, names_by_assignment, other_assignment
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.evidence.expected import expected_of
from redink.grader.evidence.packing import decode_sources
from redink.grader.pipeline.job import OURS, Done, Job
from redink.grader.pipeline.known import prepare_job
from redink.grader.pipeline.load import Submission
from redink.grader.pipeline.record import graded_under, make_result, record
from redink.grader.pipeline.report import GradeChange, Outcome, Report
from redink.grader.rules.course_rules import Counts
from redink.grader.rules.groups import disputes, group_scores
from redink.grader.rules.standing import Attempt
from redink.grader.store.gradebook import Gradebook, Graded
from redink.grader.store.shorthand import Expected

Step = TypeVar("Step")


class Watcher:
    """Somebody who watches a grading; by itself it sees nothing."""

    def start(self, total: int) -> None:
        """Note of how many the class is."""

    def step(self, outcome: Outcome) -> None:
        """Note what became of one submission."""


class Groups:
    """Those who hand in together: what they had before a grading, and what they have after it."""

    def __init__(self, book: Gradebook, slug: str, counts: Counts) -> None:
        self._book, self._slug, self._counts = book, slug, counts
        self._before = self._scores()

    def told_in(self, report: Report) -> Report:
        """Return a report in which everybody of a group whose grade changed is named, and files that disagree are."""
        after = self._scores()
        alone = [one for one in report.changes if one.submission not in after]
        moved = [
            GradeChange(submission=student, old=self._before[student], new=score)
            for student, score in after.items()
            if student in self._before and self._before[student] != score
        ]
        changes = sorted([*alone, *moved], key=lambda one: one.submission)
        told = [one.told for one in disputes(self._attempts(), self._counts)]
        return msgspec.structs.replace(report, changes=tuple(changes), told=(*report.told, *told))

    def _scores(self) -> dict[str, float]:
        return group_scores(self._attempts(), self._counts)

    def _attempts(self) -> dict[str, list[Attempt]]:
        """Read what groups handed in; where nobody hands in together, nothing is read."""
        return self._book.collected.attempts(self._slug) if self._book.collected.together(self._slug) else {}


class Handed(NamedTuple):
    """A submission while a worker has it, without its bytes, and the result that it had before."""

    submission: Submission
    before: Graded | None


class Answering(Protocol):
    """Whoever says what became of submissions: workers, or shards that were graded elsewhere."""

    def grade(self, key: AnswerKey, jobs: Iterable[tuple[Handed, Job]]) -> Iterator[tuple[Handed, Done]]:
        """Do jobs and yield each as soon as it is done."""
        ...


class Grading(NamedTuple):
    """The grading of a class by one answer key, in one gradebook."""

    key: AnswerKey
    name: str  # the digest of the key
    book: Gradebook
    expected: Expected

    @classmethod
    def by(cls, key: AnswerKey, book: Gradebook) -> Grading:
        """Begin to grade by an answer key."""
        return cls(key, digest(encode_key(key)), book, expected_of(key))

    def prepare(self, submission: Submission, before: Graded | None) -> Job | Outcome:
        """Return the job of a submission, or its outcome where there is nothing to do."""
        if (
            before is not None
            and before.graded_under == graded_under(self.name, submission)
            and self._is_its(before, submission)
        ):
            return Outcome(result=before.result, reused=True, before=before.result, mistakes=before.mistakes)
        if submission.reason is not None:
            return self.finish(submission, before, Done(state="ungradable", reason=submission.reason))
        return prepare_job(self.book, self.key, submission, before)

    def _is_its(self, before: Graded, submission: Submission) -> bool:
        """Tell whether a result is of this very attempt: the same bytes may be two, with others between."""
        attempt = submission.attempt or self.book.collected.latest(self.key.slug, submission.name.id)
        return before.submission == attempt

    def finish(self, submission: Submission, before: Graded | None, done: Done) -> Outcome:
        """Record what a worker made of a submission, and say what became of it."""
        result = record(self.book, self.key, self.name, self.expected, submission, done)
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


def mixed_up(course: Course, book: Gradebook, slug: str, outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Say of whom another assignment's notebook was graded; who has half of the points is not asked."""
    names = names_by_assignment(course)
    found = {}
    for result in (one.result for one in outcomes if 2 * one.result.score < one.result.max_score):
        graded = book.graded(slug, result.submission.id) if result.state == "graded" else None
        run = graded and book.last_run(graded.submission)
        if run and (other := other_assignment(names, slug, decode_sources(run.sources))):
            found[result.submission.id] = looks_like(other)
    return found
