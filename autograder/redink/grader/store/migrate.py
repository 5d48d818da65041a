"""From an older schema to the present one: a copy first, then everything in one transaction.

Schema 1 was a cache of records: one result for each submission, replaced each time, without attempts or times. The shapes
of its records are repeated here, as far as they are needed: they must stay as they were, however today's records
change.
"""

from __future__ import annotations

import contextlib
import glob
import os
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from redink.errors import CourseError
from redink.grader.store.recognise import connect_to
from redink.grader.store.schema import create, upgrade_from_2, upgrade_from_3

OLD_STAMP = "before stamps were kept"
_OLD_TABLES = ("meta", "runs", "observations", "judgements", "sources", "results")

_Old = TypeVar("_Old")


class _Name(msgspec.Struct):
    id: str
    file: str
    sha256: str


class _Hint(msgspec.Struct):
    misconception: str


class _Question(msgspec.Struct):
    id: str
    tier: str
    score: float
    max_score: float
    hint: _Hint | None


class _OldWalls(msgspec.Struct):
    walls: tuple[str, ...]
    missing: tuple[str, ...]


class _Run(msgspec.Struct):
    cells: msgspec.Raw
    cpu_seconds: float
    wall_seconds: float


class _Sources(msgspec.Struct):
    cells: msgspec.Raw


class _Result(msgspec.Struct):
    submission: _Name
    state: str
    reason: str | None
    score: float
    max_score: float
    questions: tuple[_Question, ...]
    cells: msgspec.Raw
    box: _OldWalls
    cpu_seconds: float
    wall_seconds: float


def migrate(db: sqlite3.Connection, file: Path, version: int, secret: str, written_at: str) -> Path:
    """Bring a gradebook of an older schema up to date, and return the path of a copy of it as it was.

    Whatever happens, the file is of the old schema and whole, or of the new one and complete. Rows of schema 1, which
    kept no times, get the time `written_at`.
    """
    db.execute("BEGIN IMMEDIATE")  # nobody writes between the copy and the change
    copy = None
    try:
        copy = _back_up(file, version)
        if version == 1:
            _rewrite(db, secret, written_at)
        else:
            if version == 2:
                upgrade_from_2(db)
            upgrade_from_3(db)
        db.execute("COMMIT")
    except BaseException as error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        if copy is not None:
            copy.unlink()
        if isinstance(error, OSError | sqlite3.Error | msgspec.MsgspecError):
            raise CourseError(f"the gradebook {file} is of an older Redink and stays as it is: {error}") from error
        raise
    return copy


# -- the copy ----------------------------------------------------------------------------------------------------------


def copies_of(file: Path) -> list[Path]:
    """List the copies of a gradebook that were made when it was brought up to date; a killed one may have left a part."""
    return sorted(file.parent.glob(f"{glob.escape(file.name)}.schema[0-9]*"))


def _back_up(file: Path, version: int) -> Path:
    part = file.with_name(f"{file.name}.schema{version}.part")
    part.unlink(missing_ok=True)  # left by a process that was killed here: we hold the lock, so nobody else uses it
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with (
            contextlib.closing(connect_to(file, "mode=ro")) as source,
            contextlib.closing(connect_to(part, "mode=rw")) as target,
        ):
            target.execute("PRAGMA journal_mode = OFF")
            source.backup(target)
        _sync(part)
        copy = next(name for name in _names_of_copies(file, version) if not name.exists())
        part.rename(copy)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync(file.parent)
    return copy


def _names_of_copies(file: Path, version: int) -> Iterator[Path]:
    yield file.with_name(f"{file.name}.schema{version}")
    number = 2
    while True:
        yield file.with_name(f"{file.name}.schema{version}-{number}")
        number += 1


def _sync(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# -- the change --------------------------------------------------------------------------------------------------------


def _rewrite(db: sqlite3.Connection, secret: str, written_at: str) -> None:
    for table in _OLD_TABLES:
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    create(db, secret)
    run_keys = {
        _identity(_decoded(record, _Run)): key for key, record in db.execute("SELECT key, record FROM old_runs")
    }
    rows = db.execute(
        "SELECT old_results.assignment, graded_under, old_results.record, old_sources.record FROM old_results "
        "LEFT JOIN old_sources ON old_sources.key = old_results.assignment || '/' || old_results.submission "
        "ORDER BY old_results.assignment, old_results.submission"
    )
    for assignment, graded_under, record, sources in rows.fetchall():
        result = _decoded(record, _Result)
        submission = _keep_submission(db, assignment, result.submission, written_at)
        _keep_result(db, submission, result, record, graded_under, written_at)
        if result.state == "graded":
            _keep_run(db, submission, result, sources, run_keys.get(_identity(result)), written_at)
    for table in _OLD_TABLES:
        if table != "observations":  # they stay, as they are: old runs are found by their keys
            db.execute(f"DROP TABLE old_{table}")


def _identity(run: _Run | _Result) -> tuple[bytes, float, float]:
    """Return what distinguishes one execution from all others: how its cells ended, and its times to the last digit."""
    return bytes(run.cells), run.cpu_seconds, run.wall_seconds


def _keep_submission(db: sqlite3.Connection, assignment: str, name: _Name, written_at: str) -> int | None:
    db.execute("INSERT OR IGNORE INTO students (name) VALUES (?)", (name.id,))
    return db.execute(
        "INSERT INTO submissions (assignment, student, attempt, file, sha256, collected_at) "
        "SELECT ?, id, 1, ?, ?, ? FROM students WHERE name = ?",
        (assignment, name.file, name.sha256, written_at, name.id),
    ).lastrowid


def _keep_result(
    db: sqlite3.Connection, submission: int | None, old: _Result, record: bytes, graded_under: str, written_at: str
) -> None:
    result = db.execute(
        "INSERT INTO results VALUES (NULL, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (submission, written_at, graded_under, old.state, old.reason, old.score, old.max_score, old.cpu_seconds,
         old.wall_seconds, zlib.compress(record)),
    ).lastrowid  # fmt: skip
    db.executemany(
        "INSERT INTO question_scores VALUES (?, ?, ?, ?, ?, ?, NULL, '')",
        [
            (result, one.id, one.tier, one.score, one.max_score, one.hint.misconception if one.hint else None)
            for one in old.questions
        ],
    )


def _keep_run(
    db: sqlite3.Connection,
    submission: int | None,
    old: _Result,
    sources: bytes | None,
    key: str | None,
    written_at: str,
) -> None:
    cells = bytes(_decoded(sources, _Sources).cells) if sources is not None else msgspec.msgpack.encode(())
    db.execute(
        "INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (submission, written_at, OLD_STAMP, zlib.compress(cells), zlib.compress(old.cells), ",".join(old.box.walls),
         ",".join(old.box.missing), old.cpu_seconds, old.wall_seconds, key),
    )  # fmt: skip


def _decoded(record: bytes, kind: type[_Old]) -> _Old:
    return msgspec.msgpack.decode(record, type=kind)
