"""The gradebook: one file, one course, one writer; results are added, all or nothing; what is not ours is not touched."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest

from redink.errors import CourseError
from redink.grader.digests import digest
from redink.grader.store.collected import HandIn
from redink.grader.store.gradebook import Gradebook, StoredRun
from redink.grader.store.lock import Lock
from redink.grader.store.recognise import file_system, refuse_far_file_system
from redink.grader.store.schema import APPLICATION_ID, SCHEMA
from redink.grader.store.shorthand import Expected
from redink.records import CellRun, CheckObservations, Hint, QuestionResult, Result, State, SubmissionId, Walls


def a_question(id: str = "train", score: float = 1.0, hint: Hint | None = None) -> QuestionResult:
    return QuestionResult(id=id, title=id, tier="core", score=score, max_score=5.0, hint=hint, checks=())


def a_result(
    id: str = "ada", score: float = 1.0, questions: tuple[QuestionResult, ...] = (), state: State = "graded"
) -> Result:
    return Result(
        assignment="little", version="v", secret="s", submission=SubmissionId(id=id, file=f"{id}.ipynb", sha256=""),
        state=state, reason=None, score=score, max_score=100.0, questions=questions, cells=(), box=Walls(),
        cpu_seconds=0.5, wall_seconds=0.75,
    )  # fmt: skip


def a_run(stamp: str = "today", cells: int = 1) -> StoredRun:
    ran = tuple(CellRun(index=index, status="ok", output="1") for index in range(cells))
    box = Walls(walls=("user_ns", "seccomp"), missing=("landlock",))
    return StoredRun(sources=b"cells", cells=ran, box=box, cpu_seconds=0.5, wall_seconds=0.75, stamp=stamp)


def seen(check: str, content: bytes = b"1") -> CheckObservations:
    return CheckObservations(check=check, key=f"key of {check}", digest=f"digest of {check}", content=content)


def real(check: str, content: bytes) -> CheckObservations:
    """With a key and a digest as they really are."""
    return CheckObservations(check=check, key=digest("key", check), digest=digest(content), content=content)


def hand_in(book: Gradebook, student: str = "ada", sha256: str = "a", assignment: str = "little", **more: Any) -> int:
    handed = HandIn(student=student, file=f"{student}.ipynb", sha256=sha256, source="path", **more)
    return book.collected.keep(assignment, handed).submission


def grade(book: Gradebook, submission: int, result: Result, **how: Any) -> None:
    book.keep_result(submission, result, answer_key="key", graded_under="under", **how)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book"


@pytest.fixture
def book(path: Path) -> Iterator[Gradebook]:
    with Gradebook(path, "fingerprint") as opened:
        yield opened


def ask(path: Path, question: str) -> list[tuple[Any, ...]]:
    """Ask a closed gradebook as a person would, with sqlite3."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute(question).fetchall()


# -- what is kept ------------------------------------------------------------------------------------------------------


def test_what_was_kept_is_found_by_the_next_process(path):
    questions = (a_question("fit", hint=Hint(misconception="adds_one", text="Not one.")), a_question("train"))
    with Gradebook(path, "fingerprint") as book:
        id = hand_in(book)
        book.keep_run(id, a_run(), [seen("b", b"2"), seen("a", b"1")])
        book.keep_judgements({"judged": b"yes"})
        grade(book, id, a_result(questions=questions), bases={"fit": "basis"}, mistakes={"train": "group 7"})
    with Gradebook(path, "fingerprint") as book:
        assert book.last_run(id) == a_run()
        assert [(one.check, one.key, one.digest, one.stamp) for one in book.stored(id)] == [
            ("a", "key of a", "digest of a", "today"),
            ("b", "key of b", "digest of b", "today"),
        ]
        assert [book.content(one.run, one.check) for one in book.stored(id)] == [b"1", b"2"]
        assert book.judgements(["judged", "unjudged"]) == {"judged": b"yes"}
        found = book.graded("little", "ada")
        assert found is not None
        assert found.result == a_result(questions=questions)
        assert (found.submission, found.attempt, found.graded_under, found.answer_key) == (id, 1, "under", "key")
        assert (found.bases, found.mistakes) == ({"fit": "basis", "train": ""}, {"train": "group 7"})


ANSWERS = bytes(range(256)) * 40
LIKE = Expected(result=b"like a result", sources=b"like cells", observations={"fit": ANSWERS, "train": ANSWERS[:99]})


