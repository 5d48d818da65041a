"""A class graded in shares, on machines that have neither course nor gradebook, is the class graded at once."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import msgspec

from redink.grader.course import Course
from redink.grader.sealing.identity import new_identity
from redink.grader.sharding.merge import merge
from redink.grader.store.gradebook import Gradebook
from tests.conftest import SCALE, Desk, read_results
from tests.packed_class import STUDENTS, exported


def files(shards: Path) -> list[Path]:
    return [shards / str(number) / f"class.{number}-of-3.shard" for number in (1, 2, 3)]


def apart_from_times(path: Path) -> dict[str, Any]:
    found = read_results(path)
    for one in found.values():
        del one["cpu_seconds"], one["wall_seconds"]
        for cell in one["cells"]:
            del cell["cpu_seconds"]
    return found


def results_kept(desk: Desk) -> int:
    course = Course(desk.root)
    with Gradebook(desk.book, course.secret_name()) as book:
        return book.rejudgings.next_result() - 1


def test_three_shards_merged_in_any_order_and_twice_are_one_run(shards, packed_class, tmp_path):
    for order in itertools.permutations(files(shards)):
        desk = Desk(tmp_path / "again", "little")
        shutil.rmtree(desk.root, ignore_errors=True)
        shutil.copytree(packed_class.desk.root, desk.root, symlinks=True)
        course = Course(desk.root)
        for file in order[:2]:
            merge(course, [file])
        assert [merge(course, order).reused for _ in range(2)] == [4, 6]
        assert results_kept(desk) == len(STUDENTS)
        merged = msgspec.json.encode(merge(course, order[:1]).file())
        (desk.root / "merged.json").write_bytes(merged)
        kept = apart_from_times(desk.root / "merged.json")
        assert kept == apart_from_times(shards / "at_once/out.json")
    assert exported(desk) == (shards / "grades.csv").read_text()


def test_a_merged_class_is_a_graded_one_also_for_what_comes_later(shards, packed_class):
    assert packed_class.merge(*files(shards)).returncode == 0
    done = packed_class.desk.redink("grade", "little", boxes=False)
    assert done.returncode == 0, done.stderr
    assert "0 new, 6 reused" in done.stdout
    done = packed_class.desk.redink("rejudge", "little", boxes=False)
    assert done.returncode == 0, done.stderr


def test_no_name_leaves_the_course_and_nothing_of_the_class_can_be_read_without_the_identity(
    shards, packed_class, tmp_path
):
    for file in (packed_class.job, *files(shards)):
        data = file.read_bytes()
        assert file.stat().st_mode & 0o077 == 0
        assert not [name for name in STUDENTS if name.encode() in data]
    assert b"ignores_a_common_shift" not in packed_class.job.read_bytes()
    new_identity(tmp_path / "another")
    done = packed_class._replace(identity=tmp_path / "another").share("1/1", tmp_path / "elsewhere")
    assert done.returncode == 1
    assert "this identity does not open" in done.stderr


def test_whoever_handed_in_again_meanwhile_keeps_both_attempts(shards, packed_class):
    packed_class.desk.hand_in("ada_right", {SCALE: "def scale(X):\n    return X"}, folder="later")
    assert packed_class.desk.redink("collect", "little", "later").returncode == 0
    done = packed_class.merge(*files(shards))
    assert done.returncode == 0, done.stderr
    assert "without a result in these files: ada_right" in done.stdout
    assert results_kept(packed_class.desk) == len(STUDENTS)


def test_one_shard_alone_is_merged_and_says_who_is_missing(shards, packed_class):
    done = packed_class.merge(files(shards)[0])
    assert done.returncode == 0, done.stderr
    assert "without a result in these files" in done.stdout
    assert results_kept(packed_class.desk) == 2


def test_a_shard_that_was_interrupted_goes_on_and_merges_like_one_that_was_not(shards, packed_class, tmp_path):
    whole = files(shards)[0].read_bytes()
    cut = tmp_path / "class.1-of-3.shard"
    cut.write_bytes(whole[:-1])
    done = packed_class.merge(cut)
    assert done.returncode == 1
    assert "is cut off, with 1 of 2 submissions" in done.stderr
    done = packed_class.share("1/3", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 submissions, 1 reused" in done.stdout
    merge(Course(packed_class.desk.root), [cut, *files(shards)[1:]])
    assert exported(packed_class.desk) == (shards / "grades.csv").read_text()


def test_a_share_that_is_graded_again_runs_nobody(shards, packed_class, tmp_path):
    shutil.copy(files(shards)[0], tmp_path)
    done = packed_class.share("1/3", tmp_path, boxes=False)
    assert done.returncode == 0, done.stderr
    assert "2 submissions, 2 reused" in done.stdout
    assert (tmp_path / files(shards)[0].name).read_bytes() == files(shards)[0].read_bytes()
