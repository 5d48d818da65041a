"""The gradebook as SQL: its tables, its views, and the triggers that protect the history.

The comments inside the statements stay in the file, so `.schema` in sqlite3 shows them. docs/gradebook.md explains the
tables to a person. Rows with bytes in them are ordinary rowid tables: SQLite spills a row of a WITHOUT ROWID table onto
a page of its own from a quarter of a page on, which made writing one submission take half as long again.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from redink.grader.store.shorthand import short

SCHEMA = 4
APPLICATION_ID = 0x52646E6B  # "Rdnk", in bytes 68 to 71 of the file

# What schema 3 added: what was collected, and what people decided. Nothing of it is ever changed, only added to.
_SINCE_3 = (
    """CREATE TABLE identities (  -- what platforms call a student
    student INTEGER NOT NULL REFERENCES students,
    platform TEXT NOT NULL,                -- canvas, moodle, email, github …
    value TEXT NOT NULL,
    PRIMARY KEY (student, platform)
) WITHOUT ROWID""",
    """CREATE TABLE members (  -- further students who handed in together with the first
    submission INTEGER NOT NULL REFERENCES submissions,
    student INTEGER NOT NULL REFERENCES students,
    PRIMARY KEY (submission, student)
) WITHOUT ROWID""",
    """CREATE TABLE files (  -- what was collected, as it was handed in
    submission INTEGER PRIMARY KEY REFERENCES submissions,
    content BLOB NOT NULL                  -- zlib
)""",
    """CREATE TABLE times (  -- when an attempt was handed in, as told later than it was collected; the newest row holds
    id INTEGER PRIMARY KEY,
    submission INTEGER NOT NULL REFERENCES submissions,
    handed_in TEXT,                        -- UTC
    late INTEGER,                          -- what the platform says: 1, 0 or nothing
    source TEXT NOT NULL,
    told_at TEXT NOT NULL
)""",
    """CREATE TABLE overrides (  -- scores set by a person; the newest row of a student and question holds
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    student INTEGER NOT NULL REFERENCES students,
    question TEXT NOT NULL DEFAULT '',     -- '': the whole assignment
    score REAL,                            -- NULL: taken back
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    made_at TEXT NOT NULL
)""",
    """CREATE TABLE extensions (  -- more time; the newest row of a student and assignment holds
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    student INTEGER NOT NULL REFERENCES students,
    until TEXT,                            -- UTC; NULL: taken back
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    made_at TEXT NOT NULL
)""",
    """CREATE TABLE voids (  -- checks that do not count; the newest row of a check holds
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    check_id TEXT NOT NULL,
    void INTEGER NOT NULL,                 -- 1: everybody has its points; 0: taken back
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    made_at TEXT NOT NULL
)""",
    "CREATE INDEX members_of_a_student ON members (student)",
    "CREATE INDEX times_of_a_submission ON times (submission)",
)

# What schema 4 added: what repeats is written once.
_SINCE_4 = (
    """CREATE TABLE dictionaries (  -- what answer keys lead to expect; what was stored is written as what differs from it
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,           -- of the content
    content BLOB NOT NULL                  -- zlib
)""",
    """CREATE TABLE checks (  -- the names of what was observed
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
)""",
    """CREATE TABLE observed (  -- what one check saw, all its trials together; the view `observations` names them
    run INTEGER NOT NULL REFERENCES runs,
    check_number INTEGER NOT NULL REFERENCES checks,
    key BLOB NOT NULL,
    digest BLOB,                           -- NULL: that of the dictionary
    dictionary INTEGER REFERENCES dictionaries,
    content BLOB,                          -- zlib; NULL: what the dictionary says
    PRIMARY KEY (run, check_number)
)""",
    """CREATE TABLE judgements (  -- a cache: losing it loses time, no grade
    key BLOB PRIMARY KEY,
    record BLOB NOT NULL                   -- zlib
)""",
    """CREATE VIEW observations AS  -- what each check saw, by name
SELECT run, checks.name AS check_id, lower(hex(key)) AS key,
    lower(hex(coalesce(observed.digest, dictionaries.digest))) AS digest, coalesce(length(observed.content), 0) AS size
