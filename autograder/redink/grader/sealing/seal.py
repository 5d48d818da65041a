"""`redink seal`: the answer keys of some assignments, encrypted into one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from importlib import metadata

import msgspec

from redink.assignment.published import stale
from redink.errors import CourseError
from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import AnswerKey, encode_key
from redink.grader.course import Course
from redink.grader.desk.standings import find_standings, open_gradebook
from redink.grader.digests import code_stamp
from redink.grader.rules.reading import read_course
from redink.grader.sealing.age import encrypt
from redink.grader.sealing.sealed import SealedKey, SealedKeys, public_digest
from redink.grader.workers.workers import Workers, workers_for


def seal(
    course: Course,
    slugs: Sequence[str],
    recipients: Sequence[str],
    *,
    reference: bool = True,
    workers: Callable[[Course, str], Workers] = workers_for,
) -> bytes:
    """Return the keys of these assignments, encrypted for the recipients; a key that is not kept is made first."""
    made = tuple(_sealed_key(course, slug, reference, workers) for slug in dict.fromkeys(slugs))
    keys = SealedKeys(redink=metadata.version("redink"), code=code_stamp(), assignments=made)
    return encrypt(msgspec.msgpack.encode(keys), recipients)


def _sealed_key(course: Course, slug: str, reference: bool, workers: Callable[[Course, str], Workers]) -> SealedKey:
    folder = course.find_assignment(slug)
    public = public_digest(folder)
    with workers(course, slug) as working:
        key = answer_key(course, slug, working.observe)
    if old := stale(folder, key.published_from):
        raise CourseError(old)
    return SealedKey(
        key=encode_key(key if reference else _without_reference(key)),
        public=public,
        shown_from=_time_over(course, slug),
    )


def _without_reference(key: AnswerKey) -> AnswerKey:
    return msgspec.structs.replace(key, reference=())


def _time_over(course: Course, slug: str) -> datetime | None:
    """Return when the last student's time is over, by course.toml and the extensions that were given until now."""
    if not course.gradebook_path().exists():
        return read_course(course)[0].due(slug)
    with open_gradebook(course, None, f"redink seal {slug}") as book:
        return find_standings(course, book, slug).last_end()
