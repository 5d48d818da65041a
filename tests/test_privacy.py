"""What is held about people can be shown, and taken out of everything that a course holds."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.desk.person import everything_about, find_person
from redink.grader.desk.purging import purge_person
from redink.grader.desk.standings import open_gradebook
from redink.grader.store.purging import OF_PEOPLE, OF_SUBMISSIONS, words_pattern
from redink_cli.app import redink
from tests.conftest import SCALE, Desk
from tests.test_migration import TABLES_OF_TODAY

ROSTER = (
    "id,name,email,group,github\n"
    "zelda,Zelda Quixote,zq@windmill.example,,gh-zeldaq\n"
    "yolanda,Yolanda Ypsilon,yy@windmill.example,red,gh-yy\n"
    "ben,Ben Ali,ben@windmill.example,red,gh-ben\n"
    "cy,Cy Young,cy@windmill.example,,gh-cy\n"
)
ZELDA = ("zelda", "Zelda Quixote", "zq@windmill.example", "gh-zeldaq")
YOLANDA = ("yolanda", "Yolanda Ypsilon", "yy@windmill.example", "gh-yy")
MARK = "dulcinea_del_toboso"  # in the notebook of Zelda alone


@pytest.fixture(scope="module")
def class_of_four(shared: Any, little_course: Path) -> Path:
    """A class that was collected twice, graded, decided about and reported, and another program's copy of its past."""

    def fill(root: Path) -> None:
        shutil.copytree(little_course, root, dirs_exist_ok=True)
        desk = Desk(root, "little")
        (root / "roster.csv").write_text(ROSTER)
        (root / "course.toml").write_text('roster = "roster.csv"\n[assignments.little]\ngroups = true\n')
        for number in (1, 2):
            body = f"def scale(X):\n    # {MARK} {number}\n    raise ValueError('{MARK}')"
            desk.hand_in("zelda", {SCALE: body})
            desk.hand_in("yolanda")
            desk.hand_in("cy", {SCALE: "def scale(X):\n    return 3 * X"})
            run(desk, "collect", "little", "class", "--receipts", "receipts.csv")
            run(desk, "grade", "little", "--json", "results.json")
        run(desk, "override", "little", "zelda", "15", "-q", "scale", "--why", "Zelda Quixote asked")
        run(desk, "extend", "little", "zelda", "--until", "2027-01-01 12:00", "--why", "ill")
        run(desk, "override", "little", "cy", "20", "-q", "scale", "--why", "worked with zelda, as yolanda saw")
        run(desk, "report", "little", "--to", "report", "--now")
        run(desk, "similar", "little", "--names", "--to", "alike")
        shutil.copy(desk.book, desk.book.with_name("gradebook.sqlite.schema2"))

    return shared("class_of_four", fill)


@pytest.fixture
def desk(class_of_four: Path, tmp_path: Path) -> Desk:
    shutil.copytree(class_of_four, tmp_path / "course")
    return Desk(tmp_path / "course", "little")


def run(desk: Desk, *words: object, code: int = 0) -> str:
    done = desk.redink(*words)
    assert done.returncode == code, f"{words}: {done.stderr}{done.stdout}"
    return done.stdout + done.stderr


def contents(book: Path) -> Iterator[bytes]:
    """Every byte of a gradebook: the file, its -wal, and each of its values, unpacked where they are packed."""
    for file in book.parent.glob(f"{book.name}*"):
        yield file.read_bytes()
    with contextlib.closing(sqlite3.connect(book)) as db:
        dictionaries = [zlib.decompress(one) for (one,) in db.execute("SELECT content FROM dictionaries")]
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in db.execute(f"SELECT * FROM {table}"):
                for value in row:
                    if isinstance(value, bytes):
                        yield from unpacked(value, dictionaries)


