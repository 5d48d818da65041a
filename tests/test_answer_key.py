"""The answer key: made once and kept, in parts; it grades without solutions/, and needs no torch where answers do not."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from redink.errors import CourseError
from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import AnswerKey, decode_key, encode_key
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.grade import grade_all
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.job import BoxSettings
from redink.grader.store.gradebook import Gradebook
from redink.grader.workers.judge_process import Assess, JudgeProcess
from redink.grader.workers.workers import Workers
from redink.records import Limits, Observed
from tests.conftest import ROOT, Desk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")

LATE = """
misconception(
    "forgets_the_root",
    "scale",
    hint="Is that a length?",
    old="np.sqrt((centred * centred).mean(axis=0))",
    new="np.abs(centred).mean(axis=0)",
)
"""
DAMAGES = ("cut", "empty", "flipped", "older", "of_another_shape", "not_a_file_of_ours")


class Watched:
    """Workers that remember what they were asked to run."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self.ran: list[tuple[str, tuple[str, ...]]] = []  # the last cell's source, and the ids of the requests

    def observe(self, many: Any, limits: Limits, data: dict[str, bytes]) -> Sequence[Observed]:
        self.ran += [("\n".join(cell.source for cell in cells), tuple(one.id for one in some)) for cells, some in many]
        return self._workers.observe(many, limits, data)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, BoxSettings(torch=False)) as made:
        yield made


