"""The gradebook: one SQLite file with what was seen, what was judged and what was graded.

Observations and judgements are stored under the keys of `keys.py`, so nothing is observed or judged twice. Each result is
written in one transaction with what it rests on: after a crash at any moment a submission is graded or it is not.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import msgspec

from redink.errors import CourseError
from redink.records import CellRun, Observation, Record, Result, Walls

SCHEMA = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS observations (key TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS judgements (key TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (key TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
    assignment TEXT, submission TEXT, graded_under TEXT NOT NULL, record BLOB NOT NULL,
    PRIMARY KEY (assignment, submission)
) WITHOUT ROWID;
"""
Stored = TypeVar("Stored", bound=Record)


class Run(Record, frozen=True):
    """One execution of a submission's cells."""

    cells: tuple[CellRun, ...]
    box: Walls
    cpu_seconds: float
    wall_seconds: float


class Gradebook:
    """All that is known of a class's submissions. Only the coordinator writes it."""

    def __init__(self, path: Path | None, secret: str) -> None:
        self.path = path
        if path is not None and path.exists() and not path.is_file():
            raise CourseError(f"{path} cannot be used as a gradebook: it is not a file")
        try:
            self._db = sqlite3.connect(path or ":memory:", isolation_level=None)
            if path is not None:
                path.chmod(0o600)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA busy_timeout = 10000")
            self._db.executescript(_TABLES)
            self._claim("schema", str(SCHEMA), "was written by another version of Redink")
            self._claim("secret", secret, "belongs to another course secret; use that secret, or another --gradebook")
        except sqlite3.Error as error:
            raise CourseError(f"{path} cannot be used as a gradebook: {error}") from error

    def _claim(self, name: str, value: str, complaint: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (name, value))
        (found,) = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        if found != value:
            self._db.close()
            raise CourseError(f"the gradebook {self.path} {complaint}")

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()
        if isinstance(error, sqlite3.Error):  # a full disk, a lock that is never given back
            raise CourseError(f"the gradebook {self.path} cannot be written: {error}") from error

    # -- what was seen ---------------------------------------------------------------------------------------------

    def run(self, key: str) -> Run | None:
        """Find an execution of cells."""
        return self._get("runs", key, Run)

    def observations(self, keys: Iterable[str]) -> dict[str, Observation]:
        """Find those of these observations that were made before."""
        return {key: found for key in keys if (found := self._get("observations", key, Observation)) is not None}

    def keep_observed(self, key: str, run: Run, observations: Mapping[str, Observation]) -> None:
        """Store an execution and what was observed of it, all or nothing."""
        with self.transaction():
            self._put("runs", key, run)
            for name, observation in observations.items():
                self._put("observations", name, observation)

    # -- what was judged -------------------------------------------------------------------------------------------

    def judgement(self, key: str, kind: type[Stored]) -> Stored | None:
        """Find an earlier judgement."""
        return self._get("judgements", key, kind)

    def keep_judgement(self, key: str, judgement: Record) -> None:
        """Store a judgement."""
        self._put("judgements", key, judgement)

    # -- what was graded -------------------------------------------------------------------------------------------

    def keep_submission(self, key: str, submission: Record) -> None:
        """Store what was handed in, so that it can be re-judged without its file."""
        self._put("sources", key, submission)

    def submission(self, key: str, kind: type[Stored]) -> Stored | None:
        """Find what was handed in."""
        return self._get("sources", key, kind)

    def result(self, assignment: str, submission: str) -> tuple[Result, str] | None:
        """Find the last result of a submission and the key it was graded under."""
        row = self._db.execute(
            "SELECT record, graded_under FROM results WHERE assignment = ? AND submission = ?", (assignment, submission)
        ).fetchone()
        return None if row is None else (msgspec.msgpack.decode(row[0], type=Result), row[1])

    def results(self, assignment: str) -> list[Result]:
        """List the results of an assignment, by submission."""
        rows = self._db.execute("SELECT record FROM results WHERE assignment = ? ORDER BY submission", (assignment,))
        return [msgspec.msgpack.decode(record, type=Result) for (record,) in rows]

    def keep_result(self, result: Result, graded_under: str) -> None:
        """Store a result in the place of an earlier one."""
        self._db.execute(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)",
            (result.assignment, result.submission.id, graded_under, msgspec.msgpack.encode(result)),
        )

    # -- how -------------------------------------------------------------------------------------------------------

    def transaction(self) -> _Transaction:
        """Do several writes, all or nothing."""
        return _Transaction(self._db)

    def _get(self, table: str, key: str, kind: type[Stored]) -> Stored | None:
        row = self._db.execute(f"SELECT record FROM {table} WHERE key = ?", (key,)).fetchone()  # noqa: S608 - our own table names
        return None if row is None else msgspec.msgpack.decode(row[0], type=kind)

    def _put(self, table: str, key: str, record: Record) -> None:
        self._db.execute(
            f"INSERT OR REPLACE INTO {table} VALUES (?, ?)",  # noqa: S608 - our own table names
            (key, msgspec.msgpack.encode(record)),
        )


class _Transaction:
    """`with` this, everything is written, or nothing is."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._outer = False

    def __enter__(self) -> None:
        self._outer = not self._db.in_transaction
        if self._outer:
            self._db.execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._outer and self._db.in_transaction:  # SQLite itself rolls back when the disk is full
            self._db.execute("COMMIT" if kind is None else "ROLLBACK")
