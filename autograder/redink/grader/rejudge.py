"""Judging a class again from what was seen of it: nobody's code runs, and nothing changes until it is applied.

What was seen under older code or libraries is used too, and the report says so. A question of which something is missing,
because a given or a when has changed since, must be graded again; until then its points stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from redink.errors import CourseError
from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import AnswerKey, encode_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.evidence.stored import StoredEvidence, find_evidence
from redink.grader.pipeline.assess import assess
from redink.grader.pipeline.judge import Memory
from redink.grader.pipeline.known import assessment_of
from redink.grader.pipeline.load import Submission
from redink.grader.pipeline.record import graded_under
from redink.grader.store.gradebook import Gradebook, Graded
from redink.grader.workers.workers import Workers
from redink.records import Record, Result


class Change(Record, frozen=True):
    """What re-judging changes for one submission."""

    submission: str
    old: float
    new: float
    questions: dict[str, tuple[float, float]]  # question id to its old and new score
    hints: tuple[str, ...]  # questions whose hint has changed


class Rejudged(Record, frozen=True):
    """The outcome of re-judging a class."""

    assignment: str
    judged: int
    changes: tuple[Change, ...]
    unseen: dict[str, tuple[str, ...]]  # submissions, and their questions of which a given or a when has changed
    older: tuple[str, ...]  # submissions that were observed under older code or libraries
    applied: bool
    told: tuple[str, ...] = ()


def rejudge(course: Course, slug: str, *, workers: Workers, gradebook: Path | None, apply: bool) -> Rejudged:
    """Judge all stored submissions to an assignment again."""
    path = gradebook or course.gradebook_path()
    if not path.exists():
        raise CourseError(f"there is no gradebook {path}: grade {slug} first, or name another with --gradebook")
    with Gradebook(path, course.secret_name(), holder=f"redink rejudge {slug}") as book:
        if not (graded := book.all_graded(slug)):
            raise CourseError(f"nothing handed in to {slug} was graded into {path}: grade it first")
        key = answer_key(course, slug, workers.observe, accept_older=True)
        with book.transaction():
            return _rejudge_all(key, graded, book, apply)


def _rejudge_all(key: AnswerKey, all_graded: list[Graded], book: Gradebook, apply: bool) -> Rejudged:
    opened, name = OpenKey(key), digest(encode_key(key))
    changes, older, judged = [], [], 0
    unseen: dict[str, tuple[str, ...]] = {}
    for graded in all_graded:
        old = graded.result
        if old.state != "graded":
            if apply:
                again = msgspec.structs.replace(old, version=key.version)
                _keep(book, name, graded, again, {}, {})  # no rule changes what cannot be read
            continue
        stored = find_evidence(book, key, graded.submission)
        if stored is None or not {question.id for question in old.questions}.issuperset(stored.unseen):
            unseen[old.submission.id] = tuple(question.id for question in key.spec.questions)
            continue
        if stored.unseen:
            unseen[old.submission.id] = stored.unseen
        judged += 1
        older += [old.submission.id] if stored.older else []
        new = _judge_again(opened, name, graded, stored, book, apply)
        if change := _change(old, new):
            changes.append(change)
    return Rejudged(
        assignment=key.slug,
        judged=judged,
        changes=tuple(changes),
        unseen=unseen,
        older=tuple(older),
        applied=apply,
        told=book.told,
    )


class _Remembered(Mapping[str, bytes]):
    """The judgements in the gradebook, looked up one by one as they are needed."""

    def __init__(self, book: Gradebook) -> None:
        self._book = book

    def __getitem__(self, key: str) -> bytes:
        return self._book.judgements([key])[key]

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _judge_again(
    key: OpenKey, name: str, graded: Graded, stored: StoredEvidence, book: Gradebook, apply: bool
) -> Result:
    """Assess one submission; the judgements made are kept, the result only if it is applied."""
    memory = Memory(_Remembered(book))
    assessment = assess(key, stored.evidence, memory, assessment_of(graded))
    book.keep_judgements(memory.new)
    old = graded.result
    new = msgspec.structs.replace(old, version=key.key.version, score=assessment.score, questions=assessment.questions)
    if apply:
        under = "" if stored.unseen else name  # the next grade sees what has not been seen
        _keep(book, under, graded, new, assessment.bases, assessment.mistakes)
    return new


def _keep(
    book: Gradebook,
    name: str,
    graded: Graded,
    new: Result,
    bases: Mapping[str, str],
    mistakes: Mapping[str, str],
) -> None:
    """Store a result under today's answer key, unless it is there already."""
    unread = new.reason if not new.submission.sha256 else None
    under = graded_under(name, Submission(name=new.submission, reason=unread))
    if new != graded.result or graded.graded_under != under:
        book.keep_result(graded.submission, new, answer_key=name, graded_under=under, bases=bases, mistakes=mistakes)


def _change(old: Result, new: Result) -> Change | None:
    before = {question.id: question for question in old.questions}
    after = {question.id: question for question in new.questions}
    scores = {
        id: (before[id].score if id in before else 0.0, after[id].score if id in after else 0.0)
        for id in before | after
    }
    moved = {id: pair for id, pair in scores.items() if pair[0] != pair[1]}
    hints = tuple(id for id in after if id in before and before[id].hint != after[id].hint)
    if not moved and not hints and old.score == new.score:
        return None
    return Change(submission=old.submission.id, old=old.score, new=new.score, questions=moved, hints=hints)
