"""What was collected: who handed in what and when, as tables of the gradebook."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from redink.grader.rules.groups import in_order
from redink.grader.rules.standing import Attempt
from redink.grader.store.purging import purged_names
from redink.grader.store.schema import as_written, now
from redink.grader.store.shorthand import Shorthand
from redink.records import Record, Result

# The newest result of every attempt, and the time of its handing in that holds.
_ATTEMPTS = """
SELECT submissions.id, students.name, attempt, file, sha256, submissions.source, collected_at, flags,
    coalesce(times.handed_in, submissions.handed_in), times.late, results.record, results.dictionary
FROM submissions JOIN students ON students.id = submissions.student
LEFT JOIN times ON times.id = (SELECT max(id) FROM times AS one WHERE one.submission = submissions.id)
LEFT JOIN results ON results.id = (SELECT max(id) FROM results AS one WHERE one.submission = submissions.id)
WHERE submissions.assignment = ?
ORDER BY submissions.id
"""
_OUT = "taken out of the group of submission "


class HandIn(Record, frozen=True):
    """What is told of one file when it is collected."""

    student: str
    file: str
    sha256: str
    source: str
    handed_in: datetime | None = None
    late: bool | None = None
    insist: bool = False  # the time is the instructor's own, and replaces what was known
    name: str = ""
    email: str = ""
    ids: dict[str, str] = msgspec.field(default_factory=dict)
    members: tuple[str, ...] = ()
    settled: bool = False  # these are all of its group: whoever was noted before and is not among them is taken out
    flags: tuple[str, ...] = ()
    problem: str | None = None


class WaitingFile(Record, frozen=True):
    """An attempt that was collected, to be graded."""

    submission: int
    student: str
    file: str
    problem: str | None


class Kept(Record, frozen=True):
    """Where something was kept: its id, which attempt it is, and whether it is new."""

    submission: int
    attempt: int
    new: bool
    taken_out: tuple[str, ...] = ()  # of its group
    handed_in: datetime | None = None  # as far as is known now


class _KnownAttempt(NamedTuple):
    """An attempt that is in the gradebook, and when it was handed in, if that is known."""

    id: int
    attempt: int
    sha256: str
    handed_in: str | None


class CollectedFiles:
    """The part of a gradebook that holds what was handed in."""

    def __init__(
        self,
        db: sqlite3.Connection,
        transaction: Callable[[], contextlib.AbstractContextManager[None]],
        shorthand: Shorthand,
    ) -> None:
        self._db = db
        self._transaction = transaction
        self._shorthand = shorthand

    def keep(
        self, assignment: str, handed: HandIn, content: bytes | None = None, *, taken: Sequence[int] | None = None
    ) -> Kept:
        """Keep a file; the same bytes as the student's latest attempt are that attempt, and nothing else is new of it.

        Of a source that is collected, `taken` are the attempts that earlier files of the student in it are: then the same
        bytes as any other attempt are that one, in whatever order they come.
        """
        with self._transaction():
            person = self._person(handed)
            known = self._known(assignment, person)
            latest = known[-1] if known else None
            same = latest if latest and latest.sha256 == handed.sha256 else None
            if taken is not None:
                same = _same_attempt(known, handed, taken)
            if same:
                kept = Kept(submission=same.id, attempt=same.attempt, new=False)
            else:
                kept = self._insert(assignment, person, latest.attempt + 1 if latest else 1, handed)
            kept = msgspec.structs.replace(kept, handed_in=self._keep_time(kept.submission, handed))
            out = self._take_out(kept.submission, handed) if handed.settled else ()
            for member in handed.members:
                self._db.execute("INSERT OR IGNORE INTO members VALUES (?, ?)", (kept.submission, self.student(member)))
            if content is not None:
                self._db.execute(
                    "INSERT OR IGNORE INTO files VALUES (?, ?)", (kept.submission, zlib.compress(content, 1))
                )
            return msgspec.structs.replace(kept, taken_out=out)

    def latest(self, assignment: str, student: str) -> int:
        """Return the id of a student's latest attempt; 0 if there is none."""
        row = self._db.execute(
            "SELECT submissions.id FROM submissions JOIN students ON students.id = student "
            "WHERE assignment = ? AND name = ? ORDER BY attempt DESC LIMIT 1",
            (assignment, student),
        ).fetchone()
        return row[0] if row else 0

    def student(self, name: str) -> int:
        """Return the number of a student, who may be new."""
        self._db.execute("INSERT OR IGNORE INTO students (name) VALUES (?)", (name,))
        (id,) = self._db.execute("SELECT id FROM students WHERE name = ?", (name,)).fetchone()
        return int(id)

    def waiting(self, assignment: str, *, every: bool) -> list[WaitingFile]:
        """List what was collected and can be graded: every attempt, or each student's last one."""
        rows = self._db.execute(
            "SELECT submissions.id, name, file, problem FROM submissions JOIN students ON students.id = student "
            "LEFT JOIN files ON files.submission = submissions.id "
            "WHERE assignment = ? AND (files.submission IS NOT NULL OR problem IS NOT NULL) ORDER BY name, attempt",
            (assignment,),
        )
        found = [
            WaitingFile(submission=id, student=name, file=file, problem=problem) for id, name, file, problem in rows
        ]
        return found if every else list({one.student: one for one in found}.values())

    def content(self, submission: int) -> bytes | None:
        """Read what was collected."""
        row = self._db.execute("SELECT content FROM files WHERE submission = ?", (submission,)).fetchone()
        return None if row is None else zlib.decompress(row[0])

    def attempts(self, assignment: str) -> dict[str, list[Attempt]]:
        """List all attempts by student, oldest first; one that several handed in is everybody's."""
        groups, once, purged = self._groups(assignment), self._once_in_groups(), purged_names(self._db)
        found: dict[str, list[Attempt]] = defaultdict(list)
        for row in self._db.execute(_ATTEMPTS, (assignment,)):
            id, student, number, file, sha256, source, collected_at, flags, handed_in, late, record, dictionary = row
            together = tuple(one for one in (student, *groups.get(id, ())) if one not in purged)
            attempt = Attempt(
                number=number,
                file=file,
                sha256=sha256,
                source=source,
                handed_in=_moment(handed_in),
                marked_late=None if late is None else bool(late),
                collected_at=collected_at,
                flags=(*flags.splitlines(), *once.get(id, ())),
                result=None if record is None else self._result(dictionary, record),
                submission=id,
                by=student,
                group=together if len(together) > 1 else (),
            )
            for one in together:
                found[one].append(attempt)
        return {student: in_order(own) for student, own in found.items()}

    def _result(self, dictionary: int | None, record: bytes) -> Result:
        return msgspec.msgpack.decode(self._shorthand.unpack(dictionary, record), type=Result)

    def together(self, assignment: str) -> dict[str, tuple[str, ...]]:
        """List who else has what a student handed in, for those who handed in for several."""
        found: dict[str, tuple[str, ...]] = {}
        for student, name in self._db.execute(
            "SELECT DISTINCT uploader.name, member.name FROM members JOIN submissions ON submissions.id = submission "
            "JOIN students AS uploader ON uploader.id = submissions.student "
            "JOIN students AS member ON member.id = members.student WHERE assignment = ? ORDER BY 1, 2",
            (assignment,),
        ):
            found[student] = (*found.get(student, ()), name)
        return found

    def identities(self) -> dict[str, dict[str, str]]:
        """List what platforms call the students, by student; names and addresses are among it."""
        found: dict[str, dict[str, str]] = {}
        for name, full_name, email in self._db.execute("SELECT name, full_name, email FROM students"):
            told = {"name": full_name, "email": email}
            found[name] = {kind: value for kind, value in told.items() if value}
        rows = self._db.execute(
            "SELECT name, platform, value FROM identities JOIN students ON students.id = identities.student"
        )
        for name, platform, value in rows:
            found[name][platform] = value
        return found

    def assignments(self) -> list[str]:
        """List the assignments to which something was handed in."""
        return [slug for (slug,) in self._db.execute("SELECT DISTINCT assignment FROM submissions ORDER BY 1")]

    def _person(self, handed: HandIn) -> int:
        person = self.student(handed.student)
        for column, value in (("full_name", handed.name), ("email", handed.email)):
            if value:
                self._db.execute(f"UPDATE students SET {column} = ? WHERE id = ?", (value, person))  # noqa: S608 - our own names
        self._db.executemany(
            "INSERT OR REPLACE INTO identities VALUES (?, ?, ?)",
            [(person, platform, value) for platform, value in handed.ids.items()],
        )
        return person

    def _known(self, assignment: str, person: int) -> list[_KnownAttempt]:
        rows = self._db.execute(
            "SELECT submissions.id, attempt, sha256, coalesce(times.handed_in, submissions.handed_in) FROM submissions "
            "LEFT JOIN times ON times.id = (SELECT max(id) FROM times AS one WHERE one.submission = submissions.id) "
            "WHERE assignment = ? AND student = ? ORDER BY attempt",
            (assignment, person),
        )
        return [_KnownAttempt(*row) for row in rows]

    def _insert(self, assignment: str, person: int, attempt: int, handed: HandIn) -> Kept:
        id = self._db.execute(
            "INSERT INTO submissions "
            "(assignment, student, attempt, file, sha256, source, handed_in, collected_at, flags, problem) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (assignment, person, attempt, handed.file, handed.sha256, handed.source, _written(handed.handed_in), now(),
             "\n".join(handed.flags), handed.problem),
        ).lastrowid  # fmt: skip
        assert id is not None
        return Kept(submission=id, attempt=attempt, new=True)

    def _keep_time(self, submission: int, handed: HandIn) -> datetime | None:
        """Note an earlier time than is known, or what the instructor insists on; return when it was handed in."""
        known, late = self._db.execute(
            "SELECT coalesce(times.handed_in, submissions.handed_in), times.late FROM submissions "
            "LEFT JOIN times ON times.submission = submissions.id WHERE submissions.id = ? ORDER BY times.id DESC",
            (submission,),
        ).fetchone()
        told = _written(handed.handed_in)
        better = told is not None and (known is None or told < known or (handed.insist and told != known))
        if better or (known is None and handed.late is not None and late is None):
            self._db.execute(
                "INSERT INTO times (submission, handed_in, late, source, told_at) VALUES (?, ?, ?, ?, ?)",
                (submission, told or known, handed.late, "the instructor" if handed.insist else handed.source, now()),
            )
        return _moment(told if better else known)

    def _take_out(self, submission: int, handed: HandIn) -> tuple[str, ...]:
        """Take those out of a group who are no longer named in it, and note that."""
        noted = self._db.execute(
            "SELECT student, name FROM members JOIN students ON students.id = student WHERE submission = ? ORDER BY name",
            (submission,),
        )
        out = [(id, name) for id, name in noted if name not in handed.members]
        for id, name in out:
            self._db.execute("DELETE FROM members WHERE submission = ? AND student = ?", (submission, id))
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"{_OUT}{submission} {name}", now()))
        return tuple(name for _, name in out)

    def _once_in_groups(self) -> Mapping[int, Sequence[str]]:
        """Say of each submission, a line each, who was taken out of its group and when."""
        found: dict[int, list[str]] = defaultdict(list)
        for key, when in self._db.execute(
            "SELECT name, value FROM meta WHERE name GLOB ? ORDER BY name", (f"{_OUT}*",)
        ):
            id, _, name = key.removeprefix(_OUT).partition(" ")
            found[int(id)].append(f"{name} was taken out of its group when it was collected again ({when})")
        return found

    def _groups(self, assignment: str) -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = defaultdict(list)
        for id, name in self._db.execute(
            "SELECT submission, name FROM members JOIN students ON students.id = members.student "
            "JOIN submissions ON submissions.id = members.submission WHERE assignment = ? ORDER BY name",
            (assignment,),
        ):
            found[id].append(name)
        return found


def _same_attempt(known: Sequence[_KnownAttempt], handed: HandIn, taken: Sequence[int]) -> _KnownAttempt | None:
    """Find the attempt that a file of a source is; the same bytes may have been handed in, changed, and handed in again."""
    told = None if handed.insist else _written(handed.handed_in)
    same = [one for one in known if one.sha256 == handed.sha256]
    again = [one for one in same if taken and one.id == taken[-1]]
    others = sorted((one for one in same if one.id not in taken), key=lambda one: one.handed_in != told)
    newer = others and told and others[0].handed_in != told and known[-1] not in same and _is_after(told, known[-1])
    return None if newer else next(iter([*others, *again]), None)


def _is_after(told: str, one: _KnownAttempt) -> bool:
    return one.handed_in is not None and told > one.handed_in


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else as_written(moment)


def _moment(text: str | None) -> datetime | None:
    return None if not text else datetime.fromisoformat(text).astimezone(UTC)