def unpacked(value: bytes, dictionaries: list[bytes]) -> Iterator[bytes]:
    """What some bytes say, with whatever dictionary they were packed."""
    for one in (b"", *dictionaries):
        with contextlib.suppress(zlib.error):
            yield zlib.decompressobj(zdict=one).decompress(value)


def held(book: Path, *words: str) -> set[str]:
    """Which of these words stand anywhere in a gradebook."""
    everything = b"\0".join(contents(book)).lower()
    return {word for word in words if word.lower().encode() in everything}


def blobs(book: Path, student: str) -> list[bytes]:
    """The notebooks and cells of a student as the file holds them."""
    with contextlib.closing(sqlite3.connect(book)) as db:
        mine = "submission IN (SELECT submissions.id FROM submissions JOIN students ON students.id = student WHERE name = ?)"
        rows = [
            *db.execute(f"SELECT content FROM files WHERE {mine}", (student,)),
            *db.execute(f"SELECT sources FROM runs WHERE {mine}", (student,)),
        ]
    return [row[0] for row in rows]


def kept_dictionaries(book: Path) -> list[bytes]:
    with contextlib.closing(sqlite3.connect(book)) as db:
        return [one for (one,) in db.execute("SELECT content FROM dictionaries ORDER BY id")]


def grades(desk: Desk) -> dict[str, float]:
    with contextlib.closing(sqlite3.connect(desk.book)) as db:
        return dict(db.execute("SELECT student, score FROM grades"))


def test_after_a_purge_no_byte_of_a_persons_names_or_notebooks_is_in_the_gradebook(desk):
    packed, dictionaries = blobs(desk.book, "zelda"), kept_dictionaries(desk.book)
    assert held(desk.book, *ZELDA, MARK) == {*ZELDA, MARK}
    assert len(packed) == 4
    assert all(any(blob[-60:] in one for one in contents(desk.book)) for blob in packed)
    others = grades(desk)
    said = run(desk, "purge", "zelda", code=1)  # files of the instructor name her still
    assert "2 attempts, 2 results removed" in said
    assert held(desk.book, *ZELDA, MARK) == set()
    assert not any(blob[-60:] in one for blob in packed for one in contents(desk.book))
    assert grades(desk) == {name: score for name, score in others.items() if name != "zelda"}
    assert kept_dictionaries(desk.book) == dictionaries  # others are read with them, and nothing of anybody is in them
    assert dictionaries
    assert not any(MARK.encode() in zlib.decompress(one) for one in dictionaries)


@pytest.mark.slow
def test_a_purge_leaves_a_nameless_tombstone_and_commands_go_on(desk):
    run(desk, "purge", "zelda", code=1)
    with contextlib.closing(sqlite3.connect(desk.book)) as db:
        (row,) = db.execute("SELECT * FROM students WHERE name GLOB 'purged *'")
        (told,) = db.execute("SELECT value FROM meta WHERE name = ?", (row[1],)).fetchone()
        triggers = db.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'").fetchone()
        (whole,) = db.execute("PRAGMA integrity_check").fetchone()
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert row[2:] == ("", "")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: 2 attempts, 2 results", told)
    assert triggers == (15,)
    assert whole == "ok"
    (desk.root / "roster.csv").write_text(re.sub("zelda.*\n", "", ROSTER))
    for words in ("grade little", "report little --to report --now", "rejudge little", "mistakes little"):
        assert "purged" not in run(desk, *words.split())
    run(desk, "export", "little", "--as", "csv", "--to", "grades.csv")
    assert [line.split(",")[0] for line in (desk.root / "grades.csv").read_text("utf-8-sig").splitlines()] == [
        "id", "ben", "cy", "yolanda",
    ]  # fmt: skip
    assert "worked with …, as yolanda saw" in run(desk, "history", "cy", "little")


