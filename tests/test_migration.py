"""A gradebook of schema 1 is brought up to date whole or not at all, after a copy of it was made."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from redink.errors import CourseError
from redink.grader.digests import digest
from redink.grader.store.collected import HandIn
from redink.grader.store.gradebook import Gradebook
from redink.records import CellRun, Result

STUDENTS = 40
MADE = 1_600_000_000  # 2020-09-13T12:26:40Z
SCHEMA_1 = """
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
TABLES_OF_SCHEMA_1 = {"meta", "runs", "observations", "judgements", "sources", "results"}
TABLES_OF_TODAY = {
    "meta", "students", "submissions", "runs", "observed", "checks", "dictionaries", "old_observations", "judgements",
    "results", "question_scores", "identities", "members", "files", "times", "overrides", "extensions", "voids",
}  # fmt: skip


def collect_again(book: Gradebook, sha256: str) -> int:
    handed = HandIn(student="student_003", file="elsewhere.ipynb", sha256=sha256, source="path")
    return book.collected.keep("little", handed).submission


def connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    return db


def write_schema_1(db: sqlite3.Connection, students: int = STUDENTS) -> None:
    """Fill a gradebook as Redink did then: in each assignment the last student's notebook could not be read."""
    db.executescript(SCHEMA_1)
    db.execute("BEGIN")
    db.execute("INSERT INTO meta VALUES ('schema', '1'), ('secret', 'fingerprint')")
    for assignment in ("little", "other"):
        for number in range(students):
            put_result(db, assignment, number, graded=number < students - 1)
    put(db, "judgements", "judged", {"told": "passed"})
    db.execute("COMMIT")


def put(db: sqlite3.Connection, table: str, key: str, record: Any) -> None:
    db.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", (key, msgspec.msgpack.encode(record)))


def cells_of(number: int) -> list[dict[str, Any]]:
    shared = {"error": "", "output": "", "cpu_seconds": number / 1000}
    return [{"index": 2, "status": "ok", **shared}, {"index": 4, "status": "error", **shared}]


def sources_of(number: int) -> list[dict[str, Any]]:
    return [{"index": 2, "source": f"me = {number}"}, {"index": 4, "source": "1 / 0"}]


def put_result(db: sqlite3.Connection, assignment: str, number: int, *, graded: bool) -> None:
    id = f"student_{number:03}"
    name = {"id": id, "file": f"{id}/{assignment}.ipynb", "sha256": f"{number:064}"}
    seconds = {"cpu_seconds": number + 0.25, "wall_seconds": number + 0.5}
    ran = {"cells": cells_of(number), "box": {"walls": ["pid_ns", "seccomp"], "missing": ["landlock"]}, **seconds}
    empty = {"cells": [], "box": {"walls": [], "missing": []}, "cpu_seconds": 0.0, "wall_seconds": 0.0}
    hint = {"misconception": "adds_one", "text": "Not one."} if number % 2 else None
    question = {
        "id": "train", "title": "Train", "tier": "core", "score": number / 2, "max_score": 100.0, "hint": hint,
        "checks": [],
    }  # fmt: skip
    result = {
        "assignment": assignment, "version": "v", "secret": "fingerprint", "submission": name,
        "state": "graded" if graded else "ungradable", "reason": None if graded else "it is not a notebook",
        "score": number / 2 if graded else 0.0, "max_score": 100.0, "questions": [question] if graded else [],
        **(ran if graded else empty),
    }  # fmt: skip
    put(db, "sources", f"{assignment}/{id}", {"name": name, "cells": sources_of(number), "reason": result["reason"]})
    db.execute(
        "INSERT INTO results VALUES (?, ?, ?, ?)", (assignment, id, f"under {id}", msgspec.msgpack.encode(result))
    )
    if graded:
        put(db, "runs", f"run of {id}", ran)
        for trial in range(4):
            seen = {"status": "returned", "value": bytes(300), "error": "", "where": "", "modified": []}
            put(db, "observations", f"{trial} of {id}", seen)