FROM observed JOIN checks ON checks.id = check_number LEFT JOIN dictionaries ON dictionaries.id = dictionary""",
)

_TABLES = (
    """CREATE TABLE meta (
    name TEXT PRIMARY KEY,  -- 'secret': the fingerprint of the course secret
    value TEXT NOT NULL
)""",
    """CREATE TABLE students (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,             -- the id in the roster; without one, of the folder or file
    full_name TEXT NOT NULL DEFAULT '',
    email TEXT NOT NULL DEFAULT ''
)""",
    """CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    student INTEGER NOT NULL REFERENCES students,
    attempt INTEGER NOT NULL,              -- 1, 2, …: other bytes than the attempt before
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,                  -- of the file; empty if it could not be read
    source TEXT NOT NULL DEFAULT 'path',   -- where it came from
    handed_in TEXT,                        -- when, if the source says so
    collected_at TEXT NOT NULL,
    flags TEXT NOT NULL DEFAULT '',        -- what a person should look at, a line each
    problem TEXT,                          -- why it cannot be graded, if that was known when it was collected
    UNIQUE (assignment, student, attempt)
)""",
    """CREATE TABLE runs (  -- one execution in the box
    id INTEGER PRIMARY KEY,
    submission INTEGER NOT NULL REFERENCES submissions,
    made_at TEXT NOT NULL,
    stamp TEXT NOT NULL,                   -- what it was made under: our own code, data, limits
    sources BLOB NOT NULL,                 -- the cells that were handed in; zlib, with the dictionary
    cells BLOB NOT NULL,                   -- how each cell ended; zlib
    walls TEXT NOT NULL,                   -- comma-separated
    missing TEXT NOT NULL,                 -- comma-separated
    cpu_seconds REAL NOT NULL,
    wall_seconds REAL NOT NULL,
    old_key TEXT,                          -- the key of this run in schema 1
    dictionary INTEGER REFERENCES dictionaries
)""",
    """CREATE TABLE results (  -- append-only
    id INTEGER PRIMARY KEY,
    submission INTEGER NOT NULL REFERENCES submissions,
    graded_at TEXT NOT NULL,
    answer_key TEXT NOT NULL,
    graded_under TEXT NOT NULL,            -- the key of everything that the result depends on
    state TEXT NOT NULL,                   -- graded or ungradable
    reason TEXT,                           -- why it is ungradable
    score REAL NOT NULL,
    max_score REAL NOT NULL,
    cpu_seconds REAL NOT NULL,
    wall_seconds REAL NOT NULL,
    record BLOB NOT NULL,                  -- the whole result; zlib, with the dictionary
    dictionary INTEGER REFERENCES dictionaries
)""",
    """CREATE TABLE question_scores (
    result INTEGER NOT NULL REFERENCES results,
    question TEXT NOT NULL,
    tier TEXT NOT NULL,
    score REAL NOT NULL,
    max_score REAL NOT NULL,
    hint TEXT,                             -- the name of the misconception that was found
    mistake TEXT,                          -- what unexplained wrong answers have in common
    basis TEXT NOT NULL,                   -- the key of everything that this score depends on
    PRIMARY KEY (result, question)
) WITHOUT ROWID""",
    *_SINCE_3,
    *_SINCE_4,
    "CREATE INDEX runs_of_a_submission ON runs (submission)",
    "CREATE INDEX results_of_a_submission ON results (submission)",
)

# The newest result of the highest attempt that has one: `Gradebook.graded` and the view `grades` must mean the same.
COUNTING_RESULT = """results.id = (
    SELECT newest.id FROM submissions AS other JOIN results AS newest ON newest.submission = other.id
    WHERE other.assignment = submissions.assignment AND other.student = submissions.student
    ORDER BY other.attempt DESC, newest.id DESC LIMIT 1
)"""

_VIEWS = (
    f"""CREATE VIEW grades AS  -- what counts today: the newest result of each student's highest graded attempt
SELECT submissions.assignment, students.name AS student, submissions.attempt, results.state, results.score,
    results.max_score, results.graded_at, submissions.file
FROM submissions JOIN students ON students.id = submissions.student JOIN results ON results.submission = submissions.id
WHERE {COUNTING_RESULT}
ORDER BY submissions.assignment, students.name""",  # noqa: S608 - our own text
    """CREATE VIEW history AS  -- every result ever, oldest first
SELECT results.id AS result, results.graded_at, submissions.assignment, students.name AS student, submissions.attempt,
    results.state, results.reason, results.score, results.max_score, results.answer_key, submissions.file
FROM results JOIN submissions ON submissions.id = results.submission JOIN students ON students.id = submissions.student
ORDER BY results.id""",
)

_EVENTS = """CREATE VIEW events AS  -- all that happened to a student in an assignment, in words; without a student: to all
SELECT collected_at AS at, assignment, students.name AS student,
    'attempt ' || attempt || ' collected from ' || source || ': ' || file
        || iif(handed_in IS NULL, '', ', handed in ' || handed_in) AS what
FROM submissions JOIN students ON students.id = student
UNION ALL SELECT told_at, assignment, students.name,
    'attempt ' || attempt || CASE WHEN times.handed_in IS NOT NULL THEN ' was handed in ' || times.handed_in
            WHEN times.late THEN ' marked late' ELSE ' not marked late' END
        || ', as told by ' || times.source
FROM times JOIN submissions ON submissions.id = times.submission JOIN students ON students.id = student
UNION ALL SELECT graded_at, assignment, student,
    'attempt ' || attempt || ' ' || state
        || iif(state = 'graded', printf(': %g points by the checks', score), ': ' || coalesce(reason, ''))
FROM history
UNION ALL SELECT made_at, assignment, students.name,
    iif(until IS NULL, 'extension taken back', 'extended until ' || until) || ' by ' || who || ': ' || reason
FROM extensions JOIN students ON students.id = student
UNION ALL SELECT made_at, assignment, students.name,
    iif(question = '', 'the whole', question)
        || iif(score IS NULL, ': override taken back', printf(' set to %g', score)) || ' by ' || who || ': ' || reason
