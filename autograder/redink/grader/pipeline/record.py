"""Stage 7: write a result down, with the key of everything it depends on."""

from __future__ import annotations

from redink.grader.answer_key.digests import digest
from redink.grader.answer_key.make import Paper
from redink.grader.pipeline.load import Submission
from redink.grader.store.gradebook import Gradebook
from redink.records import Result


def record(paper: Paper, submission: Submission, result: Result, book: Gradebook) -> Result:
    """Store a result in one transaction with the submission it is about."""
    with book.transaction():
        book.keep_submission(_name(paper, submission.name.id), submission)
        book.keep_result(result, _graded_under(paper, submission))
    return result


def find_recorded(paper: Paper, submission: Submission, book: Gradebook) -> Result | None:
    """Find the result of an unchanged submission to an unchanged assignment."""
    found = book.result(paper.assignment.slug, submission.name.id)
    if found is None or found[1] != _graded_under(paper, submission):
        return None
    return found[0]


def recorded_submission(paper: Paper, id: str, book: Gradebook) -> Submission | None:
    """Find what a student handed in when it was last graded."""
    return book.submission(_name(paper, id), Submission)


def _name(paper: Paper, id: str) -> str:
    return f"{paper.assignment.slug}/{id}"


def _graded_under(paper: Paper, submission: Submission) -> str:
    return digest(paper.key, submission.name.id, submission.name.file, submission.name.sha256)
