"""The cells that were handed in to another gradebook, such as last year's: it is read, and nothing of it is changed."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from pathlib import Path

from redink.errors import CourseError
from redink.grader.store.recognise import connect_to
from redink.grader.store.schema import APPLICATION_ID, SCHEMA
from redink.grader.store.shorthand import Shorthand

_WITH_ATTEMPTS = 2  # the first schema that has students, attempts and runs
_WITH_DICTIONARIES = 4
_NEWEST_RUNS = """
SELECT students.name, {dictionary}, runs.sources FROM submissions AS this
JOIN students ON students.id = this.student
JOIN submissions AS same ON same.assignment = this.assignment AND same.student = this.student
    AND same.sha256 = this.sha256 AND same.attempt <= this.attempt
JOIN runs ON runs.submission = same.id
WHERE this.assignment = ? ORDER BY this.attempt, runs.id
"""


def read_sources(path: Path, assignment: str) -> dict[str, bytes]:
    """Return everybody's cells in the last attempt that was run, as bytes, by student; none of cells that cannot be read."""
    if not path.is_file():
        raise CourseError(f"there is no gradebook {path}")
    try:
        with contextlib.closing(connect_to(path, "mode=ro")) as db:
            (kind,), (version,) = (db.execute(f"PRAGMA {one}").fetchone() for one in ("application_id", "user_version"))
            if kind != APPLICATION_ID or not _WITH_ATTEMPTS <= version <= SCHEMA:
                raise CourseError(f"{path} is no gradebook that this Redink can read beside its own")
            dictionary = "runs.dictionary" if version >= _WITH_DICTIONARIES else "NULL"
            shorthand, rows = Shorthand(db), db.execute(_NEWEST_RUNS.format(dictionary=dictionary), (assignment,))
            return {name: _unpacked(shorthand, number, sources) for name, number, sources in rows.fetchall()}
    except sqlite3.Error as error:
        raise CourseError(f"{path} cannot be read as a gradebook: {error}") from error


def _unpacked(shorthand: Shorthand, dictionary: int | None, sources: bytes) -> bytes:
    with contextlib.suppress(zlib.error):
        return shorthand.unpack(dictionary, sources)
    return b""
