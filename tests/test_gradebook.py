"""The gradebook: one file, one course, all or nothing; what cannot be written is one sentence."""

from __future__ import annotations

import resource
import sqlite3
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from redink.errors import CourseError
from redink.grader.store.gradebook import Gradebook, Run
from redink.records import Observation, Result, SubmissionId, Walls


def a_result(id: str = "ada", score: float = 1.0) -> Result:
    return Result(
        assignment="little", version="v", secret="s", submission=SubmissionId(id=id, file=f"{id}.ipynb", sha256=""),
        state="graded", reason=None, score=score, max_score=100.0, questions=(), cells=(), box=Walls(), cpu_seconds=0.0,
        wall_seconds=0.0,
    )  # fmt: skip


def a_run() -> Run:
    return Run(cells=(), box=Walls(), cpu_seconds=0.0, wall_seconds=0.0)


def test_what_was_kept_is_found_by_the_next_process(tmp_path):
    with Gradebook(tmp_path / "book", "fingerprint") as book:
        book.keep_observed("run", a_run(), {"seen": Observation(status="returned", value=b"1")})
        book.keep_result(a_result(), "under")
    with Gradebook(tmp_path / "book", "fingerprint") as book:
        assert book.run("run") == a_run()
        assert book.observations(["seen", "unseen"]) == {"seen": Observation(status="returned", value=b"1")}
        assert book.result("little", "ada") == (a_result(), "under")
        assert book.result("little", "ben") is None


def test_a_result_takes_the_place_of_an_earlier_one_and_results_are_in_order(tmp_path):
    with Gradebook(tmp_path / "book", "fingerprint") as book:
        for id, score in (("cyd", 1.0), ("ada", 1.0), ("ada", 2.0)):
            book.keep_result(a_result(id, score), "under")
        assert [(one.submission.id, one.score) for one in book.results("little")] == [("ada", 2.0), ("cyd", 1.0)]
        assert book.results("another") == []


def test_a_transaction_that_fails_leaves_nothing(tmp_path):
    with Gradebook(tmp_path / "book", "fingerprint") as book:
        with pytest.raises(ZeroDivisionError), book.transaction():
            book.keep_result(a_result(), "under")
            with book.transaction():
                book.keep_observed("run", a_run(), {})
            raise ZeroDivisionError
        assert book.results("little") == []
        assert book.run("run") is None


def test_a_gradebook_is_for_its_owner_alone(tmp_path):
    with Gradebook(tmp_path / "book", "fingerprint"):
        pass
    assert stat.S_IMODE((tmp_path / "book").stat().st_mode) == 0o600


def test_another_secret_and_another_version_are_refused(tmp_path):
    with Gradebook(tmp_path / "book", "fingerprint"):
        pass
    with pytest.raises(CourseError, match="another course secret"):
        Gradebook(tmp_path / "book", "another")
    with sqlite3.connect(tmp_path / "book") as db:
        db.execute("UPDATE meta SET value = '0' WHERE name = 'schema'")
    db.close()
    with pytest.raises(CourseError, match="another version of Redink"):
        Gradebook(tmp_path / "book", "fingerprint")


@pytest.mark.parametrize("path", ["/dev/full", "/dev/null", "folder", "file/below", "nowhere/below", "letter"])
def test_what_cannot_be_a_gradebook_is_one_sentence_and_stays_as_it_is(tmp_path, path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "letter").write_text("Dear professor, this is not a database, however long you look at it.\n" * 20)
    place = tmp_path / path
    before = place.stat() if place.exists() else None
    with pytest.raises(CourseError, match="cannot be used as a gradebook"):
        Gradebook(place, "fingerprint")
    if before is not None and path != "letter":
        assert place.stat().st_mode == before.st_mode
    assert (tmp_path / "letter").read_text().startswith("Dear professor")


def grade(desk: Any, *options: object, **how: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        desk.command("grade", "little", "class", *options, boxes=False), cwd=desk.root, capture_output=True, text=True,
        check=False, **how,
    )  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        ["--json", "/dev/full"],
        ["--json", "first.txt/below.json"],
        ["--summary", "/dev/full"],
        ["--summary", "first.txt/below.md"],
        ["--gradebook", "/dev/full"],
        ["--gradebook", "first.txt/below.sqlite"],
    ],
)
def test_a_place_that_cannot_be_written_is_one_sentence(graded, options):
    before = Path("/dev/full").stat()
    done = grade(graded, *options)
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("redink: ")
    after = Path("/dev/full").stat()
    assert (before.st_mode, before.st_ino) == (after.st_mode, after.st_ino)


def test_a_full_disk_is_one_sentence_and_what_was_there_stays(graded):
    graded.edit(
        graded.solution / "misconceptions.py", "In which unit", "Now in which unit"
    )  # everything is judged again
    done = grade(
        graded, "--json", "second.json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    )
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "gradebook" in done.stderr
    assert not list(graded.root.glob("second.json*"))
    again = grade(graded, "--json", "second.json")
    assert again.returncode == 0, again.stderr


def test_a_half_written_results_file_never_stays(graded):
    limit = 16 * 1024
    done = grade(
        graded, "--json", "second.json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not list(graded.root.glob("second.json*"))


def test_results_may_be_written_to_a_device_which_stays_a_device(graded):
    done = grade(graded, "--json", "/dev/stdout")
    assert done.returncode == 0, done.stderr
    assert '"schema": "redink/results/1"' in done.stdout
    assert not Path("/dev/stdout.part").exists()