FROM overrides JOIN students ON students.id = student
UNION ALL SELECT made_at, assignment, NULL,
    check_id || iif(void, ' does not count any more', ' counts again') || ', decided by ' || who || ': ' || reason
FROM voids"""

_KEPT = ("submissions", "runs", "results", "question_scores")
_KEPT_SINCE_3 = ("members", "files", "times", "overrides", "extensions", "voids")
_KEPT_SINCE_4 = ("observed",)
_NEVER_REMOVED = ("dictionaries", "checks")  # without them, observations could not be read


def _triggers(tables: Iterable[str]) -> Iterator[str]:
    for table in tables:
        yield (
            f"CREATE TRIGGER {table}_stay_as_they_are BEFORE UPDATE ON {table}\n"
            f"BEGIN SELECT RAISE(ABORT, '{table} are never changed: what is new is a new row'); END"
        )


def _locks(tables: Iterable[str]) -> Iterator[str]:
    for table in tables:
        yield (
            f"CREATE TRIGGER {table}_are_never_removed BEFORE DELETE ON {table}\n"
            f"BEGIN SELECT RAISE(ABORT, '{table} are never removed: what was stored is read with them'); END"
        )


@contextlib.contextmanager
def changeable(db: sqlite3.Connection) -> Iterator[None]:
    """Let rows be changed, inside a transaction that is open already: for a purge alone."""
    tables = (*_KEPT, *_KEPT_SINCE_3, *_KEPT_SINCE_4)
    for table in tables:
        db.execute(f"DROP TRIGGER {table}_stay_as_they_are")
    yield
    for statement in _triggers(tables):
        db.execute(statement)


def create(db: sqlite3.Connection, secret: str) -> None:
    """Make a gradebook in a transaction that is open already; the last thing written is that it is one."""
    for statement in (*_TABLES, *_VIEWS, _EVENTS, *_triggers((*_KEPT, *_KEPT_SINCE_3)), *_guards_since_4()):
        db.execute(statement)
    db.execute("INSERT INTO meta VALUES ('secret', ?)", (secret,))
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {SCHEMA}")


def upgrade_from_2(db: sqlite3.Connection) -> None:
    """Bring a gradebook of schema 2 up to date, in a transaction that is open already."""
    db.execute("ALTER TABLE students ADD COLUMN full_name TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE students ADD COLUMN email TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE submissions ADD COLUMN flags TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE submissions ADD COLUMN problem TEXT")
    for table in ("overrides", "extensions"):  # no command wrote them, but a person may have
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    for statement in (*_SINCE_3, _EVENTS, *_triggers(_KEPT_SINCE_3)):
        db.execute(statement)
    for table, value in (("overrides", "score"), ("extensions", "until")):
        columns = f"id, assignment, student, {value}, reason, who, made_at"
        db.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM old_{table}")  # noqa: S608 - our own names
        db.execute(f"DROP TABLE old_{table}")
    db.execute(f"PRAGMA user_version = {SCHEMA}")


def upgrade_from_3(db: sqlite3.Connection) -> None:
    """Bring a gradebook of schema 3 up to date, in a transaction that is open already.

    Whose answers these are, no answer key is at hand to tell: they are packed without a dictionary.
    """
    db.create_function("packed", 1, zlib.compress, deterministic=True)
    db.create_function("in_short", 1, short, deterministic=True)
    for table in ("observations", "judgements"):
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}_of_3")
    for statement in _SINCE_4:
        db.execute(statement)
    db.execute("INSERT INTO checks (name) SELECT DISTINCT check_id FROM old_observations_of_3 ORDER BY 1")
    db.execute(
        "INSERT INTO observed SELECT run, checks.id, in_short(key), in_short(digest), NULL, packed(content) "
        "FROM old_observations_of_3 JOIN checks ON checks.name = check_id ORDER BY old_observations_of_3.rowid"
    )
    db.execute("INSERT INTO judgements SELECT in_short(key), packed(record) FROM old_judgements_of_3")
    for table in ("observations", "judgements"):
        db.execute(f"DROP TABLE old_{table}_of_3")
    for table, column in (("runs", "cells"), ("results", "record")):
        db.execute(f"ALTER TABLE {table} ADD COLUMN dictionary INTEGER REFERENCES dictionaries")
        db.execute(f"DROP TRIGGER {table}_stay_as_they_are")
        db.execute(f"UPDATE {table} SET {column} = packed({column})")  # noqa: S608 - our own names
    db.execute("DROP VIEW events")
    for statement in (_EVENTS, *_triggers(("runs", "results")), *_guards_since_4()):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {SCHEMA}")


def _guards_since_4() -> Iterator[str]:
    return itertools.chain(_triggers((*_KEPT_SINCE_4, *_NEVER_REMOVED)), _locks(_NEVER_REMOVED))


def as_written(moment: datetime) -> str:
    """Return a time as the gradebook writes it: UTC, ISO 8601, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def now() -> str:
    """Return the time as the gradebook writes it."""
    return as_written(datetime.now(UTC))
