"""What people decided, as tables of the gradebook: extensions, overrides, checks that do not count. Only added to."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from redink.grader.rules.decisions import Extension, Override, Void
from redink.grader.rules.standing import Decided
from redink.grader.store.schema import as_written, now

# What happened to a student; of somebody who handed in for both, what happened to that file alone.
_EVENTS = """
SELECT at, events.student, what FROM events WHERE assignment = :assignment AND (
    events.student IS NULL OR events.student = :student OR EXISTS (
        SELECT 1 FROM members JOIN submissions ON submissions.id = members.submission
        JOIN students AS uploader ON uploader.id = submissions.student
        JOIN students AS member ON member.id = members.student
        WHERE submissions.assignment = events.assignment AND member.name = :student
        AND uploader.name = events.student AND what GLOB 'attempt ' || submissions.attempt || ' *'
    )
) ORDER BY at
"""


class Decisions:
    """The part of a gradebook that holds what people decided."""

    def __init__(
        self, db: sqlite3.Connection, transaction: Callable[[], contextlib.AbstractContextManager[None]]
    ) -> None:
        self._db = db
        self._transaction = transaction

    def extend(self, assignment: str, student: str, until: datetime | None, *, reason: str, who: str) -> None:
        """Set until when a student has time, who may not have handed in yet; None takes back what was set last."""
        with self._transaction():
            self._add_about(student, "extensions", "until", assignment, until and as_written(until), reason, who)
            if until is None and (before := self._before("extensions", "until", assignment, student)):
                self.extend(assignment, student, _moment(before[0]), reason=before[1], who=who)

    def override(
        self, assignment: str, student: str, question: str, score: float | None, *, reason: str, who: str
    ) -> None:
        """Set a score, of the whole assignment if no question is named; None takes back what was set last."""
        with self._transaction():
            self._add_about(student, "overrides", "score", assignment, score, reason, who, question=question)
            if score is None and (before := self._before("overrides", "score", assignment, student, question=question)):
                self.override(assignment, student, question, before[0], reason=before[1], who=who)

    def void(self, assignment: str, check: str, void: bool, *, reason: str, who: str) -> None:
        """Have a check count as passed for everybody, or as it was judged again."""
        with self._transaction():
            self._db.execute(
                "INSERT INTO voids (assignment, check_id, void, reason, who, made_at) VALUES (?, ?, ?, ?, ?, ?)",
                (assignment, check, void, reason, who, now()),
            )

    def decided(self, assignment: str) -> dict[str, Decided]:
        """List what holds today, by student."""
        extensions = {
            student: Extension(until=_moment(until), reason=reason, who=who, made_at=made_at)
            for student, until, reason, who, made_at in self._newest("extensions", "", "until", assignment)
            if until is not None
        }
        overrides: dict[str, list[Override]] = defaultdict(list)
        for student, question, score, reason, who, made_at in self._newest(
            "overrides", ", question", "question, score", assignment
        ):
            if score is not None:
                overrides[student].append(
                    Override(question=question, score=score, reason=reason, who=who, made_at=made_at)
                )
        return {
            student: Decided(extension=extensions.get(student), overrides=tuple(overrides.get(student, ())))
            for student in sorted({*extensions, *overrides})
        }

    def voids(self, assignment: str) -> tuple[Void, ...]:
        """List the checks that do not count today."""
        rows = self._db.execute(
            "SELECT check_id, void, reason, who, made_at FROM voids WHERE assignment = ? AND id IN "
            "(SELECT max(id) FROM voids GROUP BY assignment, check_id) ORDER BY check_id",
            (assignment,),
        )
        return tuple(
            Void(check=check, reason=reason, who=who, made_at=made_at)
            for check, void, reason, who, made_at in rows
            if void
        )

    def events(self, assignment: str, student: str) -> list[tuple[str, str]]:
        """List all that happened to a student in an assignment: when, and a line for each; of partners, their files."""
        rows = self._db.execute(_EVENTS, {"assignment": assignment, "student": student})
        return [(at, what if whose in (student, None) else f"{whose}: {what}") for at, whose, what in rows]

    def _newest(self, table: str, also: str, columns: str, assignment: str) -> sqlite3.Cursor:
        """Find the newest row of each student, and of what else tells rows apart."""
        newest = f"SELECT max(id) FROM {table} GROUP BY assignment, student{also}"  # noqa: S608 - our own names
        chosen = f"SELECT name, {columns}, reason, who, made_at FROM {table} AS one"  # noqa: S608 - our own names
        return self._db.execute(
            f"{chosen} JOIN students ON students.id = one.student WHERE assignment = ? AND one.id IN ({newest}) "
            "ORDER BY one.id",
            (assignment,),
        )

    def _add_about(
        self, student: str, table: str, column: str, assignment: str, value: object, reason: str, who: str, **also: str
    ) -> None:
        """Add a decision about a student, who is known from now on."""
        self._db.execute("INSERT OR IGNORE INTO students (name) VALUES (?)", (student,))
        row = {"assignment": assignment, column: value, "reason": reason, "who": who, "made_at": now(), **also}
        self._db.execute(
            f"INSERT INTO {table} (student, {', '.join(row)}) "  # noqa: S608 - our own names
            f"SELECT id, {', '.join('?' * len(row))} FROM students WHERE name = ?",
            (*row.values(), student),
        )

    def _before(self, table: str, column: str, assignment: str, student: str, **also: str) -> tuple[Any, str] | None:
        """Find what held before the decision that was just taken back, and its reason.

        Each row without a value took back the last one, and a row that says the same again only restored it.
        """
        where = "".join(f" AND {name} = ?" for name in also)
        rows = self._db.execute(
            f"SELECT {column}, reason FROM {table} JOIN students ON students.id = student "  # noqa: S608 - our own names
            f"WHERE assignment = ? AND name = ?{where} ORDER BY {table}.id",
            (assignment, student, *also.values()),
        )
        held: list[tuple[Any, str]] = []
        for value, reason in rows:
            if value is None:
                del held[-1:]
            elif not held or held[-1][0] != value:
                held.append((value, reason))
        return held[-1] if held else None


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