def test_what_is_as_expected_is_read_as_it_was_and_takes_no_space(path):
    near = ANSWERS[:5000] + b"!" + ANSWERS[5000:]
    given = [real("fit", ANSWERS), real("train", near[:99]), real("other", near), real("fit with train", near)]
    with Gradebook(path, "fingerprint") as book:
        for student in ("ada", "ben"):
            id = hand_in(book, student)
            book.keep_run(id, a_run(), given, LIKE)
            grade(book, id, a_result(student), expected=LIKE)
    with Gradebook(path, "fingerprint") as book:  # which knows of no answer key
        for student in ("ada", "ben"):
            found = book.graded("little", student)
            assert found is not None
            assert found.result == a_result(student)
            assert book.last_run(found.submission) == a_run()
            stored = {one.check: one for one in book.stored(found.submission)}
            assert stored.keys() == {one.check for one in given}
            for one in given:
                kept = stored[one.check]
                assert (kept.key, kept.digest, book.content(kept.run, one.check)) == (one.key, one.digest, one.content)
    sizes = dict(ask(path, "SELECT DISTINCT check_id, size FROM observations"))
    assert sizes["fit"] == sizes["train"] == 0
    assert 0 < sizes["fit with train"] < 100  # like what it was borrowed for
    assert ask(path, "SELECT count(*) FROM dictionaries") == [(4,)]
    digests = dict(ask(path, "SELECT DISTINCT check_id, digest FROM observations"))
    assert digests == {one.check: one.digest for one in given}


def test_nothing_that_is_read_with_a_dictionary_outlives_it(path):
    with Gradebook(path, "fingerprint") as book:
        book.keep_run(hand_in(book), a_run(), [real("fit", ANSWERS)], LIKE)
    with contextlib.closing(sqlite3.connect(path)) as db:  # where no foreign keys are looked after
        for table in ("dictionaries", "checks"):
            with pytest.raises(sqlite3.IntegrityError, match="never removed"):
                db.execute(f"DELETE FROM {table}")
            with pytest.raises(sqlite3.IntegrityError, match="never changed"):
                db.execute(f"UPDATE {table} SET id = 7")


def test_a_dictionary_that_was_rolled_back_is_kept_again_when_it_is_used_again(book):
    id = hand_in(book)
    with pytest.raises(ZeroDivisionError), book.transaction():
        book.keep_run(id, a_run(), [real("fit", ANSWERS)], LIKE)
        raise ZeroDivisionError
    other = Expected(observations={"other": b"other answers" * 9, "fit": ANSWERS + b"."})
    book.keep_run(id, a_run(), [real("other", b"other answers" * 9), real("more", b"more")], other)
    book.keep_run(id, a_run("later"), [real("fit", ANSWERS)], LIKE)
    found = {one.check: book.content(one.run, one.check) for one in book.stored(id)}
    assert found == {"fit": ANSWERS, "other": b"other answers" * 9, "more": b"more"}
    assert book._db.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE observed SET content = substr(content, 1, length(content) - 3)",
        "UPDATE observed SET content = NULL, dictionary = NULL",
        "UPDATE observed SET dictionary = NULL",
        "UPDATE observed SET dictionary = (SELECT id FROM dictionaries WHERE id <> observed.dictionary)",
        "UPDATE observed SET dictionary = 99",
    ],
)
def test_an_observation_that_was_damaged_is_never_misread(book, harm):
    id = hand_in(book)
    book.keep_run(id, a_run(), [real("fit", ANSWERS[:-1] + b"!")], LIKE)
    book._db.execute("PRAGMA foreign_keys = OFF")
    book._db.execute("DROP TRIGGER observed_stay_as_they_are")
    book._db.execute(harm)
    (stored,) = book.stored(id)
    with pytest.raises(zlib.error):
        book.content(stored.run, "fit")


def test_a_dictionary_larger_than_zlib_looks_back_changes_nothing(book):
    like = random.Random(1).randbytes(100_000)
    contents = {"same": like, "near": like[:50_000] + b"x" + like[50_001:], "far": like[::-1], "none": b""}
    id = hand_in(book)
    expected = Expected(observations=dict.fromkeys(contents, like))
    book.keep_run(id, a_run(), [real(check, content) for check, content in contents.items()], expected)
    assert {one.check: book.content(one.run, one.check) for one in book.stored(id)} == contents


