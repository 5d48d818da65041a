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
    made = []
    for slug in dict.fromkeys(slugs):
        with workers(course, slug) as working:
            key = answer_key(course, slug, working.observe)
        made.append(bound(course, key if reference else _without_reference(key)))
    return encrypted(made, recipients)


def bound(course: Course, key: AnswerKey) -> SealedKey:
    """Bind a key to the public files of its assignment, and to the time when hidden results may be shown."""
    folder = course.find_assignment(key.slug)
    if old := stale(folder, key.published_from):
        raise CourseError(old)
    return SealedKey(key=encode_key(key), public=public_digest(folder), shown_from=_time_over(course, key.slug))


def encrypted(keys: Sequence[SealedKey], recipients: Sequence[str]) -> bytes:
    """Return a sealed file of these keys, which belongs to this version of Redink's code."""
    whole = SealedKeys(redink=metadata.version("redink"), code=code_stamp(), assignments=tuple(keys))
    return encrypt(msgspec.msgpack.encode(whole), recipients)


def _without_reference(key: AnswerKey) -> AnswerKey:
    return msgspec.structs.replace(key, reference=())


def _time_over(course: Course, slug: str) -> datetime | None:
    """Return when the last student's time is over, by course.toml and the extensions that were given until now."""
    if not course.gradebook_path().exists():
        return read_course(course)[0].due(slug)
    with open_gradebook(course, None, f"redink seal {slug}") as book:
        return find_standings(course, book, slug).last_end()
