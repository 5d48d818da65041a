"""The way of a submission, on one screen: collect → load → observe → judge → diagnose → score → record → report.

Each stage is a file of that name with one function of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from redink.errors import BoxError
from redink.grader.answer_key.make import Paper, set_paper
from redink.grader.assignment.assignment import read_assignment
from redink.grader.course import Course
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.diagnose import diagnose
from redink.grader.pipeline.judge import judge
from redink.grader.pipeline.load import Submission, load
from redink.grader.pipeline.observe import Observer, Seen
from redink.grader.pipeline.record import find_recorded, record
from redink.grader.pipeline.report import Report, report
from redink.grader.pipeline.score import score, without_grade
from redink.grader.store.gradebook import Gradebook
from redink.records import Result

Progress = Callable[[Result, bool], None]  # the result, and whether it was reused


def grade(course: Course, slug: str, path: Path, *, jobs: int, gradebook: Path | None, progress: Progress) -> Report:
    """Grade every submission at `path` and give the report."""
    assignment = read_assignment(course, slug)
    submissions = [load(found) for found in collect(slug, path)]
    with (
        Gradebook(gradebook or course.gradebook_path(), course.secret_name()) as book,
        Observer(book, assignment, jobs) as observer,
    ):
        paper = set_paper(assignment, course.secret(), observer)
        results = []
        for result, reused in grade_all(paper, submissions, book, observer):
            progress(result, reused)
            results.append(result)
        return report(paper, results, book, observer)


def grade_all(
    paper: Paper, submissions: Sequence[Submission], book: Gradebook, observer: Observer
) -> Iterator[tuple[Result, bool]]:
    """Grade submissions as their observations come in; an unchanged one is not graded again."""
    to_observe: dict[str, Submission] = {}
    for submission in submissions:
        if known := find_recorded(paper, submission, book):
            yield known, True
        elif submission.reason is not None:
            yield (
                record(paper, submission, without_grade(paper, submission, "ungradable", submission.reason), book),
                False,
            )
        else:
            to_observe[submission.name.id] = submission
    for name, seen in observer.each((id, one.cells, paper.requests) for id, one in to_observe.items()):
        yield grade_one(paper, to_observe[name], seen, book), False


def grade_one(paper: Paper, submission: Submission, seen: Seen | BoxError, book: Gradebook) -> Result:
    """Grade one submission from what was seen of it."""
    if isinstance(seen, BoxError):
        return without_grade(paper, submission, "internal_error", f"the box failed, not the student: {seen}")
    with book.transaction():
        judged = judge(paper, submission.cells, seen, book)
        diagnosis = diagnose(paper, seen, judged)
        result = score(paper, submission, seen, diagnosis)
        return record(paper, submission, result, book)