def test_what_was_never_kept_is_not_found(book):
    id = hand_in(book)
    assert book.graded("little", "ada") is None
    assert book.graded("little", "nobody") is None
    assert book.all_graded("little") == []
    assert book.last_run(id) is None
    assert book.stored(id) == []
    assert book.judgements([]) == book.judgements(["unjudged"]) == {}
    assert book.old_run_key(id) is None
    assert book.old_observations(["unseen"]) == {}
    with pytest.raises(KeyError):
        book.content(1, "train")


def test_a_gradebook_may_be_in_memory_and_many_may_be():
    with Gradebook(None, "one") as first, Gradebook(None, "two") as second:
        grade(first, hand_in(first), a_result())
        assert len(first.all_graded("little")) == 1
        assert second.all_graded("little") == []


def test_a_person_reads_scores_hints_and_times_in_columns(path):
    hint = Hint(misconception="adds_one", text="Not one.")
    with Gradebook(path, "fingerprint") as book:
        grade(book, hand_in(book), a_result(score=87.5, questions=(a_question(score=3.0, hint=hint),)))
    ((when, *rest),) = ask(path, "SELECT graded_at, assignment, student, attempt, state, score, file FROM grades")
    assert rest == ["little", "ada", 1, "graded", 87.5, "ada.ipynb"]
    assert time.strptime(when, "%Y-%m-%dT%H:%M:%SZ")
    assert ask(path, "SELECT question, tier, score, max_score, hint, mistake FROM question_scores") == [
        ("train", "core", 3.0, 5.0, "adds_one", None)
    ]


# -- attempts and history ----------------------------------------------------------------------------------------------


def test_the_same_bytes_are_the_same_attempt_and_other_bytes_the_next(book):
    first = hand_in(book, sha256="a")
    assert hand_in(book, sha256="a") == first
    second = hand_in(book, sha256="b")
    third = hand_in(book, sha256="a")
    assert len({first, second, third}) == 3
    assert hand_in(book, "ben", "a") not in {first, second, third}
    for id in (first, second, third):
        grade(book, id, a_result())
    found = book.graded("little", "ada")
    assert found is not None
    assert (found.submission, found.attempt) == (third, 3)


def test_a_file_that_could_not_be_read_is_one_attempt_however_often_it_is_collected(book):
    assert hand_in(book, sha256="") == hand_in(book, sha256="")


def test_where_and_when_it_was_handed_in_is_kept(path):
    with Gradebook(path, "fingerprint") as book:
        when = datetime(2025, 1, 2, 4, 4, 5, tzinfo=timezone(timedelta(hours=1)))
        book.collected.keep("little", HandIn(student="ada", file="a", sha256="a", source="moodle", handed_in=when))
        hand_in(book, "ben")
    assert ask(path, "SELECT attempt, source, handed_in FROM submissions ORDER BY id") == [
        (1, "moodle", "2025-01-02T03:04:05Z"),
        (1, "path", None),
    ]


def test_what_was_seen_of_the_same_bytes_is_found_from_a_later_attempt_newest_first(book):
    first = hand_in(book, sha256="a")
    book.keep_run(first, a_run("old"), [seen("fit"), seen("train")])
    book.keep_run(first, a_run("new", cells=2), [seen("train", b"2")])
    other = hand_in(book, sha256="b")
    book.keep_run(other, a_run("other"), [seen("fit")])
    third, ben = hand_in(book, sha256="a"), hand_in(book, "ben", "a")
    assert [(one.stamp, one.check) for one in book.stored(third)] == [
        ("new", "train"),
        ("old", "fit"),
        ("old", "train"),
    ]
    assert book.stored(third) == book.stored(first)
    assert book.last_run(third) == a_run("new", cells=2)
    assert [one.stamp for one in book.stored(other)] == ["other"]
    assert book.stored(ben) == []
    assert book.last_run(ben) is None


