"""Stage 7: store what became of a submission: attempt, run, observations, judgements and result, all or nothing."""

from __future__ import annotations

import msgspec

from redink.grader.answer_key.key import AnswerKey
from redink.grader.digests import digest
from redink.grader.evidence.packing import stored_sources
from redink.grader.pipeline.job import Done
from redink.grader.pipeline.known import attempt_of
from redink.grader.pipeline.load import Submission
from redink.grader.store.gradebook import Gradebook, StoredRun
from redink.grader.store.shorthand import Expected
from redink.records import Result, Walls
from redink.texts import clean

_LONGEST = 1000  # characters of a reason, which names files


def record(
    book: Gradebook, key: AnswerKey, key_digest: str, expected: Expected, submission: Submission, done: Done
) -> Result:
    """Store everything about one submission in one transaction; of a failure of ours, nothing is stored."""
    if done.state == "ungradable" and done.reason != submission.reason:  # a worker knows no names
        done = msgspec.structs.replace(done, reason=f"{submission.name.file} {done.reason}")
    result = make_result(key, submission, done)
    if done.state == "internal_error":
        return result
    with book.transaction():
        id = attempt_of(book, key.slug, submission)
        if done.executed and done.execution is not None:
            sources = stored_sources(done.sources)
            run = StoredRun(sources=sources, stamp=key.stamp, **msgspec.structs.asdict(done.execution))
            book.keep_run(id, run, done.seen, expected)
        book.keep_judgements(done.judgements)
        book.keep_result(
            id,
            result,
            answer_key=key_digest,
            graded_under=graded_under(key_digest, submission),
            bases=done.assessment.bases if done.assessment else {},
            mistakes=done.assessment.mistakes if done.assessment else {},
            expected=expected,
        )
    return result


def graded_under(key_digest: str, submission: Submission) -> str:
    """Return a digest of all that a result depends on; if it has not changed, there is nothing to grade."""
    name = submission.name
    return digest(key_digest, name.id, name.file, name.sha256, submission.reason or "")


def make_result(key: AnswerKey, submission: Submission, done: Done) -> Result:
    """Make the result: `ungradable` is a zero, `internal_error` is none."""
    execution, assessment = done.execution, done.assessment
    return Result(
        assignment=key.slug,
        version=key.version,
        secret=key.secret,
        submission=submission.name,
        state=done.state,
        reason=None if done.reason is None else clean(done.reason, _LONGEST),
        score=assessment.score if assessment else 0.0,
        max_score=key.spec.full_marks,
        questions=assessment.questions if assessment else (),
        cells=execution.cells if execution else (),
        box=execution.box if execution else Walls(),
        cpu_seconds=round(execution.cpu_seconds, 2) if execution else 0.0,  # finer, it would tell of secret inputs
        wall_seconds=round(execution.wall_seconds, 2) if execution else 0.0,
        run_again=bool(execution and execution.run_again),
    )
