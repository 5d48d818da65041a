"""Judging a class again from what was seen of it: nobody's code runs, and nothing changes until it is applied."""

from __future__ import annotations

from pathlib import Path

from redink.errors import CourseError
from redink.grader.answer_key.make import Paper, set_paper
from redink.grader.assignment.assignment import read_assignment
from redink.grader.course import Course
from redink.grader.pipeline.diagnose import diagnose
from redink.grader.pipeline.judge import judge
from redink.grader.pipeline.observe import Observer
from redink.grader.pipeline.record import record, recorded_submission
from redink.grader.pipeline.score import score
from redink.grader.store.gradebook import Gradebook
from redink.records import Record, Result


class Change(Record, frozen=True):
    """What re-judging changes for one submission."""

    submission: str
    old: float
    new: float
    questions: dict[str, tuple[float, float]]  # question id to its old and new score
    hints: tuple[str, ...]  # questions whose hint is another now


class Rejudged(Record, frozen=True):
    """The outcome of re-judging a class."""

    assignment: str
    judged: int
    changes: tuple[Change, ...]
    unseen: tuple[str, ...]  # submissions that must be graded again: a given or a when has changed
    applied: bool


def rejudge(course: Course, slug: str, *, gradebook: Path | None, apply: bool) -> Rejudged:
    """Judge all stored submissions to an assignment again."""
    assignment = read_assignment(course, slug)
    path = gradebook or course.gradebook_path()
    if not path.exists():
        raise CourseError(f"there is no gradebook {path}: grade {slug} first, or name another with --gradebook")
    changes, unseen, judged = [], [], 0
    with Gradebook(path, course.secret_name()) as book, Observer(book, assignment) as observer:
        if not (results := book.results(slug)):
            raise CourseError(f"nothing handed in to {slug} was graded into {path}: grade it first")
        paper = set_paper(assignment, course.secret(), observer)
        with book.transaction():
            for old in results:
                if old.state != "graded":
                    continue
                new = _judge_again(paper, old, book, observer, apply)
                if new is None:
                    unseen.append(old.submission.id)
                    continue
                judged += 1
                if change := _change(old, new):
                    changes.append(change)
    return Rejudged(assignment=slug, judged=judged, changes=tuple(changes), unseen=tuple(unseen), applied=apply)


def _judge_again(paper: Paper, old: Result, book: Gradebook, observer: Observer, apply: bool) -> Result | None:
    submission = recorded_submission(paper, old.submission.id, book)
    seen = submission and observer.known(submission.cells, paper.requests)
    if submission is None or not seen:
        return None
    new = score(paper, submission, seen, diagnose(paper, seen, judge(paper, submission.cells, seen, book)))
    return record(paper, submission, new, book) if apply else new


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