def test_results_are_added_and_the_newest_of_the_highest_attempt_counts(path):
    with Gradebook(path, "fingerprint") as book:
        first, ben = hand_in(book, sha256="a"), hand_in(book, "ben")
        second = hand_in(book, sha256="b")
        for id, result in (
            (ben, a_result("ben", 9.0)),
            (first, a_result(score=1.0)),
            (second, a_result(score=2.0)),
            (second, a_result(score=3.0)),
            (first, a_result(score=4.0)),  # an old attempt is graded again: it does not count
        ):
            grade(book, id, result)
        hand_in(book, sha256="c")  # handed in and not graded yet
        hand_in(book, sha256="x", assignment="another")
        found = book.all_graded("little")
        assert [(one.result.submission.id, one.attempt, one.result.score) for one in found] == [
            ("ada", 2, 3.0),
            ("ben", 1, 9.0),
        ]
        assert [book.graded("little", "ada"), book.graded("little", "ben")] == found
        assert book.all_graded("another") == []
    assert ask(path, "SELECT student, attempt, score FROM grades") == [("ada", 2, 3.0), ("ben", 1, 9.0)]
    assert ask(path, "SELECT score FROM history") == [(9.0,), (1.0,), (2.0,), (3.0,), (4.0,)]


@pytest.mark.parametrize("table", ["submissions", "runs", "observed", "results", "question_scores"])
def test_history_cannot_be_changed_by_hand(path, table):
    with Gradebook(path, "fingerprint") as book:
        id = hand_in(book)
        book.keep_run(id, a_run(), [seen("fit")])
        grade(book, id, a_result(questions=(a_question(),)))
    (column,) = ask(path, f"SELECT name FROM pragma_table_info('{table}') LIMIT 1")[0]
    with pytest.raises(sqlite3.IntegrityError, match=f"{table} are never changed"):
        ask(path, f"UPDATE {table} SET {column} = {column}")


def test_a_failure_of_our_own_is_never_stored(book):
    with pytest.raises(ValueError, match="never stored"):
        grade(book, hand_in(book), a_result(state="internal_error"))
    assert book.all_graded("little") == []


def test_a_record_of_a_newer_redink_is_one_sentence(path):
    with Gradebook(path, "fingerprint") as book:
        id = hand_in(book)
        grade(book, id, a_result())
        newer = {**msgspec.to_builtins(a_result()), "colour": "red"}
        with book.transaction():
            book._db.execute(
                "INSERT INTO results SELECT NULL, submission, graded_at, answer_key, graded_under, state, reason, score, "
                "max_score, cpu_seconds, wall_seconds, ?, NULL FROM results",
                (zlib.compress(msgspec.msgpack.encode(newer)),),
            )
        for read in (lambda: book.graded("little", "ada"), lambda: book.all_graded("little")):
            with pytest.raises(
                CourseError, match=r"holds a record that this Redink cannot read .*colour.*; update Redink"
            ):
                read()


# -- all or nothing ----------------------------------------------------------------------------------------------------


def test_a_transaction_that_fails_leaves_nothing(book):
    with pytest.raises(ZeroDivisionError), book.transaction():
        id = hand_in(book)
        with book.transaction():
            book.keep_run(id, a_run(), [seen("fit")])
            book.keep_judgements({"judged": b"yes"})
        grade(book, id, a_result())
        raise ZeroDivisionError
    assert book.all_graded("little") == []
    assert book.judgements(["judged"]) == {}
    for table in ("students", "submissions", "runs", "observations", "results"):
        assert book._db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_run_whose_observations_clash_is_not_stored_at_all(book):
    id = hand_in(book)
    with pytest.raises(sqlite3.IntegrityError):
        book.keep_run(id, a_run(), [seen("fit"), seen("fit")])
    assert book.last_run(id) is None


def test_a_run_of_no_submission_is_refused(book):
    with pytest.raises(sqlite3.IntegrityError):
        book.keep_run(77, a_run(), [])


def test_a_full_disk_is_one_sentence_and_what_was_there_stays(path):
    with Gradebook(path, "fingerprint") as book:
        grade(book, hand_in(book), a_result())
    code = """
        import resource
        with pytest.raises(CourseError, match="cannot be written"), Gradebook(path, "fingerprint") as book:
            id = hand_in(book, "ben")
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
            with book.transaction():
                book.keep_run(id, a_run(), [seen(f"check {n}", os.urandom(5000)) for n in range(100)])
                grade(book, id, a_result("ben"))
    """
    done = elsewhere(code, path)
    assert done.returncode == 0, done.stderr
    with Gradebook(path, "fingerprint") as book:
        assert [one.result for one in book.all_graded("little")] == [a_result()]
        assert book.last_run(hand_in(book, "ben")) is None


