"""What the gradebook knows of a submission before it is graded: its result, and what was seen of the same bytes."""

from __future__ import annotations

import msgspec

from redink.grader.answer_key.key import AnswerKey
from redink.grader.pipeline.job import BoxSettings, Job
from redink.grader.pipeline.load import Submission
from redink.grader.store.collected import HandIn
from redink.grader.store.gradebook import Gradebook, Graded
from redink.records import Assessment, CheckObservations, Execution


def prepare_job(book: Gradebook, key: AnswerKey, submission: Submission, before: Graded | None) -> Job:
    """Put together what a worker needs; only what was observed under today's code and libraries counts as known."""
    id = attempt_of(book, key.slug, submission)
    known: dict[str, CheckObservations] = {}
    for one in book.stored(id):
        if one.stamp == key.stamp and one.check not in known:
            content = book.content(one.run, one.check)
            known[one.check] = CheckObservations(check=one.check, key=one.key, digest=one.digest, content=content)
    return Job(
        notebook=submission.data,
        key="",
        box=BoxSettings.of(key.spec),
        earlier=_execution(book, key, id) if known else None,
        known=tuple(known.values()),
        before=None if before is None else assessment_of(before),
    )


def attempt_of(book: Gradebook, slug: str, submission: Submission) -> int:
    """Return the attempt in the gradebook that a submission is; one that was not collected before may be a new one."""
    if submission.attempt:
        return submission.attempt
    name = submission.name
    handed = submission.handed or HandIn(student=name.id, file=name.file, sha256="", source="path")
    return book.collected.keep(slug, msgspec.structs.replace(handed, sha256=name.sha256)).submission


def assessment_of(graded: Graded) -> Assessment:
    """Return an earlier assessment, so that questions with the same basis keep their outcome."""
    return Assessment(
        score=graded.result.score, questions=graded.result.questions, bases=graded.bases, mistakes=graded.mistakes
    )


def _execution(book: Gradebook, key: AnswerKey, submission: int) -> Execution | None:
    run = book.last_run(submission)
    if run is None or run.stamp != key.stamp:
        return None
    return Execution(cells=run.cells, box=run.box, cpu_seconds=run.cpu_seconds, wall_seconds=run.wall_seconds)