@pytest.fixture
def desk(graded: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A graded class whose key was kept."""
    monkeypatch.delenv("REDINK_SECRET", raising=False)
    return graded


def path_of(desk: Desk) -> Path:
    (path,) = (desk.root / ".redink" / "keys").iterdir()
    return path


def kept(desk: Desk) -> AnswerKey:
    return decode_key(path_of(desk).read_bytes(), "kept")


def made(desk: Desk, workers: Workers) -> tuple[AnswerKey, list[tuple[str, tuple[str, ...]]]]:
    """Return the key as it is now, and what had to run for it."""
    watched = Watched(workers)
    return answer_key(Course(desk.root), "little", watched.observe), watched.ran


# -- made once -------------------------------------------------------------------------------------------------------


def test_a_kept_key_grades_a_newcomer_without_a_misconception_or_a_given(little, tmp_path):
    log = tmp_path / "log"
    little.edit(little.assignment / "checks.py", "from redink.checks import check",
                "from pathlib import Path\n\nfrom redink.checks import check")  # fmt: skip
    little.edit(little.assignment / "checks.py", '    """Each column has mean 0."""\n',
                f'    """Each column has mean 0."""\n    Path({str(log)!r}).open("a").write("x")\n')  # fmt: skip
    little.hand_in("ada")
    assert little.grade("class")["ada"]["score"] == 100.0
    given, key = log.read_text(), path_of(little).read_bytes()
    assert given == "xxxx"  # two published trials and two secret ones
    little.hand_in("ben", {6: "def scale(X):\n    return 2 * X"})
    assert little.grade("class")["ben"]["score"] == 60.0
    assert log.read_text() == given
    assert path_of(little).read_bytes() == key


def test_nothing_runs_where_nothing_has_changed(desk, workers):
    before = path_of(desk).stat()
    key, ran = made(desk, workers)
    assert ran == []
    assert encode_key(key) == path_of(desk).read_bytes()
    assert path_of(desk).stat().st_mtime_ns == before.st_mtime_ns


def test_the_same_sources_give_the_same_bytes(desk, workers):
    before = path_of(desk).read_bytes()
    path_of(desk).unlink()
    key, ran = made(desk, workers)
    assert len(ran) == 4  # the reference and three misconceptions
    assert encode_key(key) == path_of(desk).read_bytes() == before


def test_the_file_is_for_its_owner_alone(desk):
    assert stat.S_IMODE(path_of(desk).stat().st_mode) == 0o600
    assert stat.S_IMODE(path_of(desk).parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path_of(desk).parents[1].stat().st_mode) == 0o700


# -- in parts --------------------------------------------------------------------------------------------------------


def test_a_changed_tolerance_remakes_the_part_of_that_check_and_runs_nothing(desk, workers):
    before = kept(desk)
    desk.edit(desk.assignment / "checks.py", "tol=1e-8", "tol=1e-7")
    after, ran = made(desk, workers)
    assert ran == []
    assert before.of_check.keys() == after.of_check.keys()
    changed = {id for id, part in after.of_check.items() if part != before.of_check[id]}
    assert changed == {"subtracts_the_mean"}
    old, new = before.of_check["subtracts_the_mean"], after.of_check["subtracts_the_mean"]
    assert old.judged_by != new.judged_by
    assert msgspec.structs.replace(new, judged_by=old.judged_by) == old


def test_a_changed_when_runs_that_check_alone(desk, workers):
    before = kept(desk)
    desk.edit(desk.solution / "hidden_checks.py", "student.scale(X), student", "student.scale(X + 0), student")
    after, ran = made(desk, workers)
    assert {id.partition("/")[0] for _, ids in ran for id in ids} == {"ignores_the_unit_of_measure"}
    changed = {id for id, part in after.of_check.items() if part != before.of_check[id]}
    assert changed == {"ignores_the_unit_of_measure"}


def test_a_new_misconception_runs_alone(desk, workers):
    before = kept(desk)
    path = desk.solution / "misconceptions.py"
    path.write_text(path.read_text(encoding="utf-8") + LATE, encoding="utf-8")
    after, ran = made(desk, workers)
    ((source, _),) = ran
    assert "np.abs(centred).mean(axis=0)" in source
    for id, part in after.of_check.items():
        rest = {name: wrong for name, wrong in part.wrong.items() if name != "forgets_the_root"}
        assert msgspec.structs.replace(part, wrong=rest) == before.of_check[id]
    assert "forgets_the_root" in after.of_check["has_unit_spread"].wrong


def test_a_changed_hint_runs_nothing_and_remakes_no_part(desk, workers):
    before = kept(desk)
    desk.edit(desk.solution / "misconceptions.py", "In which unit", "Now in which unit")
    after, ran = made(desk, workers)
    assert ran == []
    assert after.parts == before.parts
    assert after.misconceptions != before.misconceptions


def test_a_changed_reference_runs_everything(desk, workers):
    desk.edit(desk.solution / "little.py", "return X - X.mean(axis=0)", "return X - np.mean(X, axis=0)")
    desk.edit(desk.solution / "misconceptions.py", "X.mean(axis=0)", "np.mean(X, axis=0)")
    desk.edit(desk.solution / "misconceptions.py", "X.mean(axis=1, keepdims=True)", "np.mean(X, axis=1, keepdims=True)")
    assert len(made(desk, workers)[1]) == 4


# -- a damaged file --------------------------------------------------------------------------------------------------


def damaged(how: str, data: bytes) -> bytes:
    key = decode_key(data, "good")
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    return {
        "cut": data[: len(data) // 2],
        "empty": b"",
        "flipped": bytes(flipped),
        "older": encode_key(msgspec.structs.replace(key, schema="redink/answer-key/0")),
        "of_another_shape": msgspec.msgpack.encode({"version": 1}),
        "not_a_file_of_ours": b"Dear professor,\n" * 100,
    }[how]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_key_is_as_good_as_none(desk, workers, how):
    before = path_of(desk).read_bytes()
    path_of(desk).write_bytes(damaged(how, before))
    with pytest.raises(CourseError, match="kept"):
        kept(desk)
    _, ran = made(desk, workers)
    assert len(ran) == 4
    assert path_of(desk).read_bytes() == before


def test_grading_with_a_damaged_key_reuses_every_grade(desk):
    path_of(desk).write_bytes(b"\0" * 1000)
    done = desk.redink("grade", "little", "class")
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 new, 26 reused" in done.stdout


# -- without solutions/ ----------------------------------------------------------------------------------------------


def timeless(results: Any) -> list[Any]:
    kept = json.loads(json.dumps(results))
    for result in kept:
        for name in ("cpu_seconds", "wall_seconds", "box"):
            del result[name]
        for cell in result["cells"]:
            del cell["cpu_seconds"]
    return sorted(kept, key=lambda one: str(one["submission"]["id"]))


def test_a_key_grades_without_the_assignment_and_its_solutions(desk, workers, results):
    key = kept(desk)
    for name in ("assignments", "solutions", ".redink"):
        shutil.rmtree(desk.root / name)
    slow = ("endless_cell", "endless_function")
    found = [one for one in collect("little", desk.root / "class").found if one.id not in slow]
    with Gradebook(None, key.secret) as book:
        graded = [one.result for one in grade_all(key, found, book, workers)]
    expected = [one for name, one in results.items() if name not in slow]
    assert timeless(json.loads(msgspec.json.encode(graded))) == timeless(expected)


# -- torch only where it is needed -----------------------------------------------------------------------------------


def has_torch(pid: int) -> bool:
    return "libtorch" in Path(f"/proc/{pid}/maps").read_text()


def judge_one(key: AnswerKey, notebook: bytes, seen: dict[str, bytes]) -> tuple[float, bool]:
    """Have a fresh judge assess one submission; return the score, and whether it had to load torch."""
    judge = JudgeProcess(encode_key(key))
    try:
        sources = judge.read(notebook).sources
        digests = {check: digest(content) for check, content in seen.items()}
        assessed = judge.assess(Assess(sources=sources, cells=(), digests=digests, contents=seen))
        return assessed.assessment.score, has_torch(judge.pid)
    finally:
        judge.close()


def test_the_coordinator_of_a_plain_assignment_imports_neither_torch_nor_numpy_with_a_kept_key(desk):
    desk.hand_in("newcomer", {6: "def scale(X):\n    return 3 * X"})
    work = "import sys; from redink_cli.app import main\ntry:\n    main()\nfinally:\n"
    work += "    print('LOADED', *{'torch', 'numpy'} & set(sys.modules))"
    command = [sys.executable, "-c", work, "grade", "little", "class", "--jobs", "1"]
    done = subprocess.run(command, cwd=desk.root, capture_output=True, text=True, check=True)
    assert "1 new, 26 reused" in done.stdout
    assert done.stdout.splitlines()[-1] == "LOADED"


def contents(desk: Desk, student: str) -> dict[str, bytes]:
    with Gradebook(desk.book, Course(desk.root).secret_name()) as book:
        graded = book.graded(desk.slug, student)
        assert graded is not None
        return {one.check: book.content(one.run, one.check) for one in book.stored(graded.submission)}


def test_the_judge_of_a_plain_assignment_imports_no_torch(desk):
    notebook = (desk.root / "class/believes_in_rows/little.ipynb").read_bytes()
    assert judge_one(kept(desk), notebook, contents(desk, "believes_in_rows")) == (60.0, False)


@pytest.mark.slow
def test_the_judge_of_a_torch_assignment_imports_torch_only_where_an_answer_needs_it(tmp_path, monkeypatch):
    monkeypatch.delenv("REDINK_SECRET", raising=False)
    for part in ("assignments", "solutions"):
        shutil.copytree(ROOT / part / "cnn", tmp_path / part / "cnn")
    desk = Desk(tmp_path, "cnn")
    assert desk.redink("build", "cnn", "--solved", "class").returncode == 0
    assert desk.grade("class", "--jobs", 2)["class"]["score"] == 100.0
    (notebook,) = (tmp_path / "class").glob("**/*.ipynb")
    score, loaded = judge_one(kept(desk), notebook.read_bytes(), contents(desk, "class"))
    assert (score, loaded) == (100.0, False)