@pytest.mark.parametrize("size", [10, 1000, 5000, 40_000])
def test_a_disk_that_is_full_from_the_start_is_one_sentence_and_leaves_nothing(path, size):
    code = f"""
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
        with pytest.raises(CourseError, match="cannot be used as a gradebook"):
            Gradebook(path, "fingerprint")
        assert os.listdir(path.parent) == []
    """
    done = elsewhere(code, path)
    assert done.returncode == 0, done.stderr


# -- what is not ours is not touched -----------------------------------------------------------------------------------


def foreign(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in ("CREATE TABLE poems (id INTEGER PRIMARY KEY, text TEXT)", *statements):
            db.execute(statement)


def gradebook(path: Path, secret: str, *statements: str) -> None:
    with Gradebook(path, secret):
        pass
    for statement in statements:
        ask(path, statement)


FILLINGS: dict[str, Callable[[Path], object]] = {
    "a letter": lambda path: path.write_text("Dear professor, this is not a database, however long you look.\n" * 20),
    "a word": lambda path: path.write_text("no"),
    "a torn database": lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(40)),
    "a broken database": lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(84) + b"?" * 5000),
    "a database": foreign,
    "a database with a table called meta": lambda path: foreign(
        path, "CREATE TABLE meta (name TEXT, value TEXT)", "INSERT INTO meta VALUES ('schema', '1')"
    ),
    "an application's database": lambda path: foreign(path, "PRAGMA application_id = 77", "PRAGMA user_version = 2"),
    "an empty database": lambda path: foreign(path, "DROP TABLE poems"),
    "a database in WAL mode": lambda path: foreign(path, "PRAGMA journal_mode = WAL"),
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a link in a circle": lambda path: path.symlink_to(path),
    "a newer gradebook": lambda path: gradebook(path, "fingerprint", f"PRAGMA user_version = {SCHEMA + 1}"),
    "the gradebook of another course": lambda path: gradebook(path, "another"),
}


def look(folder: Path) -> dict[str, Any]:
    """Note everything that could be changed about what is in a folder."""
    found: dict[str, Any] = {"": folder.stat().st_mtime_ns}
    for one in folder.iterdir():
        about = one.lstat()
        content = one.read_bytes() if stat.S_ISREG(about.st_mode) else b""
        found[one.name] = (about.st_mode, about.st_ino, about.st_mtime_ns, about.st_ctime_ns, content)
    return found


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        ("a letter", "is not a gradebook"),
        ("a word", "is not a gradebook"),
        ("a torn database", "is not a gradebook"),
        ("a broken database", "cannot be used as a gradebook"),
        ("a database", "is not a gradebook"),
        ("a database with a table called meta", "is not a gradebook"),
        ("an application's database", "is not a gradebook"),
        ("an empty database", "is not a gradebook"),
        ("a database in WAL mode", "is not a gradebook"),
        ("a folder", "cannot be used as a gradebook: it is not a file"),
        ("a pipe", "cannot be used as a gradebook: it is not a file"),
        ("a link in a circle", "cannot be used as a gradebook"),
        ("a newer gradebook", "was written by a newer Redink; update Redink"),
        (
            "the gradebook of another course",
            "belongs to another course secret; use that secret, or another --gradebook",
        ),
    ],
)
def test_what_is_not_ours_is_refused_in_one_sentence_and_stays_as_it_is(path, kind, complaint):
    FILLINGS[kind](path)
    if stat.S_ISREG(path.lstat().st_mode):
        path.chmod(0o644)
    before = look(path.parent)
    with pytest.raises(CourseError) as refused:
        Gradebook(path, "fingerprint")
    assert complaint in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert look(path.parent) == before


@pytest.mark.parametrize("name", ["/dev/full", "/dev/null", "file/below", "nowhere/below", "/proc/book"])
def test_a_place_that_cannot_hold_a_file_is_one_sentence(tmp_path, name):
    (tmp_path / "file").write_text("mine")
    before, device = look(tmp_path), Path("/dev/full").stat().st_mode
    with pytest.raises(CourseError, match="cannot be used as a gradebook"):
        Gradebook(tmp_path / name, "fingerprint")
    assert look(tmp_path) == before
    assert Path("/dev/full").stat().st_mode == device


