"""Taking people and notebooks out of a gradebook. Nothing else ever removes anything from it.

Of a person stays a nameless row, so that no number is given twice and a group keeps what it handed in together; `meta` says
when that was, and of how much. Deleted rows leave their bytes in the file and in its -wal, so the file is written anew
before a purge is over; one that was interrupted there is finished by the next.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec

from redink.errors import CourseError
from redink.grader.store.schema import as_written, changeable, now
from redink.grader.store.shorthand import Shorthand
from redink.records import Record, Result

_UNFINISHED = "purge that must still write the file anew"
_SHORTEST = 3  # letters of a name that is looked for in texts: "ab" stands in too many

# What a gradebook holds of submissions and of people, children first; `mine` are the submissions meant.
_NOTEBOOKS = {
    "observed": "run IN (SELECT id FROM runs WHERE submission IN mine)",
    "runs": "submission IN mine",
    "files": "submission IN mine",
}
OF_SUBMISSIONS = _NOTEBOOKS | {
    "question_scores": "result IN (SELECT id FROM results WHERE submission IN mine)",
    "results": "submission IN mine",
    "times": "submission IN mine",
    "members": "submission IN mine",
    "submissions": "id IN mine",
}
OF_PEOPLE = {name: "student = :student" for name in ("identities", "overrides", "extensions")}
_HANDED_IN = """
SELECT id FROM submissions WHERE student = :student OR id IN (SELECT submission FROM members WHERE student = :student)
"""
# What nobody has any more: handed in by people who were purged, and not by a group of which somebody is left.
_NOBODYS = """
SELECT submissions.id FROM submissions JOIN students ON students.id = student
WHERE students.name IN (SELECT name FROM meta WHERE name GLOB 'purged [0-9]*')
    AND submissions.id NOT IN (SELECT submission FROM members)
"""
# A last attempt that nobody has graded yet is still needed.
_OLD = """
SELECT id FROM submissions AS one WHERE collected_at < :before
    AND (EXISTS (SELECT 1 FROM files WHERE submission = one.id) OR EXISTS (SELECT 1 FROM runs WHERE submission = one.id))
    AND (EXISTS (SELECT 1 FROM results WHERE submission = one.id) OR EXISTS (
        SELECT 1 FROM submissions AS later WHERE later.assignment = one.assignment AND later.student = one.student
        AND later.attempt > one.attempt))
