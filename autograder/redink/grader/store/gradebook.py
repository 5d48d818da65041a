"""The gradebook: one SQLite file with who handed in what, what was seen of it, and what it was graded.

Results are added and never replaced. The caller writes everything about one submission in one transaction: after a crash
at any moment a submission is graded or it is not. `schema.py` has the tables; docs/gradebook.md explains them.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from redink.errors import CourseError
from redink.grader.store.collected import CollectedFiles
from redink.grader.store.decisions import Decisions
from redink.grader.store.opening import Opened
from redink.grader.store.purging import Purging
from redink.grader.store.rejudgings import Rejudgings
from redink.grader.store.schema import COUNTING_RESULT, now
from redink.grader.store.shorthand import NOTHING, Expected, Shorthand, long, short
from redink.records import CellRun, CheckObservations, Execution, Record, Result, Walls

_Kind = TypeVar("_Kind")

# What was seen of the same bytes by the same student: this attempt and earlier ones that were the same file.
_RUNS_OF_THE_SAME = """
FROM submissions AS this
JOIN submissions AS same ON same.assignment = this.assignment AND same.student = this.student
    AND same.sha256 = this.sha256 AND same.attempt <= this.attempt
JOIN runs ON runs.submission = same.id
"""
_RESULTS = """
SELECT submissions.id, submissions.attempt, results.id, results.record, results.dictionary, results.graded_under,
    results.answer_key