def test_a_purge_reaches_copies_receipts_and_reports_and_lists_what_is_not_its_own(desk):
    said = run(desk, "purge", "Zelda Quixote", code=1)
    copy = desk.book.with_name("gradebook.sqlite.schema2")
    assert not copy.exists()
    assert f"removed {copy}" in said
    receipts = (desk.root / "receipts.csv").read_text()
    assert "zelda" not in receipts
    assert receipts.count("\n") == 3
    pages = {str(path.relative_to(desk.root)) for path in (desk.root / "report").rglob("*.html")}
    assert pages == {"report/students/ben.html", "report/students/yolanda.html"}  # Cy's told whom Cy worked with
    left = sorted(re.findall(r"yours to mend: .*/course/(\S+)", said))
    assert left == ["class/zelda/little.ipynb", "results.json", "roster.csv"]
    for name in left:
        (desk.root / name).unlink()
    (desk.root / "course.toml").unlink()
    assert "nobody in this course is called 'zelda'" in run(desk, "purge", "zelda", code=1)
    assert not [path for path in desk.root.rglob("*") if path.is_file() and b"zelda" in path.read_bytes().lower()]


def test_what_a_group_handed_in_stays_the_others_without_the_name(desk):
    before = grades(desk)["yolanda"]
    said = run(desk, "purge", "yolanda", code=1)
    assert "1 attempt of a group stay, without the name: others have them too" in said
    assert held(desk.book, *YOLANDA) == set()
    told = run(desk, "history", "ben", "little")
    assert f"{before:g} of 100 points" in told
    run(desk, "purge", "ben", code=1)  # the last of the group: now it is nobody's
    assert held(desk.book, "ben", "ben@windmill.example") == set()
    with contextlib.closing(sqlite3.connect(desk.book)) as db:
        assert db.execute("SELECT count(*) FROM submissions").fetchone() == (3,)
        assert db.execute("SELECT name FROM students WHERE name NOT GLOB 'purged *' ORDER BY 1").fetchall() == [
            ("cy",), ("zelda",),
        ]  # fmt: skip