"""
_PACKED = {"runs": {"sources": True, "cells": False}, "results": {"record": True}}  # whether with the row's dictionary
_TEXTS = {
    "submissions": ("flags", "problem"),
    "overrides": ("reason",),
    "extensions": ("reason",),
    "voids": ("reason",),
}


class Purged(Record, frozen=True):
    """How much was removed."""

    attempts: int
    results: int = 0
    shared: int = 0  # attempts that stay, without the name, since others of a group have them too


class Purging:
    """The part of a gradebook that removes, and that shows what it would remove."""

    def __init__(
        self,
        db: sqlite3.Connection,
        transaction: Callable[[], contextlib.AbstractContextManager[None]],
        shorthand: Shorthand,
    ) -> None:
        self._db = db
        self._transaction = transaction
        self._shorthand = shorthand

    def person(self, student: str, words: Collection[str]) -> Purged:
        """Remove a student and everything that is theirs alone; `words` are what they are called, wherever that stands."""
        with self._removing():
            (id,) = self._db.execute("SELECT id FROM students WHERE name = ?", (student,)).fetchone()
            tombstone = f"purged {id}"
            for table, condition in {**OF_PEOPLE, "members": "student = :student"}.items():
                self._delete(table, condition, student=id)
            self._db.execute("UPDATE students SET name = ?, full_name = '', email = '' WHERE id = ?", (tombstone, id))
            self._db.execute("INSERT INTO meta VALUES (?, '')", (tombstone,))
            removed = self._delete_submissions(_NOBODYS, OF_SUBMISSIONS)
            shared = self._without_name(id, tombstone)
            self._redact(words)
            purged = Purged(attempts=removed["submissions"], results=removed["results"], shared=shared)
            told = f"{now()}: {purged.attempts} attempts, {purged.results} results"
            self._db.execute("UPDATE meta SET value = ? WHERE name = ?", (told, tombstone))
        self.finish()
        return purged

    def notebooks(self, before: datetime) -> Purged:
        """Remove the notebooks that were collected before a time, and what was seen of them; grades stay."""
        with self._removing():
            written = as_written(before)
            (count,) = self._db.execute(f"SELECT count(*) FROM ({_OLD})", {"before": written}).fetchone()  # noqa: S608 - our own text
            self._delete_submissions(_OLD, _NOTEBOOKS, before=written)
            told = f"notebooks purged that were collected before {written}"
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (told, f"{now()}: {count}"))
        self.finish()
        return Purged(attempts=count)

    def finish(self) -> None:
        """Write the file anew if a purge must still do so, and empty its -wal: what was removed is in neither."""
        if self._db.execute("SELECT 1 FROM meta WHERE name = ?", (_UNFINISHED,)).fetchone() is None:
            return
        self._db.execute("PRAGMA temp_store = MEMORY")  # not into a file of /tmp
        self._db.execute("VACUUM")
        self._empty_wal()
        self._db.execute("DELETE FROM meta WHERE name = ?", (_UNFINISHED,))
        self._empty_wal()

    def held(self, student: str) -> dict[str, list[dict[str, Any]]]:
        """Return every row that is about a student, by table; of what a group handed in, the group's."""
        (id,) = self._db.execute("SELECT id FROM students WHERE name = ?", (student,)).fetchone()
        found = {"students": self._rows("students", "id = :student", student=id)}
        with self._mine(_HANDED_IN, student=id):
            for table, condition in {**OF_PEOPLE, **OF_SUBMISSIONS}.items():
                found[table] = self._rows(table, condition, student=id)
        for table, columns in _PACKED.items():
            for row in found[table]:
                dictionary = row.pop("dictionary")
                for column, with_it in columns.items():
                    row[column] = self._shorthand.unpack(dictionary if with_it else None, row[column])
        return found

    @contextlib.contextmanager
    def _removing(self) -> Iterator[None]:
        """Remove in one transaction; what was judged is a cache, and holds texts about anybody's answers."""
        self.finish()
        self._db.execute("PRAGMA secure_delete = ON")
        with self._transaction(), changeable(self._db):
            yield
            self._db.execute("DELETE FROM judgements")
            if self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'old_observations'").fetchone():
                self._db.execute("DELETE FROM old_observations")  # nothing says whose they are
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, '')", (_UNFINISHED,))

    def _delete_submissions(self, which: str, tables: Mapping[str, str], **values: object) -> dict[str, int]:
        with self._mine(which, **values):
            return {table: self._delete(table, condition) for table, condition in tables.items()}

    @contextlib.contextmanager
    def _mine(self, which: str, **values: object) -> Iterator[None]:
        self._db.execute("CREATE TEMP TABLE mine (id INTEGER PRIMARY KEY)")
        try:
            self._db.execute(f"INSERT INTO mine {which}", values)
            yield
        finally:
            self._db.execute("DROP TABLE mine")

    def _delete(self, table: str, condition: str, **values: object) -> int:
        return self._db.execute(f"DELETE FROM {table} WHERE {condition}", values).rowcount  # noqa: S608 - our own names

    def _rows(self, table: str, condition: str, **values: object) -> list[dict[str, Any]]:
        found = self._db.execute(f"SELECT * FROM {table} WHERE {condition}", values)  # noqa: S608 - our own names
        names = [one[0] for one in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]

    def _without_name(self, student: int, tombstone: str) -> int:
        """Take the name out of what was handed in for a group and stays the group's."""
        shared = self._db.execute("SELECT id, assignment FROM submissions WHERE student = ?", (student,)).fetchall()
        for submission, assignment in shared:
            file = f"{assignment}.ipynb"
            self._db.execute("UPDATE submissions SET file = ? WHERE id = ?", (file, submission))
            rows = self._db.execute("SELECT id, dictionary, record FROM results WHERE submission = ?", (submission,))
            for id, dictionary, record in rows.fetchall():
                result = msgspec.msgpack.decode(self._shorthand.unpack(dictionary, record), type=Result)
                named = msgspec.structs.replace(result.submission, id=tombstone, file=file)
                nameless = msgspec.msgpack.encode(msgspec.structs.replace(result, submission=named))
                packed = self._shorthand.pack(nameless)
                self._db.execute("UPDATE results SET dictionary = ?, record = ? WHERE id = ?", (*packed, id))
        return len(shared)

    def _redact(self, words: Collection[str]) -> None:
        """Take names out of the texts that people wrote about others, and of the notes about groups."""
        if (pattern := words_pattern(words)) is None:
            return
        for table, columns in _TEXTS.items():
            for column in columns:
                rows = self._db.execute(f"SELECT id, {column} FROM {table} WHERE {column} <> ''").fetchall()  # noqa: S608 - our own names
                changed = [(pattern.sub("…", text), id) for id, text in rows if pattern.search(text)]
                self._db.executemany(f"UPDATE {table} SET {column} = ? WHERE id = ?", changed)  # noqa: S608 - our own names
        for (name,) in self._db.execute("SELECT name FROM meta WHERE name GLOB 'taken out *'").fetchall():
            if pattern.search(name):
                self._db.execute("DELETE FROM meta WHERE name = ?", (name,))

    def _empty_wal(self) -> None:
        (busy, *_) = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise CourseError(
                "what was removed is not out of the gradebook's -wal yet, since another program is reading the gradebook: "
                "close it, and purge again"
            )


def purged_names(db: sqlite3.Connection) -> frozenset[str]:
    """Return what stands in the place of the names of people who were purged."""
    return frozenset(name for (name,) in db.execute("SELECT name FROM meta WHERE name GLOB 'purged [0-9]*'"))


def words_pattern(words: Collection[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds names as whole words, also between underscores; None if all are too short for that."""
    long = sorted({re.escape(one) for one in words if len(one) >= _SHORTEST}, key=len, reverse=True)
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(long)})(?![^\W_])", re.IGNORECASE) if long else None