def test_a_foreign_database_that_is_in_use_stays_as_it_is(path):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE poems (text)")  # only in its -wal yet
        before = look(path.parent)
        with pytest.raises(CourseError, match="is not a gradebook"):
            Gradebook(path, "fingerprint")
        assert look(path.parent) == before


@pytest.fixture
def folder_of_one_without_rights() -> Iterator[Path]:
    """Be nobody for a while if this is root, whom no mode keeps from writing."""
    with tempfile.TemporaryDirectory() as folder:
        if root := os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
        yield Path(folder)
        if root:
            os.seteuid(0)


@pytest.mark.parametrize(("what", "mode"), [("book", 0o400), (".", 0o500)])
def test_what_cannot_be_written_is_one_sentence_and_stays_as_it_is(folder_of_one_without_rights, what, mode):
    folder = folder_of_one_without_rights
    gradebook(folder / "book", "fingerprint")
    (folder / what).chmod(mode)
    before = look(folder)
    with pytest.raises(CourseError, match=r"cannot be used as a gradebook: .*Permission denied"):
        Gradebook(folder / "book", "fingerprint")
    assert look(folder) == before
    folder.chmod(0o700)


def test_a_network_file_system_is_refused_with_what_to_do():
    mounts = (
        "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "30 21 0:26 / /home rw shared:2 - nfs4 server:/home rw\n"
        "31 30 8:2 / /home/ada/my\\040disk rw - xfs /dev/sdb1 rw\n"
        "32 21 0:27 / /scratch rw - lustre mds@tcp:/scratch rw\n"
        "33 21 0:28 / /scratch rw - tmpfs tmpfs rw\n"
        "nonsense\n"
    )
    kinds = {"/": "ext4", "/homes": "ext4", "/home/ada": "nfs4", "/home/ada/my disk/x": "xfs", "/scratch/y": "tmpfs"}
    assert {folder: file_system(Path(folder), mounts) for folder in kinds} == kinds
    assert file_system(Path("/"), "") == ""
    for kind in ("nfs", "nfs4", "lustre", "cifs"):
        with pytest.raises(CourseError, match=f"network file system \\({kind}\\).* name a file on a local disk"):
            refuse_far_file_system(Path("book"), kind)
    refuse_far_file_system(Path("book"), "ext4")


# -- making and opening ------------------------------------------------------------------------------------------------


def test_a_gradebook_is_for_its_owner_alone_from_the_start(path):
    with Gradebook(path, "fingerprint") as book:
        assert {stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()} == {0o600}
        grade(book, hand_in(book), a_result())
    assert [one.name for one in path.parent.iterdir()] == ["book"]


def test_a_file_says_what_it_is_in_its_header(path):
    with Gradebook(path, "fingerprint"):
        header = path.read_bytes()
        assert int.from_bytes(header[60:64], "big") == SCHEMA
        assert int.from_bytes(header[68:72], "big") == APPLICATION_ID


def test_an_empty_file_becomes_a_gradebook(path):
    path.touch(mode=0o644)
    with Gradebook(path, "fingerprint") as book:
        assert book.told == ()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_leads_to_the_same_gradebook_and_the_same_lock(path):
    link = path.with_name("link")
    link.symlink_to(path)
    with Gradebook(link, "fingerprint") as book:
        grade(book, hand_in(book), a_result())
        with pytest.raises(CourseError, match="in use"):
            Gradebook(path, "fingerprint")
    with Gradebook(path, "fingerprint") as book:
        assert len(book.all_graded("little")) == 1


@pytest.mark.parametrize("name", ["a book?", "50% #1", "büch"])
def test_a_gradebook_may_have_any_name(tmp_path, name):
    for _ in range(2):
        with Gradebook(tmp_path / name, "fingerprint") as book:
            grade(book, hand_in(book), a_result())
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_whoever_is_killed_while_making_or_filling_it_leaves_a_gradebook_that_opens(path):
    code = """
        calls = 0
        def kill(frame, event, argument):
            global calls
            calls += event == "c_call" and "/grader/store/" in frame.f_code.co_filename
            if calls == POINT:
                os.kill(os.getpid(), signal.SIGKILL)
        sys.setprofile(kill)
        with Gradebook(path, "fingerprint") as book:
            grade(book, hand_in(book), a_result())
    """
    for point in range(5, 1000, 9):
        done = elsewhere(code.replace("POINT", str(point)), path)
        with Gradebook(path, "fingerprint") as book:
            assert book._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert len(book.all_graded("little")) <= 1
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        for one in path.parent.iterdir():
            one.unlink()
    else:
        pytest.fail("it was killed each time")