def test_old_notebooks_go_and_grades_stay(desk):
    before = grades(desk)
    last_year = run(desk, "purge", "--notebooks", "--before", "2020-01-01")
    assert "0 notebooks removed; grades stay" in last_year
    assert held(desk.book, MARK) == {MARK}
    said = run(desk, "purge", "--notebooks", "--before", "2100-01-01")
    assert "4 notebooks removed; grades stay" in said
    with contextlib.closing(sqlite3.connect(desk.book)) as db:
        for table in ("files", "runs", "observations", "judgements"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert f"# {MARK}".encode() not in b"".join(contents(desk.book))
    assert grades(desk) == before
    run(desk, "report", "little", "--to", "report", "--now")
    assert "15, set by" in run(desk, "history", "zelda", "little")
    told = desk.redink("rejudge", "little")
    assert told.returncode == 1
    assert "cannot be judged again and keep their grades: their notebooks were purged" in " ".join(told.stdout.split())
    assert "must be graded again" not in told.stdout
    assert "the notebooks of little were purged" in desk.redink("similar", "little", "--to", "alike").stderr
    assert grades(desk) == before


def test_a_notebook_that_is_not_graded_yet_stays(desk):
    desk.hand_in("cy", {SCALE: "def scale(X):\n    return 4 * X"})
    run(desk, "collect", "little", "class")
    run(desk, "purge", "--notebooks", "--before", "2100-01-01")
    assert len(blobs(desk.book, "cy")) == 1
    run(desk, "grade", "little")


def test_a_purge_that_was_interrupted_is_finished_by_the_next(desk, monkeypatch):
    course = Course(desk.root)
    with open_gradebook(course, None, "a test") as book:
        monkeypatch.setattr(type(book.purging), "finish", lambda self: None)  # as if it were killed after the removal
        purge_person(course, book, find_person(course, book, "zelda"))
        monkeypatch.undo()
    run(desk, "purge", "--notebooks", "--before", "2020-01-01")
    assert held(desk.book, *ZELDA, MARK) == set()


def test_while_another_program_reads_it_a_purge_says_that_it_is_not_over(desk):
    course = Course(desk.root)
    with open_gradebook(course, None, "a test") as book, contextlib.closing(sqlite3.connect(desk.book)) as reader:
        book._db.execute("PRAGMA busy_timeout = 100")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM students").fetchone()
        with pytest.raises(CourseError, match="another program is reading the gradebook: close it, and purge again"):
            purge_person(course, book, find_person(course, book, "zelda"))


def test_everything_that_is_held_about_a_person_is_written(desk):
    run(desk, "export", "--person", "Zelda Quixote", "--to", "zelda.zip")
    assert (desk.root / "zelda.zip").stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(desk.root / "zelda.zip") as archive:
        notebooks = [name for name in archive.namelist() if name.endswith(".ipynb")]
        assert all(MARK in archive.read(name).decode() for name in notebooks)
        told = json.loads(archive.read("person.json"))
    assert len(notebooks) == 2
    assert told["person"]["email"] == "zq@windmill.example"
    assert [row["reason"] for row in told["overrides"]] == ["Zelda Quixote asked"]
    assert told["results"][0]["record"]["submission"]["id"] == "zelda"
    assert MARK in str(told["runs"][0]["sources"])
    assert told["observations"] > 0
    assert "worked with" not in str(told)


def test_what_a_group_has_is_shown_to_each_of_it(desk):
    course = Course(desk.root)
    with open_gradebook(course, None, "a test") as book:
        packed = everything_about(course, book, "ben")
    told = json.loads(zipfile.ZipFile(io.BytesIO(packed)).read("person.json"))
    assert [row["file"] for row in told["submissions"]] == ["yolanda/little.ipynb"]


def test_every_table_is_purged_and_shown_or_holds_nobody():
    nobodys = {"meta", "judgements", "old_observations", "voids", "checks", "dictionaries"}
    assert {*OF_PEOPLE, *OF_SUBMISSIONS, "students"} | nobodys == TABLES_OF_TODAY


@pytest.mark.parametrize(
    "words", [(), ("zelda", "--notebooks", "--before", "2026-01-01"), ("--notebooks",), ("--before", "2026-01-01")]
)
def test_it_must_be_said_what_is_to_be_removed(words):
    done = CliRunner().invoke(redink, ["purge", *words])
    assert done.exit_code == 2
    assert "say whom, as in `redink purge ada`" in done.output


def test_a_name_is_found_as_a_whole_word_and_a_short_one_is_not_looked_for():
    pattern = words_pattern(["ada", "x"])
    assert pattern is not None
    found = ["Ada", "doe_ada_40527", "ada's", "(ada)"]
    assert [text for text in [*found, "Granada", "adamant", "x"] if pattern.search(text)] == found
    assert words_pattern(["x", ""]) is None


def test_nobody_is_chosen_among_people_of_one_name(desk):
    (desk.root / "people.csv").write_text("id,name\nwwang,Wei Wang\nwwang2,Wei Wang\nwwong,Wai Wong\n")
    (desk.root / "course.toml").write_text('roster = "people.csv"\n')
    before = grades(desk)
    for words in (("purge",), ("history",), ("extend", "little"), ("override", "little")):
        more = (
            ("--until", "2030-01-01", "--why", "x")
            if "extend" in words
            else ("3", "--why", "x")
            if "override" in words
            else ()
        )
        told = desk.redink(*words, "Wei Wang", *more)
        assert told.returncode == 1
        assert "are called 'Wei Wang': write the id of one of them: wwang, wwang2" in told.stderr
        assert "did you mean" not in told.stderr
    assert grades(desk) == before
    (desk.root / "times.csv").write_text("student,submitted_at\nWei Wang,2026-11-21 10:00\n")
    told = desk.redink("collect", "little", "class", "--times", "times.csv")
    assert (
        "times.csv, line 2: 2 people are called 'Wei Wang': write the id of one of them: wwang, wwang2" in told.stderr
    )
