"""Opening a gradebook: recognise it, lock it, and only then connect, and make it or bring it up to date."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from redink.errors import CourseError
from redink.grader.store.lock import InUseError, Lock
from redink.grader.store.migrate import migrate
from redink.grader.store.recognise import connect_to, recognise, refuse_another_secret, refuse_newer
from redink.grader.store.schema import APPLICATION_ID, SCHEMA, as_written, create

_CHECKPOINT_PAGES = 4000  # 16 MB: each checkpoint waits for the disk, and SQLite's own 4 MB is ten submissions


class Opened:
    """An open connection, the lock it is used under, and what an instructor should know about opening it."""

    def __init__(self, path: Path | None, secret: str, holder: str, reads: bool = False) -> None:
        self.told: tuple[str, ...] = ()
        self._path = path
        self._lock: Lock | None = None
        if path is None:
            self.db = sqlite3.connect(":memory:", isolation_level=None)
            self._prepare(None, secret, "")
            return
        file = recognise(path, secret)
        try:
            self._lock = Lock(file, holder)
        except InUseError:
            if not (reads and self._open_to_read(file, secret)):
                raise
            return
        try:
            self._open(file, secret)
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Close the connection, and then release the lock."""
        self.db.close()
        if self._lock is not None:
            self._lock.release()

    def _open_to_read(self, file: Path, secret: str) -> bool:
        """Open a gradebook that another command is writing, to look at it; False if it must be brought up to date."""
        self.db = connect_to(file, "mode=ro")
        (version,) = self.db.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA:
            self.db.close()
            return False
        self.db.execute("PRAGMA busy_timeout = 10000")
        self._claim(secret, {"meta"})
        return True

    def _open(self, file: Path, secret: str) -> None:
        written_at = _written_at(file)
        new = not file.exists()
        try:
            if new:
                os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self.db = connect_to(file, "mode=rw")
            try:
                self._prepare(file, secret, written_at)
            except BaseException:
                self.db.close()
                raise
        except BaseException as error:
            if new:
                _remove(file)
            if isinstance(error, OSError | sqlite3.Error):
                raise CourseError(f"{self._path} cannot be used as a gradebook: {error}") from error
            raise

    def _prepare(self, file: Path | None, secret: str, written_at: str) -> None:
        db = self.db
        db.execute("PRAGMA busy_timeout = 10000")  # somebody may be looking at it with sqlite3
        (version,) = db.execute("PRAGMA user_version").fetchone()
        refuse_newer(self._path, version)
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables and file is not None:  # marked first, so that it is recognised after a crash while it is made
            file.chmod(0o600)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._claim(secret, tables)
        _set(db)
        if not tables:
            db.execute("BEGIN IMMEDIATE")
            create(db, secret)
            db.execute("COMMIT")
            _checkpoint(db)
        elif file is not None and version < SCHEMA:
            copy = migrate(db, file, version or 1, secret, written_at)  # schema 1 did not say so
            self.told = (
                f"{self._path} was written by an older Redink and has been brought up to date; "
                f"a copy of it as it was is {copy}",
            )
            with contextlib.suppress(sqlite3.OperationalError):  # a full disk: it is complete, in its -wal
                _write_anew(db)
                _checkpoint(db)

    def _claim(self, secret: str, tables: set[str]) -> None:
        if "meta" in tables:
            for (found,) in self.db.execute("SELECT value FROM meta WHERE name = 'secret'"):
                refuse_another_secret(self._path, found, secret)


def _set(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")  # a power cut may take the last results, never the file: docs/adr/0010
    db.execute("PRAGMA foreign_keys = ON")
    db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")


def _write_anew(db: sqlite3.Connection) -> None:
    """Leave out the space that the old rows took."""
    db.execute("PRAGMA temp_store = MEMORY")  # not into a file of /tmp
    db.execute("VACUUM")
    db.execute("PRAGMA temp_store = DEFAULT")


def _checkpoint(db: sqlite3.Connection) -> None:
    """Write everything into the main file, so that its kind can be read from its header alone."""
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _remove(file: Path) -> None:
    """Remove a gradebook that could not be made."""
    for end in ("", "-journal", "-wal", "-shm"):
        file.with_name(file.name + end).unlink(missing_ok=True)


def _written_at(file: Path) -> str:
    """Return when something was last written into a gradebook: schema 1 kept no other time."""
    times = [0.0]
    for place in (file, file.with_name(file.name + "-wal")):
        with contextlib.suppress(FileNotFoundError):
            times.append(place.stat().st_mtime)
    return as_written(datetime.fromtimestamp(max(times), UTC))