# -- one writer at a time ----------------------------------------------------------------------------------------------


HOLD = """
    with Gradebook(path, "fingerprint", holder="redink grade little") as book:
        grade(book, hand_in(book), a_result())
        print("holding", flush=True)
        sys.stdin.read()
"""


def test_a_second_writer_is_told_who_is_first(path):
    process = start_elsewhere(HOLD, path)
    assert process.stdout.readline() == "holding\n"
    with pytest.raises(CourseError) as refused:
        Gradebook(path, "fingerprint")
    written = json.loads(path.with_name("book.lock").read_text())
    assert set(written) == {"pid", "host", "command", "since"}
    assert (
        f"the gradebook {path} is in use by `redink grade little` (process {process.pid} on {socket.gethostname()}, since "
        in str(refused.value)
    )
    assert str(refused.value).endswith("): wait for it, or stop it")
    process.communicate()
    assert process.returncode == 0
    with Gradebook(path, "fingerprint") as book:
        assert len(book.all_graded("little")) == 1
    assert [one.name for one in path.parent.iterdir()] == ["book"]


def test_whoever_was_killed_holds_nothing_and_what_it_finished_stays(path):
    process = start_elsewhere(HOLD, path)
    assert process.stdout.readline() == "holding\n"
    process.kill()
    process.communicate()
    assert path.with_name("book.lock").exists()
    with Gradebook(path, "fingerprint") as book:
        assert len(book.all_graded("little")) == 1
        assert json.loads(path.with_name("book.lock").read_text())["pid"] == os.getpid()


def test_a_forked_child_does_not_keep_the_lock_of_a_holder_that_was_killed(path):
    code = HOLD.replace("sys.stdin.read()", "os.fork() or time.sleep(600)\n        sys.stdin.read()")
    process = start_elsewhere(code, path)
    assert process.stdout.readline() == "holding\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + 30
    while not children.read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    child = int(children.read_text())
    time.sleep(0.2)  # for its first steps
    try:
        process.kill()
        process.wait()
        with Gradebook(path, "fingerprint"):
            os.kill(child, 0)  # still there
    finally:
        os.kill(child, signal.SIGKILL)
        process.communicate()


def test_many_who_open_and_close_at_once_are_never_two_at_a_time(path):
    counter = path.with_name("counter")
    counter.write_text("0")
    code = """
        done, counter = 0, path.with_name("counter")
        while done < 60:
            try:
                lock = Lock(path, "test")
            except CourseError as error:
                assert "in use" in str(error)
                continue
            count = int(counter.read_text())
            time.sleep(0.0005)
            counter.write_text(str(count + 1))
            lock.release()
            done += 1
    """
    processes = [start_elsewhere(code, path) for _ in range(4)]
    for process in processes:
        _, complaints = process.communicate(timeout=120)
        assert process.returncode == 0, complaints
    assert counter.read_text() == "240"
    assert not path.with_name("book.lock").exists()


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_something_else_in_the_place_of_the_lock_is_refused_and_stays(path, kind):
    place = path.with_name("book.lock")
    if kind == "file":
        place.write_text("[[package]] name = 'poetry'")
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(path.with_name("elsewhere"))
    before = look(path.parent)
    with pytest.raises(CourseError, match=r"cannot be used as a gradebook: .*book\.lock"):
        Gradebook(path, "fingerprint")
    assert look(path.parent) == before


def test_a_lock_that_was_released_twice_takes_nothing_from_the_next(path):
    first = Lock(path, "one")
    first.release()
    second = Lock(path, "two")
    first.release()
    assert second.file.exists()
    second.release()


def elsewhere(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, which may be limited or killed."""
    process = start_elsewhere(code, path)
    told, complaints = process.communicate(timeout=60)
    return subprocess.CompletedProcess([], process.returncode, told, complaints)


def start_elsewhere(code: str, path: Path) -> subprocess.Popen[str]:
    program = f"from test_gradebook import *\npath = Path(sys.argv[1])\n{textwrap.dedent(code)}"
    return subprocess.Popen(
        [sys.executable, "-c", program, path], cwd=Path(__file__).parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