FROM submissions JOIN students ON students.id = submissions.student JOIN results ON results.submission = submissions.id
WHERE submissions.assignment = ?
"""
_GRADED = f"{_RESULTS} AND {COUNTING_RESULT}"
_NEWEST = "results.id = (SELECT max(id) FROM results AS one WHERE one.submission = submissions.id)"
_NEW_RUN = """
INSERT INTO runs (
    submission, made_at, stamp, sources, dictionary, cells, walls, missing, cpu_seconds, wall_seconds
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_NEW_RESULT = """
INSERT INTO results (
    submission, graded_at, answer_key, graded_under, state, reason, score, max_score, cpu_seconds, wall_seconds,
    dictionary, record
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


class StoredRun(Execution, frozen=True):
    """An execution as it is kept: with the cells that were handed in, and the stamp of what it was made under."""

    sources: bytes = b""
    stamp: str = ""


class Stored(Record, frozen=True):
    """What one check saw in one run, without the content."""

    run: int
    check: str
    key: str
    digest: str
    stamp: str


class Graded(Record, frozen=True):
    """The result of a submission that counts today, and what it depends on, by question."""

    submission: int
    attempt: int
    result: Result
    graded_under: str
    answer_key: str
    bases: dict[str, str]
    mistakes: dict[str, str]


class Gradebook:
    """All that is known of a class's submissions. One process at a time writes it; one that only `reads` may look on."""

    def __init__(self, path: Path | None, secret: str, *, holder: str = "redink", reads: bool = False) -> None:
        self.path = path
        self._opened = Opened(path, secret, holder, reads)
        self._db = self._opened.db
        self.told = self._opened.told
        self._shorthand = Shorthand(self._db)
        self.collected = CollectedFiles(self._db, self.transaction, self._shorthand)
        self.decisions = Decisions(self._db, self.transaction)
        self.rejudgings = Rejudgings(self._db)
        self.purging = Purging(self._db, self.transaction, self._shorthand)

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()
        if isinstance(error, sqlite3.Error):  # a full disk, or a program that reads it and never lets go
            raise CourseError(f"the gradebook {self.path} cannot be written: {error}") from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Do several writes, all or nothing; inside another one it does nothing: the outer one commits."""
        if self._db.in_transaction:  # a savepoint would copy every page that is touched: a third slower
            yield
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            self._shorthand.forget()
            if self._db.in_transaction:  # SQLite itself rolls back when the disk is full
                self._db.execute("ROLLBACK")
            raise

    # -- what was seen ---------------------------------------------------------------------------------------------

    def keep_run(
        self,
        submission: int,
        run: StoredRun,
        observations: Iterable[CheckObservations],
        expected: Expected = NOTHING,
    ) -> None:
        """Store an execution and what was observed in it; what is as expected takes next to no space."""
        with self.transaction():
            dictionary, sources = self._shorthand.pack(run.sources, expected.sources)
            _, cells = self._shorthand.pack(msgspec.msgpack.encode(run.cells))
            id = self._insert(
                _NEW_RUN, submission, now(), run.stamp, sources, dictionary, cells, ",".join(run.box.walls),
                ",".join(run.box.missing), run.cpu_seconds, run.wall_seconds,
            )  # fmt: skip
            self._db.executemany(
                "INSERT INTO observed (run, check_number, key, digest, dictionary, content) VALUES (?, ?, ?, ?, ?, ?)",
                [(id, *self._observed(one, expected.observation(one.check))) for one in observations],
            )

    def _observed(self, one: CheckObservations, like: bytes) -> tuple[object, ...]:
        check, key = self._shorthand.number(one.check), short(one.key)
        if like and one.content == like:
            return check, key, None, self._shorthand.dictionary(like), None
        return check, key, short(one.digest), *self._shorthand.pack(one.content, like)

    def last_run(self, submission: int) -> StoredRun | None:
        """Find the newest execution of these bytes, also from an earlier attempt of the student with the same ones."""
        row = self._one(
            "SELECT sources, dictionary, cells, walls, missing, runs.cpu_seconds, runs.wall_seconds, stamp "
            f"{_RUNS_OF_THE_SAME} WHERE this.id = ? ORDER BY runs.id DESC LIMIT 1",
            submission,
        )
        if row is None:
            return None
        sources, dictionary, cells, walls, missing, cpu_seconds, wall_seconds, stamp = row
        return StoredRun(
            sources=self._shorthand.unpack(dictionary, sources),
            cells=self._decode(None, cells, tuple[CellRun, ...]),
            box=Walls(walls=_words(walls), missing=_words(missing)),
            cpu_seconds=cpu_seconds,
            wall_seconds=wall_seconds,
            stamp=stamp,
        )

    def stored(self, submission: int) -> list[Stored]:
        """List what checks saw of these bytes, newest run first, also in earlier attempts with the same ones."""
        rows = self._db.execute(
            "SELECT runs.id, checks.name, key, coalesce(observed.digest, dictionaries.digest), stamp "
            f"{_RUNS_OF_THE_SAME} JOIN observed ON observed.run = runs.id JOIN checks ON checks.id = check_number "
            "LEFT JOIN dictionaries ON dictionaries.id = observed.dictionary "
            "WHERE this.id = ? ORDER BY runs.id DESC, checks.name",
            (submission,),
        )
        return [
            Stored(run=run, check=check, key=long(key), digest=long(digest), stamp=stamp)
            for run, check, key, digest, stamp in rows
        ]

    def content(self, run: int, check: str) -> bytes:
        """Read what one check saw in one run; raise KeyError if that was never stored."""
        row = self._one(
            "SELECT dictionary, content FROM observed JOIN checks ON checks.id = check_number WHERE run = ? AND name = ?",
            run, check,
        )  # fmt: skip
        if row is None:
            raise KeyError((run, check))
        return self._shorthand.unpack(*row)

    def old_run_key(self, submission: int) -> str | None:
        """Find the key under which these bytes were run by a Redink with schema 1."""
        row = self._one(
            f"SELECT old_key {_RUNS_OF_THE_SAME} WHERE this.id = ? AND old_key IS NOT NULL ORDER BY runs.id DESC LIMIT 1",
            submission,
        )
        return None if row is None else str(row[0])

    def old_observations(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Find those of these observations that a Redink with schema 1 made."""
        if self._one("SELECT 1 FROM sqlite_master WHERE name = 'old_observations'") is None:
            return {}
        found = self._db.execute(
            "SELECT key, record FROM old_observations WHERE key IN (SELECT value FROM json_each(?))",
            (json.dumps(list(keys)),),
        )
        return dict(found)

    # -- what was judged -------------------------------------------------------------------------------------------

    def judgements(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Find those of these judgements that were made before."""
        found = {}
        for key in keys:
            if row := self._one("SELECT record FROM judgements WHERE key = ?", short(key)):
                found[key] = self._shorthand.unpack(None, row[0])
        return found

    def keep_judgements(self, records: Mapping[str, bytes]) -> None:
        """Store judgements."""
        with self.transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO judgements VALUES (?, ?)",
                [(short(key), self._shorthand.pack(record)[1]) for key, record in records.items()],
            )

    # -- what was graded -------------------------------------------------------------------------------------------

    def keep_result(
        self,
        submission: int,
        result: Result,
        *,
        answer_key: str,
        graded_under: str,
        bases: Mapping[str, str] = {},
        mistakes: Mapping[str, str] = {},
        expected: Expected = NOTHING,
    ) -> None:
        """Add a result; an earlier one stays. Our own failure is no result, and raises ValueError."""
        if result.state == "internal_error":
            raise ValueError("a failure of Redink itself is no result and is never stored")
        with self.transaction():
            id = self._insert(
                _NEW_RESULT, submission, now(), answer_key, graded_under, result.state, result.reason, result.score,
                result.max_score, result.cpu_seconds, result.wall_seconds,
                *self._shorthand.pack(msgspec.msgpack.encode(result), expected.result),
            )  # fmt: skip
            self._db.executemany(
                "INSERT INTO question_scores VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (id, one.id, one.tier, one.score, one.max_score, one.hint.misconception or None if one.hint else None,
                     mistakes.get(one.id), bases.get(one.id, ""))
                    for one in result.questions
                ],
            )  # fmt: skip

    def graded(self, assignment: str, student: str, attempt: int = 0) -> Graded | None:
        """Find the newest result of an attempt or, if it has none or none is named, of the highest that has one."""
        if attempt and (found := self._graded(f"{_RESULTS} AND {_NEWEST} AND submissions.id = ?", assignment, attempt)):
            return found[0]
        found = self._graded(f"{_GRADED} AND students.name = ?", assignment, student)
        return found[0] if found else None

    def all_graded(self, assignment: str) -> list[Graded]:
        """List the results of an assignment that count today, by student."""
        return self._graded(f"{_GRADED} ORDER BY students.name", assignment)

    def mistakes(self, assignment: str) -> dict[int, dict[str, str]]:
        """List the mistakes that no misconception explains in the newest result of every attempt, by its id and question."""
        found: dict[int, dict[str, str]] = defaultdict(dict)
        for submission, name, mistake in self._db.execute(
            "SELECT results.submission, question, mistake FROM question_scores JOIN results ON results.id = result "
            "WHERE mistake IS NOT NULL AND results.id IN (SELECT max(results.id) FROM results JOIN submissions "
            "ON submissions.id = results.submission WHERE assignment = ? GROUP BY submissions.id)",
            (assignment,),
        ):
            found[submission][name] = mistake
        return dict(found)

    def before_and_after(self, assignment: str, first: int, last: int) -> list[tuple[Graded, Graded]]:
        """List those results from `first` to `last` that count today, by student, each with the one before them."""
        after = self._graded(
            f"{_GRADED} AND results.id BETWEEN ? AND ? ORDER BY students.name", assignment, first, last
        )
        earlier = "(SELECT max(id) FROM results AS one WHERE one.submission = submissions.id AND one.id < ?)"
        rows = self._graded(f"{_RESULTS} AND results.id = {earlier}", assignment, first)
        before = {one.submission: one for one in rows}
        return [(before[one.submission], one) for one in after if one.submission in before]

    def _graded(self, question: str, *values: object) -> list[Graded]:
        rows = self._db.execute(question, values).fetchall()
        bases: dict[int, dict[str, str]] = defaultdict(dict)
        mistakes: dict[int, dict[str, str]] = defaultdict(dict)
        for result, name, basis, mistake in self._db.execute(
            "SELECT result, question, basis, mistake FROM question_scores "
            "WHERE result IN (SELECT value FROM json_each(?))",
            (json.dumps([row[2] for row in rows]),),
        ):
            bases[result][name] = basis
            if mistake is not None:
                mistakes[result][name] = mistake
        return [
            Graded(
                submission=submission,
                attempt=attempt,
                result=self._decode(dictionary, record, Result),
                graded_under=graded_under,
                answer_key=answer_key,
                bases=bases[id],
                mistakes=mistakes[id],
            )
            for submission, attempt, id, record, dictionary, graded_under, answer_key in rows
        ]

    # -- how -------------------------------------------------------------------------------------------------------

    def _one(self, question: str, *values: object) -> Any:
        return self._db.execute(question, values).fetchone()

    def _insert(self, statement: str, *values: object) -> int:
        id = self._db.execute(statement, values).lastrowid
        assert id is not None
        return id

    def _decode(self, dictionary: int | None, record: bytes, kind: type[_Kind]) -> _Kind:
        try:
            return msgspec.msgpack.decode(self._shorthand.unpack(dictionary, record), type=kind)
        except (msgspec.MsgspecError, zlib.error) as error:
            raise CourseError(
                f"the gradebook {self.path} holds a record that this Redink cannot read ({error}); update Redink"
            ) from error


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()
