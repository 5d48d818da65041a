"""Shards and packed classes come from other machines: what is cut off, changed, foreign or forged is told and not merged."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from redink.errors import CourseError
from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import encode_key
from redink.grader.course import Course
from redink.grader.digests import digest, versions
from redink.grader.pipeline.collect import collected_before
from redink.grader.pipeline.job import BoxSettings, Done
from redink.grader.pipeline.load import load
from redink.grader.sealing.age import new_pair
from redink.grader.sharding import shard_file
from redink.grader.sharding.bonds import pseudonym, sealing_secret
from redink.grader.sharding.job_file import MAGIC, PackedClass
from redink.grader.sharding.merge import merge
from redink.grader.sharding.pack import PackedReceipt, pack
from redink.grader.sharding.shard_file import ShardHead, ShardWriter, read_shard
from redink.grader.sharding.share import Share, read_share
from redink.grader.store.collected import HandIn
from redink.grader.store.gradebook import Gradebook
from redink.grader.workers.workers import Workers
from redink.records import Assessment, SubmissionId
from tests.conftest import Desk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")
JOB = "5" * 32


@pytest.fixture
def course(graded: Any) -> Course:
    """A course whose answer key is kept, with a gradebook of its own in which two students handed in."""
    graded.book.unlink()
    course = Course(graded.root)
    with Gradebook(graded.book, course.secret_name()) as book:
        for student in ("ada", "ben"):
            data = student.encode()
            book.collected.keep(
                "little", HandIn(student=student, file="little.ipynb", sha256=sha256(data), source="path"), data
            )
    return course


def sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def kept_key(course: Course) -> Any:
    return answer_key(course, "little", Workers(1, BoxSettings(torch=False)).observe)


def head(course: Course, **changes: Any) -> ShardHead:
    key = kept_key(course)
    made = ShardHead(
        versions=versions(), job=JOB, assignment="little", secret=key.secret, answer_key=digest(encode_key(key)),
        number=1, of=1, submissions=1,
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def write(course: Course, path: Path, points: dict[str, float | None], **changes: Any) -> Path:
    """Write a shard in which students have so many points, or no grade."""
    one = head(course, **{"submissions": len(points), **changes})
    with ShardWriter(path, one, sealing_secret(course.secret(), JOB)) as shard:
        for student, score in points.items():
            assessment = Assessment(score=score or 0.0, questions=(), bases={}, mistakes={})
            done = (
                Done(assessment=assessment) if score is not None else Done(state="internal_error", reason="a box fell")
            )
            name = SubmissionId(id=student, file="little.ipynb", sha256=sha256(student.encode()))
            shard.add(pseudonym(course.secret(), "little", name), done)
    return path


def scores(course: Course) -> dict[str, float]:
    with Gradebook(course.gradebook_path(), course.secret_name()) as book:
        return {one.result.submission.id: one.result.score for one in book.all_graded("little")}


def test_shards_that_disagree_are_told_and_neither_is_believed_in_any_order(course, tmp_path):
    one = write(course, tmp_path / "one.shard", {"ada": 40.0, "ben": 10.0})
    other = write(course, tmp_path / "other.shard", {"ada": 60.0, "ben": 10.0})
    for files in ([one, other], [other, one]):
        (of_ada,) = [result for result in merge(course, files).results if result.submission.id == "ada"]
        assert of_ada.state == "internal_error"
        assert of_ada.reason == (
            "shards disagree (40 points by one.shard and 60 points by other.shard): grade it here, and look at both"
        )
        assert scores(course) == {"ben": 10.0}


def test_a_grade_that_stands_in_the_gradebook_stays_and_the_shard_that_disagrees_is_told(course, tmp_path):
    merge(course, [write(course, tmp_path / "one.shard", {"ada": 40.0})])
    told = merge(course, [write(course, tmp_path / "other.shard", {"ada": 60.0})]).told
    assert any("ada has 40 points, which stay" in line and "other.shard says 60" in line for line in told)
    assert scores(course) == {"ada": 40.0}


def test_a_result_is_believed_before_a_failure_of_ours_and_a_failure_is_no_zero(course, tmp_path):
    failed = write(course, tmp_path / "failed.shard", {"ada": None, "ben": None})
    right = write(course, tmp_path / "right.shard", {"ada": 40.0})
    states = {one.submission.id: one.state for one in merge(course, [failed, right]).results}
    assert states == {"ada": "graded", "ben": "internal_error"}
    assert scores(course) == {"ada": 40.0}


def test_results_of_nobody_are_counted_and_written_for_nobody(course, tmp_path):
    told = merge(course, [write(course, tmp_path / "one.shard", {"ada": 40.0, "a stranger": 100.0})]).told
    assert any(line.startswith("1 results belong to nobody") for line in told)
    assert scores(course) == {"ada": 40.0}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"secret": "0123456789ab"}, "was graded under another course secret (0123456789ab)"),
        ({"versions": "Redink 0.0.9"}, "was made by Redink 0.0.9, and here is Redink "),
        ({"answer_key": "0" * 64}, "was graded by another version of little"),
        ({"submissions": 2}, "is unfinished, with 1 of 2 submissions"),
        ({"job": "another"}, "not all of it was written by a grader of this class"),
    ],
)
def test_a_shard_of_another_secret_version_or_class_is_refused(course, tmp_path, changes, told):
    file = write(course, tmp_path / "one.shard", {"ada": 100.0}, **changes)
    with pytest.raises(CourseError) as refused:
        merge(course, [file])
    assert told in str(refused.value)
    assert str(file) in str(refused.value)
    assert scores(course) == {}


@pytest.mark.parametrize("field", ["versions", "secret", "assignment", "job", "a new field"])
def test_nothing_that_a_shard_says_of_itself_is_obeyed_by_a_terminal(course, tmp_path, field):
    evil = "\x1b]0;owned\x07\x1b[2J\u202e" + "A" * 30_000
    told = msgspec.msgpack.encode({**msgspec.to_builtins(head(course)), field: evil})
    file = tmp_path / "one.shard"
    file.write_bytes(shard_file.MAGIC + struct.pack("<Q", len(told)) + told)
    done = Desk(course.root, "little").redink("merge", str(file))
    assert done.returncode == 1
    assert done.stderr.replace("\n", "").isprintable() and len(done.stderr) < 21_000


def test_any_changed_byte_of_a_shard_is_refused_in_a_sentence(course, tmp_path):
    whole = write(course, tmp_path / "whole.shard", {"ada": 40.0}).read_bytes()
    file = tmp_path / "changed.shard"
    for place in range(0, len(whole), 7):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x40]) + whole[place + 1 :])
        with pytest.raises(CourseError, match=r"changed\.shard"):
            merge(course, [file])
    assert scores(course) == {}


def test_a_length_is_checked_before_anything_is_read(course, tmp_path):
    file = write(course, tmp_path / "one.shard", {"ada": 40.0})
    file.write_bytes(file.read_bytes() + (1 << 60).to_bytes(8, "little") + b"x" * 100)
    with pytest.raises(CourseError, match="claims 1152921504606846976 bytes"):
        merge(course, [file])


def test_whoever_could_not_open_the_packed_class_cannot_write_a_result(course, tmp_path):
    file = tmp_path / "forged.shard"
    with ShardWriter(file, head(course), b"a guess") as shard:
        name = SubmissionId(id="ada", file="little.ipynb", sha256=sha256(b"ada"))
        shard.add(pseudonym(course.secret(), "little", name), Done(assessment=Assessment(100.0, (), {}, {})))  # type: ignore[call-arg]
    with pytest.raises(CourseError, match="not all of it was written by a grader of this class"):
        merge(course, [file])


def test_one_share_is_written_by_one_process(course, tmp_path):
    path, secret = tmp_path / "one.shard", sealing_secret(course.secret(), JOB)
    with ShardWriter(path, head(course), secret), pytest.raises(CourseError, match="another process is writing"):
        ShardWriter(path, head(course), secret)
    with pytest.raises(CourseError, match="is a shard of something else"):
        ShardWriter(path, head(course, number=1, of=2), secret)


@pytest.fixture
def packed(course: Course, tmp_path: Path) -> tuple[Path, PackedReceipt, str]:
    identity, recipient = new_pair()
    file = tmp_path / "class.job"
    made = pack(course, "little", file, [recipient], workers=Workers(1, BoxSettings(torch=False)))
    return file, made, identity


def test_a_packed_class_is_opened_whole_or_not_at_all(packed, tmp_path):
    file, made, identity = packed
    whole = file.read_bytes()
    with PackedClass(file, made.sha256, [identity]) as opened:
        assert [job.notebook for _, job in opened.jobs(opened.contents.submissions)] == [b"ada", b"ben"]
    changed = tmp_path / "changed.job"
    for data, told in (
        (b"", "is no packed class"),
        (whole[:-1], "is cut off"),
        (whole[: len(whole) // 2], "is cut off"),
        (MAGIC + whole[-56:], "is damaged"),
        (whole[:-56] + (1 << 50).to_bytes(8, "little") + whole[-48:], "is damaged: it claims"),
        (whole[:-200] + b"x" + whole[-199:], "is damaged: its contents were changed"),
    ):
        changed.write_bytes(data)
        with pytest.raises(CourseError, match=told):
            PackedClass(changed, made.sha256, [identity])
    with pytest.raises(CourseError, match="is not the packed class that was pinned"):
        PackedClass(file, "0" * 64, [identity])
    place = opened.contents.submissions[0].offset + 200
    changed.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    with PackedClass(changed, made.sha256, [identity]) as opened, pytest.raises(CourseError, match="was changed"):
        list(opened.jobs(opened.contents.submissions))


def test_packing_writes_nothing_into_the_gradebook(packed, course):
    with Gradebook(course.gradebook_path(), course.secret_name()) as book:
        assert book.rejudgings.next_result() == 1
        assert [load(one).data for one in collected_before(book, "little", False)] == [b"ada", b"ben"]


SLURM = {f"SLURM_ARRAY_TASK_{name}": value for name, value in
         {"ID": "7", "MIN": "5", "MAX": "8", "COUNT": "4", "STEP": "1"}.items()}  # fmt: skip


@pytest.mark.parametrize(
    ("told", "environment", "share"),
    [
        ("2/5", SLURM, (2, 5)),
        ("auto", SLURM, (3, 4)),
        ("auto", SLURM | {"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "3"}, (1, 4)),
        ("auto", SLURM | {"SLURM_ARRAY_TASK_ID": "20", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "30",
                          "SLURM_ARRAY_TASK_STEP": "10"}, (3, 4)),
        ("auto", {"JOB_COMPLETION_INDEX": "0", "REDINK_SHARDS": "8"}, (1, 8)),
        ("auto", {"CI_NODE_INDEX": "8", "CI_NODE_TOTAL": "8"}, (8, 8)),
    ],
)  # fmt: skip
def test_a_share_is_said_or_told_by_a_scheduler(told, environment, share):
    assert read_share(told, environment) == Share(*share)


@pytest.mark.parametrize(
    ("told", "environment", "why"),
    [
        ("auto", {}, "finds no array of jobs here"),
        ("auto", SLURM | {"CI_NODE_INDEX": "1"}, "finds SLURM_ARRAY_TASK_ID and CI_NODE_INDEX"),
        ("auto", SLURM | {"SLURM_ARRAY_TASK_COUNT": "3"}, "the array of jobs has gaps"),
        ("auto", {"JOB_COMPLETION_INDEX": "0"}, "needs REDINK_SHARDS, a number"),
        ("auto", {"JOB_COMPLETION_INDEX": "8", "REDINK_SHARDS": "8"}, "says share 9 of 8"),
        ("auto", {"CI_NODE_INDEX": "one", "CI_NODE_TOTAL": "8"}, "it is 'one'"),
        ("0/3", {}, "says share 0 of 3"),
        ("4/3", {}, "says share 4 of 3"),
        ("3", {}, "is no share: write I/N"),
    ],
)
def test_a_share_that_is_not_clear_is_refused(told, environment, why):
    with pytest.raises(CourseError, match=why):
        read_share(told, environment)


def test_shares_are_the_whole_class_and_nobody_twice():
    for of in range(1, 9):
        taken = [one for number in range(1, of + 1) for one in Share(number, of).take(range(20))]
        assert sorted(taken) == list(range(20))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--from", "class.job"), "needs --shard I/N"),
        (("--from", "class.job", "--shard", "1/1"), "--job-sha256"),
        ((), "name the assignment, or a packed class"),
        (("--from", "class.job", "--shard", "1/1", "--job-sha256", "0", "--json", "x"), "--json says nothing"),
        (("little", "--shard", "1/2"), "--shard is for a packed class"),
    ],
)
def test_the_command_says_what_is_missing(arguments, told):
    command = [sys.executable, "-m", "redink_cli", "grade", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, check=False)
    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())


def test_a_shard_is_read_without_keeping_its_results(course, tmp_path):
    file = write(course, tmp_path / "one.shard", {"ada": 40.0})
    shard = read_shard(file, lambda head: sealing_secret(course.secret(), head.job))
    assert {(one.state, one.score) for one in shard.results.values()} == {("graded", 40.0)}