def dump(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


def tables(path: Path) -> set[str]:
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def names(path: Path) -> set[str]:
    return {one.name for one in path.parent.iterdir()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    book = tmp_path / "book"
    with contextlib.closing(connect(book)) as db:
        write_schema_1(db)
    book.chmod(0o600)
    os.utime(book, (MADE, MADE))
    return book


def test_every_result_run_and_observation_is_found_again(path):
    with contextlib.closing(sqlite3.connect(path)) as db:
        old = dict(db.execute("SELECT assignment || '/' || submission, record FROM results"))
        seen = dict(db.execute("SELECT key, record FROM observations"))
    os.utime(path, (MADE, MADE))
    with Gradebook(path, "fingerprint") as book:
        for assignment in ("little", "other"):
            found = book.all_graded(assignment)
            assert len(found) == STUDENTS
            for number, one in enumerate(found):
                name = one.result.submission.id
                assert one.result == msgspec.msgpack.decode(old[f"{assignment}/{name}"], type=Result)
                assert (one.attempt, one.graded_under, one.answer_key) == (1, f"under {name}", "")
                assert (one.bases, one.mistakes) == ({"train": ""} if number < STUDENTS - 1 else {}, {})
        assert book.old_observations([*seen, "unseen"]) == seen
        assert book.judgements(["judged"]) == {}


def test_a_run_is_known_by_its_old_key_and_has_the_sources_that_were_handed_in(path):
    with Gradebook(path, "fingerprint") as book:
        graded = book.all_graded("little")
        for number, one in enumerate(graded[:-1]):
            run = book.last_run(one.submission)
            assert run is not None
            assert book.old_run_key(one.submission) == f"run of student_{number:03}"
            assert run.cells == msgspec.convert(cells_of(number), tuple[CellRun, ...]) == one.result.cells
            assert (run.box, run.stamp) == (one.result.box, "before stamps were kept")
            assert (run.cpu_seconds, run.wall_seconds) == (number + 0.25, number + 0.5)
            assert msgspec.msgpack.decode(run.sources) == sources_of(number)
        assert book.last_run(graded[-1].submission) is None
        assert book.old_run_key(graded[-1].submission) is None


def test_a_result_whose_run_is_gone_has_a_run_without_a_key(path):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM runs WHERE key = 'run of student_003'")
        db.execute("DELETE FROM sources WHERE key = 'little/student_003'")
    with Gradebook(path, "fingerprint") as book:
        one = book.graded("little", "student_003")
        assert one is not None
        run = book.last_run(one.submission)
        assert run is not None
        assert msgspec.msgpack.decode(run.sources) == []
        assert book.old_run_key(one.submission) is None


def test_a_person_finds_students_scores_and_hints_in_the_tables_and_nothing_of_the_old_ones(path):
    with Gradebook(path, "fingerprint"):
        pass
    assert tables(path) == TABLES_OF_TODAY
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT * FROM meta").fetchall() == [("secret", "fingerprint")]
        assert db.execute("SELECT count(*) FROM students").fetchone() == (STUDENTS,)
        assert db.execute("SELECT DISTINCT source, handed_in, collected_at FROM submissions").fetchall() == [
            ("path", None, "2020-09-13T12:26:40Z")
        ]
        assert db.execute("SELECT score, file, graded_at FROM grades WHERE student = 'student_003'").fetchall() == [
            (1.5, "student_003/little.ipynb", "2020-09-13T12:26:40Z"),
            (1.5, "student_003/other.ipynb", "2020-09-13T12:26:40Z"),
        ]
        assert db.execute("SELECT DISTINCT hint FROM question_scores ORDER BY hint").fetchall() == [
            (None,),
            ("adds_one",),
        ]
        assert db.execute("SELECT DISTINCT reason FROM results WHERE state = 'ungradable'").fetchall() == [
            ("it is not a notebook",)
        ]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_copy_of_it_as_it_was_is_kept_for_its_owner_alone_and_the_caller_is_told(path):
    before = dump(path)
    with Gradebook(path, "fingerprint") as book:
        copy = path.with_name("book.schema1")
        assert book.told == (
            f"{path} was written by an older Redink and has been brought up to date; a copy of it as it was is {copy}",
        )
    assert names(path) == {"book", "book.schema1"}
    assert dump(copy) == before
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with Gradebook(path, "fingerprint") as book:
        assert book.told == ()
    assert names(path) == {"book", "book.schema1"}


def test_an_older_copy_is_never_overwritten(path):
    path.with_name("book.schema1").write_text("mine")
    path.with_name("book.schema1-2").write_text("mine too")
    with Gradebook(path, "fingerprint") as book:
        assert book.told[0].endswith("book.schema1-3")
    assert path.with_name("book.schema1").read_text() == "mine"
    assert path.with_name("book.schema1-2").read_text() == "mine too"


def test_the_next_grading_of_the_same_bytes_is_the_same_attempt(path):
    with Gradebook(path, "fingerprint") as book:
        one = book.graded("little", "student_003")
        assert one is not None
        again = collect_again(book, f"{3:064}")
        assert again == one.submission
        other = collect_again(book, "other")
        assert book.last_run(other) is None
        assert book.old_run_key(other) is None
        third = collect_again(book, f"{3:064}")
        assert book.old_run_key(third) == "run of student_003"


def test_another_secret_is_refused_before_anything_is_touched(path):
    before, about = path.read_bytes(), path.stat()
    with pytest.raises(CourseError, match="belongs to another course secret"):
        Gradebook(path, "another")
    assert path.read_bytes() == before
    assert (path.stat().st_mtime_ns, path.stat().st_mode) == (about.st_mtime_ns, about.st_mode)
    assert names(path) == {"book"}


@pytest.mark.parametrize("secret", ["fingerprint", "another"])
def test_a_book_whose_writer_was_killed_before_it_reached_the_file_is_known_by_its_wal(tmp_path, secret):
    there = tmp_path / "there"
    there.mkdir()
    with contextlib.closing(connect(tmp_path / "book")) as db:
        write_schema_1(db, students=3)
        for end in ("", "-wal"):
            (there / f"book{end}").write_bytes((tmp_path / f"book{end}").read_bytes())
    assert (there / "book").stat().st_size == 4096
    if secret == "another":
        with pytest.raises(CourseError, match="another course secret"):
            Gradebook(there / "book", secret)
        assert tables(there / "book") == TABLES_OF_SCHEMA_1
        return
    with Gradebook(there / "book", secret) as book:
        assert len(book.all_graded("little")) == 3


def test_a_record_that_cannot_be_read_is_one_sentence_and_the_book_stays_as_it_is(path):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE results SET record = x'81' WHERE submission = 'student_003'")
    before = dump(path)
    with pytest.raises(CourseError, match="is of an older Redink and stays as it is") as refused:
        Gradebook(path, "fingerprint")
    assert "\n" not in str(refused.value)
    assert dump(path) == before
    assert names(path) == {"book"}


# -- killed, and full disks --------------------------------------------------------------------------------------------

KILLED_AT_A_CALL = """
import os, signal, sys
from pathlib import Path
from redink.grader.store.gradebook import Gradebook
calls, point = 0, int(sys.argv[2])
def kill(frame, event, argument):
    global calls
    calls += event == "c_call" and frame.f_code.co_filename.endswith(("migrate.py", "opening.py", "schema.py"))
    if calls == point:
        os.kill(os.getpid(), signal.SIGKILL)
sys.setprofile(kill)
with Gradebook(Path(sys.argv[1]), "fingerprint"):
    sys.setprofile(None)
print(calls)
"""
LIMITED = """
import resource, signal, sys
from pathlib import Path
from redink.errors import CourseError
from redink.grader.store.gradebook import Gradebook
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
if sys.argv[3] == "killed":
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the kernel ends the process in the middle of that write
try:
    with Gradebook(Path(sys.argv[1]), "fingerprint"):
        pass
except CourseError as error:
    sys.exit(str(error))
"""


def run(program: str, path: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, path, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def assert_whole(path: Path, before: list[str]) -> None:
    """Hold a gradebook to be the old one or the new one, and to come out as the new one."""
    if "students" not in tables(path):
        assert dump(path) == before
    with Gradebook(path, "fingerprint") as book:
        assert len(book.all_graded("little")) == len(book.all_graded("other")) == STUDENTS
    assert tables(path) == TABLES_OF_TODAY
    copies = [one for one in names(path) if one.startswith("book.schema1")]
    assert copies
    assert all(dump(path.with_name(name)) == before for name in copies)
    assert names(path) == {"book", *copies}


def put_back(path: Path, content: bytes) -> None:
    for one in path.parent.iterdir():
        one.unlink()
    path.write_bytes(content)


def test_killed_at_any_moment_it_is_the_old_book_or_the_new_one(path):
    before, content = dump(path), path.read_bytes()
    put_back(path, content)
    done = run(KILLED_AT_A_CALL, path, -1)
    assert done.returncode == 0, done.stderr
    calls = int(done.stdout)
    early = range(1, 60, 4)  # opening, the copy, and the first tables
    for point in sorted({*early, *range(60, calls, calls // 8), *range(calls - 9, calls)}):
        put_back(path, content)
        done = run(KILLED_AT_A_CALL, path, point)
        assert done.returncode == -signal.SIGKILL, (point, done.stderr)
        assert_whole(path, before)


@pytest.mark.parametrize("how", ["killed", "full"])
def test_a_write_that_fails_anywhere_leaves_the_old_book_or_the_new_one(path, how):
    before, content = dump(path), path.read_bytes()
    ends = set()
    for limit in (0, 100, 5000, 35_000, 70_000, len(content) - 1, len(content), *range(130_000, 1_000_000, 60_000)):
        put_back(path, content)
        done = run(LIMITED, path, limit, how)
        ends.add(done.returncode)
        if done.returncode == 1:
            assert len(done.stderr.splitlines()) == 1, done.stderr
            assert "book" in done.stderr
            assert names(path) - {"book-wal", "book-shm"} == {"book"}
            assert dump(path) == before
        assert_whole(path, before)
    assert ends == {0, -signal.SIGXFSZ if how == "killed" else 1}


# -- from schemas 2 and 3 ----------------------------------------------------------------------------------------------

RUNS_OF_SCHEMA_3 = """CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    submission INTEGER NOT NULL REFERENCES submissions,
    made_at TEXT NOT NULL,
    stamp TEXT NOT NULL,                   -- what it was made under: our own code, data, limits
    sources BLOB NOT NULL,                 -- the cells that were handed in
    cells BLOB NOT NULL,                   -- how each cell ended
    walls TEXT NOT NULL,                   -- comma-separated
    missing TEXT NOT NULL,                 -- comma-separated
    cpu_seconds REAL NOT NULL,
    wall_seconds REAL NOT NULL,
    old_key TEXT                           -- the key of this run in schema 1
)"""
OBSERVATIONS_OF_SCHEMA_3 = """CREATE TABLE observations (
    run INTEGER NOT NULL REFERENCES runs,
    check_id TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (run, check_id)
)"""
JUDGEMENTS_OF_SCHEMA_3 = "CREATE TABLE judgements (key TEXT PRIMARY KEY, record BLOB NOT NULL)"
RESULTS_OF_SCHEMA_3 = """CREATE TABLE results (
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
    record BLOB NOT NULL                   -- the whole result
)"""
SEEN_IN_SCHEMA_3 = {"fit": b"\x91seen", "train": b"\x92" + bytes(700), "train with fit": b"\x93borrowed"}


def take_back_to_schema_3(path: Path) -> None:
    """Make of a gradebook of today, without observations and judgements, one as schema 3 had it, with some of them."""
    with contextlib.closing(connect(path)) as db:
        db.create_function("unpacked", 1, zlib.decompress)
        db.execute("DROP VIEW observations")
        for table in ("observed", "checks", "dictionaries", "judgements"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
            db.execute(f"DROP TABLE {table}")
        db.execute("PRAGMA legacy_alter_table = ON")  # what refers to these tables stays as it is
        for statement, packed in ((RUNS_OF_SCHEMA_3, "cells"), (RESULTS_OF_SCHEMA_3, "record")):
            table = statement.split()[2]
            db.execute(f"ALTER TABLE {table} RENAME TO newer")
            db.execute(statement)
            columns = ", ".join(row[1] for row in db.execute(f"PRAGMA table_info({table})"))
            values = columns.replace(packed, f"unpacked({packed})")
            db.execute(f"INSERT INTO {table} ({columns}) SELECT {values} FROM newer")
            db.execute("DROP TABLE newer")
            db.execute(f"CREATE INDEX {table}_of_a_submission ON {table} (submission)")
        for statement in (OBSERVATIONS_OF_SCHEMA_3, JUDGEMENTS_OF_SCHEMA_3):
            db.execute(statement)
        for table in ("runs", "results", "observations"):
            db.execute(
                f"CREATE TRIGGER {table}_stay_as_they_are BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, 'never'); END"
            )
        for check, content in SEEN_IN_SCHEMA_3.items():
            row = (digest("key", check), digest(content), content)
            db.execute("INSERT INTO observations SELECT id, ?, ?, ?, ? FROM runs WHERE id <= 5", (check, *row))
        db.execute("INSERT INTO judgements VALUES (?, x'80')", (digest("judged"),))
        db.execute("PRAGMA user_version = 3")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


STUDENTS_OF_SCHEMA_2 = """CREATE TABLE students (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
)"""
SUBMISSIONS_OF_SCHEMA_2 = """CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    student INTEGER NOT NULL REFERENCES students,
    attempt INTEGER NOT NULL,              -- 1, 2, …: other bytes than the attempt before
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,                  -- of the file; empty if it could not be read
    source TEXT NOT NULL DEFAULT 'path',   -- where it came from
    handed_in TEXT,                        -- when, if the source says so
    collected_at TEXT NOT NULL,
    UNIQUE (assignment, student, attempt)
)"""


def take_back_to_schema_2(path: Path) -> None:
    """Make of a gradebook of today one as schema 2 had it, with an override that somebody wrote by hand."""
    take_back_to_schema_3(path)
    with contextlib.closing(connect(path)) as db:
        db.execute("DROP VIEW events")
        for table in ("identities", "members", "files", "times", "overrides", "extensions", "voids"):
            db.execute(f"DROP TABLE {table}")
        db.execute("PRAGMA legacy_alter_table = ON")  # what refers to these tables stays as it is
        for statement in (STUDENTS_OF_SCHEMA_2, SUBMISSIONS_OF_SCHEMA_2):
            table = statement.split()[2]
            db.execute(f"ALTER TABLE {table} RENAME TO newer")
            db.execute(statement)
            columns = ", ".join(row[1] for row in db.execute(f"PRAGMA table_info({table})"))
            db.execute(f"INSERT INTO {table} SELECT {columns} FROM newer")
            db.execute("DROP TABLE newer")
        for table, value in (("overrides", "score REAL NOT NULL"), ("extensions", "until TEXT NOT NULL")):
            db.execute(
                f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, assignment TEXT NOT NULL, student INTEGER NOT NULL "
                f"REFERENCES students, {value}, reason TEXT NOT NULL, who TEXT NOT NULL, made_at TEXT NOT NULL)"
            )
        db.execute("INSERT INTO overrides VALUES (NULL, 'little', 4, 55.0, 'by hand', 'ms k', '2026-01-01T00:00:00Z')")
        db.execute("PRAGMA user_version = 2")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.fixture
def today(path: Path) -> Path:
    with Gradebook(path, "fingerprint"):
        pass
    for copy in path.parent.glob("book.schema1*"):
        copy.unlink()
    return path


@pytest.fixture
def schema_2(today: Path) -> Path:
    take_back_to_schema_2(today)
    return today


@pytest.fixture
def schema_3(today: Path) -> Path:
    take_back_to_schema_3(today)
    return today


def test_a_gradebook_of_schema_2_keeps_every_grade_and_what_was_written_by_hand(schema_2):
    before = dump(schema_2)
    with Gradebook(schema_2, "fingerprint") as book:
        assert len(book.all_graded("little")) == STUDENTS
        (decided,) = book.decisions.decided("little").values()
        assert [(one.question, one.score, one.who) for one in decided.overrides] == [("", 55.0, "ms k")]
        assert "book.schema2" in book.told[0]
    assert tables(schema_2) == TABLES_OF_TODAY
    assert dump(schema_2.with_name("book.schema2")) == before


def test_what_schema_3_stored_is_read_as_it_was_and_takes_less_space(schema_3):
    before, size = dump(schema_3), schema_3.stat().st_size
    with contextlib.closing(sqlite3.connect(schema_3)) as db:
        records = dict(db.execute("SELECT id, record FROM results"))
        sources, cells = (dict(db.execute(f"SELECT id, {column} FROM runs")) for column in ("sources", "cells"))
    with Gradebook(schema_3, "fingerprint") as book:
        assert "book.schema3" in book.told[0]
        for one in book.all_graded("little"):
            assert one.result in [msgspec.msgpack.decode(record, type=Result) for record in records.values()]
            run, stored = book.last_run(one.submission), book.stored(one.submission)
            if one.result.state != "graded":
                assert (run, stored) == (None, [])
                continue
            assert run is not None
            assert run.sources in [zlib.decompress(packed) for packed in sources.values()]
            assert run.cells in [msgspec.msgpack.decode(packed, type=tuple[CellRun, ...]) for packed in cells.values()]
            assert {seen.check: book.content(seen.run, seen.check) for seen in stored} in ({}, SEEN_IN_SCHEMA_3)
            assert all(seen.key == digest("key", seen.check) for seen in stored)
            assert all(seen.digest == digest(SEEN_IN_SCHEMA_3[seen.check]) for seen in stored)
        assert book.judgements([digest("judged")]) == {digest("judged"): b"\x80"}
    assert tables(schema_3) == TABLES_OF_TODAY
    assert dump(schema_3.with_name("book.schema3")) == before
    assert schema_3.stat().st_size < size
    with contextlib.closing(sqlite3.connect(schema_3)) as db:
        assert db.execute("SELECT count(*), count(DISTINCT run) FROM observations").fetchone() == (15, 5)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        for table in ("runs", "results", "observed", "checks"):
            with pytest.raises(sqlite3.IntegrityError, match="never changed"):
                db.execute(f"UPDATE {table} SET rowid = 99")


def test_a_gradebook_that_was_brought_up_to_date_has_the_tables_and_views_of_a_new_one(schema_3, tmp_path):
    def made_of(path: Path) -> dict[str, set[str]]:
        with Gradebook(path, "fingerprint") as book:
            names = book._db.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
            return {name: {row[1] for row in book._db.execute(f"PRAGMA table_info({name})")} for (name,) in names}

    old, new = made_of(schema_3), made_of(tmp_path / "new")
    assert old.keys() - new.keys() == {"old_observations"}
    assert {name: columns for name, columns in old.items() if name in new} == new


@pytest.mark.parametrize("version", [2, 3])
def test_killed_while_leaving_a_schema_it_is_the_old_book_or_the_new_one(version, request):
    path = request.getfixturevalue(f"schema_{version}")
    before, content = dump(path), path.read_bytes()
    for point in (5, 20, 30, 34, 38, 42, 46, 50, 54, 58, 62, 66, 72, 78, 84, 90, 96):
        put_back(path, content)
        done = run(KILLED_AT_A_CALL, path, point)
        assert done.returncode in (0, -signal.SIGKILL), (point, done.stderr)
        with Gradebook(path, "fingerprint") as book:
            assert len(book.all_graded("little")) == STUDENTS
            seen = {one.check: book.content(one.run, one.check) for one in book.stored(1)}
            assert seen == SEEN_IN_SCHEMA_3
        copies = [one for one in names(path) if one.startswith(f"book.schema{version}")]
        assert copies
        assert all(dump(path.with_name(name)) == before for name in copies)
