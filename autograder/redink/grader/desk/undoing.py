"""`redink rejudge --undo`: the results before the last applied re-judging, brought back as new rows that repeat them."""

from __future__ import annotations

from pathlib import Path

from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.desk.standings import open_gradebook
from redink.grader.rejudge import Rejudged, change_between, overridden_among
from redink.grader.store.gradebook import Gradebook

_CHECKS_STAY = "grade and rejudge judge by today's checks again: take your change of those back too"


def undo_rejudging(course: Course, slug: str, *, gradebook: Path | None, apply: bool) -> Rejudged:
    """Bring back what the last applied re-judging of an assignment replaced; who was graded again since keeps that."""
    course.find_assignment(slug)
    with open_gradebook(course, gradebook, f"redink rejudge {slug}") as book, book.transaction():
        span = book.rejudgings.last(slug)
        if span is None:
            raise CourseError(f"no re-judging of {slug} was applied to {book.path} that could be taken back")
        return _undo(book, slug, span, apply)


def _undo(book: Gradebook, slug: str, span: tuple[int, int], apply: bool) -> Rejudged:
    pairs = book.before_and_after(slug, *span)
    for before, after in pairs if apply else ():
        book.keep_result(
            after.submission,
            before.result,
            answer_key=before.answer_key,
            graded_under=before.graded_under,
            bases=before.bases,
            mistakes=before.mistakes,
        )
    if apply:
        book.rejudgings.forget(slug)
    together = book.collected.together(slug)
    found = [
        change_between(after.result, before.result, together.get(after.result.submission.id, ()))
        for before, after in pairs
    ]
    changes = tuple(change for change in found if change is not None)
    since = span[1] - span[0] + 1 - len(pairs)
    told = (f"{since} graded again or handed in anew since: they keep what they have",) if since else ()
    return Rejudged(
        assignment=slug,
        judged=len(pairs),
        changes=changes,
        unseen={},
        purged=(),
        older=(),
        failed={},
        applied=apply,
        told=(*book.told, *told, _CHECKS_STAY),
        overridden=overridden_among(book, slug, changes),
        undone=True,
    )
