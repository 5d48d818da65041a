"""Judging a class again from what was seen of it: nobody's code runs, and nothing changes until it is applied.

What was seen under older code or libraries is used too, and the report says so. A question of which something is missing,
because a given or a when has changed since, must be graded again; until then its points stay.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from redink.errors import CourseError, in_one_sentence
from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import AnswerKey, encode_key
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.evidence.expected import expected_of
from redink.grader.evidence.packing import sent_sources
from redink.grader.evidence.stored import StoredEvidence, find_evidence
from redink.grader.pipeline.known import assessment_of
from redink.grader.pipeline.load import Submission
from redink.grader.pipeline.record import graded_under
from redink.grader.store.gradebook import Gradebook, Graded
from redink.grader.store.shorthand import Expected
from redink.grader.workers.judge_process import Assess, JudgeProcess, Wanted
from redink.grader.workers.workers import Workers
from redink.records import Record, Result


class Change(Record, frozen=True):
    """What re-judging changes for one submission."""

    submission: str
    old: float
    new: float
    questions: dict[str, tuple[float, float]]  # question id to its old and new score
    hints: tuple[str, ...]  # questions whose hint has changed
    group: tuple[str, ...] = ()  # who else has this submission


class Rejudged(Record, frozen=True):
    """The outcome of re-judging a class."""

    assignment: str
    judged: int
    changes: tuple[Change, ...]
    unseen: dict[str, tuple[str, ...]]  # submissions, and their questions of which a given or a when has changed
    purged: tuple[str, ...]  # submissions of which nothing but the grade is left
    older: tuple[str, ...]  # submissions that were observed under older code or libraries
    failed: dict[str, str]  # submissions that could not be judged and keep their grade, and why
    applied: bool
    told: tuple[str, ...] = ()
    kept: tuple[Change, ...] = ()  # what would lower a grade and is left out
    overridden: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=dict
    )  # questions ("": all) that a person set
    undone: bool = False  # it brings back what was before a re-judging


def rejudge(
    course: Course, slug: str, *, workers: Workers, gradebook: Path | None, apply: bool, never_lower: bool = False
) -> Rejudged:
    """Judge all stored submissions to an assignment again; with `never_lower`, who would lose keeps the result."""
    path = gradebook or course.gradebook_path()
    if not path.exists():
        raise CourseError(f"there is no gradebook {path}: grade {slug} first, or name another with --gradebook")
    with Gradebook(path, course.secret_name(), holder=f"redink rejudge {slug}") as book:
        if not (graded := book.all_graded(slug)):
            raise CourseError(f"nothing handed in to {slug} was graded into {path}: grade it first")
        key = answer_key(course, slug, workers.observe, accept_older=True)
        data = encode_key(key)
        with contextlib.closing(JudgeProcess(data)) as judge, book.transaction():
            first = book.rejudgings.next_result()
            rejudged = _rejudge_all(
                _Rejudging(judge, key, digest(data), book, expected_of(key), apply, never_lower), graded
            )
            book.rejudgings.note(slug, first)
            return rejudged


class _Rejudging(NamedTuple):
    """One re-judging of a class: by which judge and answer key, in which gradebook, and whether it is applied."""

    judge: JudgeProcess
    key: AnswerKey
    name: str  # the digest of the key
    book: Gradebook
    expected: Expected
    apply: bool
    never_lower: bool


def _rejudge_all(by: _Rejudging, all_graded: list[Graded]) -> Rejudged:
    key, book = by.key, by.book
    changes: list[Change] = []
    kept: list[Change] = []
    older, purged, judged = [], [], 0
    together = book.collected.together(key.slug)
    unseen: dict[str, tuple[str, ...]] = {}
    failed: dict[str, str] = {}
    for graded in all_graded:
        old = graded.result
        if old.state != "graded":
            if by.apply:
                again = msgspec.structs.replace(old, version=key.version)
                _keep(by, by.name, graded, again, {}, {})  # no rule changes what cannot be read
            continue
        try:
            stored = find_evidence(book, key, graded.submission)
            if stored is None:
                purged.append(old.submission.id)
                continue
            if not {question.id for question in old.questions}.issuperset(stored.unseen):
                unseen[old.submission.id] = tuple(question.id for question in key.spec.questions)
                continue
            new = _judge_again(by, graded, stored)
        except (CourseError, sqlite3.Error):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it costs this submission alone, which keeps its grade
            failed[old.submission.id] = in_one_sentence(error)
            continue
        judged += 1
        older += [old.submission.id] if stored.older else []
        if stored.unseen:
            unseen[old.submission.id] = stored.unseen
        if change := change_between(old, new, together.get(old.submission.id, ())):
            (kept if _is_kept(by, old, new) else changes).append(change)
    return Rejudged(
        assignment=key.slug,
        judged=judged,
        changes=tuple(changes),
        unseen=unseen,
        purged=tuple(purged),
        older=tuple(older),
        failed=failed,
        applied=by.apply,
        told=book.told,
        kept=tuple(kept),
        overridden=overridden_among(book, key.slug, [*changes, *kept]),
    )


def _is_kept(by: _Rejudging, old: Result, new: Result) -> bool:
    return by.never_lower and new.score < old.score


def overridden_among(book: Gradebook, slug: str, changes: Sequence[Change]) -> dict[str, tuple[str, ...]]:
    """Find those who would change and have scores that a person set, which hold whatever is judged."""
    decided = book.decisions.decided(slug)
    return {
        one.submission: tuple(sorted(override.question for override in decided[one.submission].overrides))
        for one in changes
        if one.submission in decided and decided[one.submission].overrides
    }


def _judge_again(by: _Rejudging, graded: Graded, stored: StoredEvidence) -> Result:
    """Have one submission assessed; the judgements made are kept, the result only if it is applied."""

    def find(wanted: Wanted) -> bytes | None:
        if wanted.what == "content":
            return stored.content(wanted.name)
        return by.book.judgements([wanted.name]).get(wanted.name)

    order = Assess(
        sources=sent_sources(stored.run.sources),
        cells=stored.run.cells,
        digests=stored.digests,
        before=assessment_of(graded),
        remembers=True,
    )
    assessed = by.judge.assess(order, find)
    by.book.keep_judgements(assessed.judgements)
    old, assessment = graded.result, assessed.assessment
    new = msgspec.structs.replace(old, version=by.key.version, score=assessment.score, questions=assessment.questions)
    if by.apply:
        under = "" if stored.unseen or assessment.untried else by.name  # the next grade sees what has not been seen
        if _is_kept(by, old, new):
            _keep(by, under, graded, old, graded.bases, graded.mistakes)  # under today's key: grade leaves it too
        else:
            _keep(by, under, graded, new, assessment.bases, assessment.mistakes)
    return new


def _keep(
    by: _Rejudging,
    under: str,
    graded: Graded,
    new: Result,
    bases: Mapping[str, str],
    mistakes: Mapping[str, str],
) -> None:
    """Store a result under today's answer key, unless it is there already."""
    unread = new.reason if not new.submission.sha256 else None
    whole = graded_under(under, Submission(name=new.submission, reason=unread))
    if new != graded.result or graded.graded_under != whole:
        by.book.keep_result(
            graded.submission,
            new,
            answer_key=under,
            graded_under=whole,
            bases=bases,
            mistakes=mistakes,
            expected=by.expected,
        )


def change_between(old: Result, new: Result, group: tuple[str, ...] = ()) -> Change | None:
    """Return what differs between two results of a submission; None if no score and no hint does."""
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
    id = old.submission.id
    return Change(submission=id, old=old.score, new=new.score, questions=moved, hints=hints, group=group)
