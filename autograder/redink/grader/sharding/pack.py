"""`redink pack`: what was collected and is not graded yet, as one file for machines that have nothing else of the course."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import encode_key
from redink.grader.course import Course
from redink.grader.digests import versions
from redink.grader.grading import Grading
from redink.grader.pipeline.collect import Found, collected_before
from redink.grader.pipeline.job import Job
from redink.grader.pipeline.load import load
from redink.grader.pipeline.report import Outcome
from redink.grader.rules.reading import read_course
from redink.grader.sharding.bonds import pseudonym, sealing_secret
from redink.grader.sharding.job_file import Contents, PackedOne, write_class
from redink.grader.store.gradebook import Gradebook
from redink.grader.workers.workers import Workers
from redink.records import Record


class PackedReceipt(Record, frozen=True):
    """What was packed, and what need not be."""

    submissions: int
    left_out: int  # graded before and unchanged, or not readable: merging sees to those
    sha256: str  # to be pinned


def pack(
    course: Course,
    slug: str,
    target: Path,
    recipients: Sequence[str],
    *,
    workers: Workers,
    gradebook: Path | None = None,
) -> PackedReceipt:
    """Pack those submissions of a class that are to be graded, without names; whoever has an identity can grade them."""
    rules, _ = read_course(course, slug)
    secret, job = course.secret(), secrets.token_hex(16)
    with Gradebook(gradebook or course.gradebook_path(), course.secret_name(), holder=f"redink pack {slug}") as book:
        found = collected_before(book, slug, rules.of(slug).counts == "best")
        key = answer_key(course, slug, workers.observe)
        data = encode_key(key)

        def contents(submissions: Sequence[PackedOne]) -> Contents:
            return Contents(
                versions=versions(),
                job=job,
                sealing=sealing_secret(secret, job),
                key=data,
                submissions=tuple(submissions),
            )

        whole, sha256 = write_class(target, _jobs(Grading.by(key, book), found, secret), contents, recipients)
    return PackedReceipt(
        submissions=len(whole.submissions), left_out=len(found) - len(whole.submissions), sha256=sha256
    )


def _jobs(grading: Grading, found: Sequence[Found], secret: bytes) -> Iterator[tuple[str, Job]]:
    """List what a worker must do, by pseudonym; nothing is written."""
    packed: set[str] = set()
    for one in found:
        submission = load(one)
        before = grading.book.graded(grading.key.slug, submission.name.id, submission.attempt)
        prepared = None if submission.reason else grading.prepare(submission, before)
        who = pseudonym(secret, grading.key.slug, submission.name)
        if prepared is not None and not isinstance(prepared, Outcome) and who not in packed:
            packed.add(who)
            yield who, prepared
