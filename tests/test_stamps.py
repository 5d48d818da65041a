"""The stamps name all code that an observation or a judgement rests on: what is loaded is counted, and an edit shows."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import venv
import zlib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
import pytest

import redink
import redink_datasets
from redink import wire
from redink.grader import digests
from redink.grader.evidence.packing import pack_sources
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.environment import clean_environment
from redink.grader.workers.judge_process import Assess, Read
from redink.notebook import read_cells
from redink.records import Cell, CellRun, Limits, Request
from tests.conftest import CENTRE, ROOT, SCALE, Desk
from tests.in_the_gradebook import contents_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")

LIBRARIES = ("numpy", "torch", "msgspec", "ipython", "matplotlib")
STUDENTS: dict[str, dict[int, str]] = {
    "ada": {},
    "ben": {CENTRE: "def centre(X):\n    return X - X.mean(axis=1, keepdims=True)"},
    "cyd": {SCALE: "def scale(X):\n    return 2 * X"},
}
CARRIERS = {  # modules that a verdict passes through as bytes, and which cannot change it
    "grader/__init__.py": "empty",
    "grader/answer_key/__init__.py": "empty",
    "grader/evidence/__init__.py": "empty",
    "grader/pipeline/__init__.py": "empty",
    "grader/workers/__init__.py": "empty",
    "grader/workers/judge_process.py": "the socket between worker and judge",
    "grader/workers/judging.py": "the loop around `assess`",
    "grader/workers/forking_judges.py": "forks, and looks at nothing",
    "grader/workers/judge_template.py": "starts a process",
    "grader/private.py": "keeps memory private",
    "box/scratch.py": "makes and removes folders",
    "grader/sandbox/pidfds.py": "waits for processes",
    "grader/sandbox/__init__.py": "empty",
    "box/__init__.py": "empty",
    "box/walls/__init__.py": "empty",
    "box/walls/kernel.py": "calls the kernel",
    "grader/sockets.py": "connects",
    "grader/evidence/packing.py": "writes and reads bytes; other bytes have other digests",
    "grader/starting.py": "starts processes, and looks at nothing",
    "assignment/__init__.py": "empty",
}
OF_THE_WORKER = CARRIERS | {
    "grader/pipeline/job.py": "records",
    "grader/workers/worker.py": "drives the box and the judge, and looks at nothing",
}
OF_THE_MAKER = OF_THE_WORKER | {
    "grader/course.py": "finds folders and the secret, whose fingerprint is in the key",
    "grader/rules/__init__.py": "only says what the folder is for",
    "grader/rules/course_rules.py": "a course's rules, of which a notebook tells, and a key holds nothing",
    "grader/rules/wrong_keys.py": "says what is wrong with these",
}

# Modules of ours have left `sys.modules` where this runs, but their functions are alive, and so are their globals.
LOOK_AROUND = """
import gc, sys
gc.unfreeze()
alive = [one for one in gc.get_objects() if type(one) is dict and type(one.get("__file__")) is str]
files = sorted({one["__file__"] for one in alive})
libraries = sorted({name.partition(".")[0] for name in sys.modules})
"""
LOADED = """
import json, sys
{work}
print(json.dumps([one.__file__ for one in list(sys.modules.values()) if getattr(one, "__file__", None)]))
"""


RUN_OF = """
SELECT runs.id, cells FROM runs JOIN submissions ON submissions.id = submission JOIN students ON students.id = student
WHERE students.name = ?
"""


def loaded(work: str, *arguments: object) -> list[Path]:
    """List the files of ours that a fresh interpreter has loaded after some work."""
    command = [sys.executable, "-c", LOADED.format(work=work), *map(str, arguments)]
    environment = clean_environment(Path(tempfile.gettempdir()))  # warming up wants one thread
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", env=environment)
    assert done.returncode == 0, done.stderr
    return ours(json.loads(done.stdout))


def ours(files: Iterable[str]) -> list[Path]:
    folders = [Path(one) for package in (redink, redink_datasets) for one in package.__path__]
    return [Path(one) for one in files if any(Path(one).is_relative_to(folder) for folder in folders)]


def uncounted(files: Iterable[Path], counted: Iterable[Path], excused: Iterable[str] = ()) -> list[str]:
    """Name the files that are neither counted nor excused."""
    root = Path(redink.__path__[0])
    known = {*counted, *(root / name for name in excused)}
    return sorted(str(one) for one in files if one not in known)


# -- what is loaded is counted ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def seen_from_inside() -> dict[str, list[str]]:
    """What a child of a real warm process has around it."""
    cells = [Cell(index=1, source=LOOK_AROUND), Cell(index=2, source="import redink_datasets")]
    when = "def when(student):\n    return dict(files=student.files, libraries=student.libraries)\n"
    with Zygote(torch=False) as zygote:
        seen = zygote.observe(cells, [Request(id="look", when=when, inputs=wire.encode({}))], Limits())
    assert [cell.status for cell in seen.cells] == ["ok", "ok"], seen.cells
    found: dict[str, list[str]] = wire.decode(seen.observations["look"].value)
    return found


def test_every_file_around_a_submission_is_in_the_stamp_of_the_box(seen_from_inside):
    files = ours(seen_from_inside["files"])
    names = {one.name for one in files}
    assert {"__main__.py", "template.py", "zygote.py", "child.py", "cells.py", "raising.py"} <= names
    assert uncounted(files, digests.box_files()) == []


def test_the_same_modules_imported_afresh_are_in_the_stamp_of_the_box(tmp_path):
    work = """
from redink.box import template, runner
from redink.box.shell.warming import warm_up
warm_up(sys.argv[1], with_torch=False)
import redink_datasets
"""
    files = loaded(work, tmp_path)
    assert len(files) > 30
    assert uncounted(files, digests.box_files()) == []


def test_the_libraries_around_a_submission_are_in_the_stamp_of_the_box(seen_from_inside):
    assert {"numpy", "msgspec", "IPython", "matplotlib"} <= set(seen_from_inside["libraries"])


@pytest.mark.parametrize("library", LIBRARIES)
def test_another_version_of_a_library_is_another_stamp(library, monkeypatch):
    real, before = metadata.version, digests.box_stamp.__wrapped__()
    monkeypatch.setattr(metadata, "version", lambda name: "99" if name.lower() == library else real(name))
    assert digests.box_stamp.__wrapped__() != before


@pytest.mark.parametrize("stamp", [digests.box_stamp, digests.judging_stamp, digests.given_stamp])
def test_another_python_is_another_stamp(stamp, monkeypatch):
    before = stamp.__wrapped__()
    monkeypatch.setattr(digests.platform, "python_version", lambda: "3.99.0")
    assert stamp.__wrapped__() != before


def test_every_file_of_a_worker_that_can_change_an_observation_is_in_the_stamp_of_the_box():
    files = loaded("import redink.grader.workers.worker")
    counted = [*digests.box_files(), *digests.judging_files()]
    assert uncounted(files, counted, OF_THE_WORKER) == []
    observing = [one for one in files if one.parent.name == "sandbox" and one.stem != "__init__"]
    assert observing
    assert uncounted(observing, digests.box_files()) == []


def test_every_file_that_can_change_a_verdict_is_in_the_stamp_of_the_judge(small_course, tmp_path):
    orders = tmp_path / "orders"
    orders.write_bytes(msgspec.msgpack.encode(list(_orders(small_course))))
    (key,) = (small_course / ".redink" / "keys").iterdir()
    work = """
import msgspec, pathlib
from redink.grader.workers import forking_judges, judging
from redink.grader.workers.judge_process import Assessed, read_order
judge = judging.Judge(None, forking_judges._opened(pathlib.Path(sys.argv[2]).read_bytes()))
answers = [judge.answer(read_order(one)) for one in msgspec.msgpack.decode(pathlib.Path(sys.argv[1]).read_bytes())]
scores = [one.assessment.score for one in answers if isinstance(one, Assessed)]
assert len(scores) == 3 and scores[0] == 100 and max(scores[1:]) < 100, scores
"""
    files = loaded(work, orders, key)
    assert {"mistakes.py", "diagnosing.py", "comparing.py"} <= {one.name for one in files}
    assert uncounted(files, digests.judging_files(), CARRIERS) == []


def _orders(course: Path) -> Iterable[bytes]:
    """Write what a judge is asked for the class of the small course."""
    for student in STUDENTS:
        notebook = (course / "class" / student / "little.ipynb").read_bytes()
        sources = pack_sources(read_cells(notebook))
        yield msgspec.msgpack.encode(Read(notebook=notebook))
        with sqlite3.connect(course / ".redink" / "gradebook.sqlite") as db:
            ((run, cells),) = db.execute(RUN_OF, (student,)).fetchall()
            contents = contents_of(db, run)
        runs = msgspec.msgpack.decode(zlib.decompress(cells), type=tuple[CellRun, ...])
        seen = {check: digests.digest(content) for check, content in contents.items()}
        yield msgspec.msgpack.encode(Assess(sources=sources, cells=runs, digests=seen, contents=contents))


def test_every_file_that_makes_an_answer_key_is_in_its_stamp():
    files = loaded("import redink.grader.answer_key.keep, redink.grader.answer_key.make")
    assert uncounted(files, digests.making_files(), OF_THE_MAKER) == []


def test_everything_that_an_author_may_import_is_in_the_stamp_of_the_inputs():
    files = loaded("import redink.checks, redink.checks.stand_ins, redink.checks.seeds, redink_datasets")
    assert uncounted(files, digests.given_files()) == []


@pytest.mark.parametrize("files", [digests.box_files, digests.judging_files, digests.given_files, digests.making_files])
def test_every_file_that_is_named_exists(files):
    assert [path for path in files() if not path.is_file()] == []


# -- by one character ------------------------------------------------------------------------------------------------


class House:
    """A copy of our own code, run by an interpreter that knows no other, and a course that was graded once."""

    def __init__(self, folder: Path, course: Path) -> None:
        shutil.copytree(course, folder / "course", symlinks=True)
        self.desk = Desk(folder / "course", "little")
        self.code = folder / "code"
        for name in ("autograder", "cli", "datasets"):
            shutil.copytree(ROOT / name, self.code / name, ignore=shutil.ignore_patterns("__pycache__"))
        venv.create(folder / "venv", symlinks=True)
        self.python = folder / "venv" / "bin" / "python"
        (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
        paths = [*(self.code / name for name in ("autograder", "cli", "datasets")), *_site_packages()]
        (packages / "here.pth").write_text("\n".join(map(str, paths)), encoding="utf-8")

    def edit(self, name: str) -> None:
        """Add one character that means nothing."""
        path = self.code / name
        path.write_text(path.read_text(encoding="utf-8") + "#", encoding="utf-8")

    def redink(self, *arguments: str, boxes: bool = True) -> str:
        """Run a command by the copied code; return what it said."""
        command = [str(self.python), *self.desk.command(*arguments, boxes=boxes)[1:]]
        done = subprocess.run(command, cwd=self.desk.root, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, what: str) -> set[Any]:
        with sqlite3.connect(self.desk.book) as db:
            return set(db.execute(f"SELECT {what}"))

    def grades(self) -> set[Any]:
        return self.rows("student, score FROM grades")


def _site_packages() -> list[str]:
    return [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]


@pytest.fixture(scope="session")
def small_course(shared: Any, little_course: Path) -> Path:
    """The little course with a class of three, graded once."""

    def fill(root: Path) -> None:
        shutil.copytree(little_course, root, dirs_exist_ok=True)
        desk = Desk(root, "little")
        for name, changes in STUDENTS.items():
            desk.hand_in(name, changes)
        desk.grade("class")

    return shared("small", fill)


@pytest.fixture
def house(small_course: Path, tmp_path: Path) -> House:
    return House(tmp_path, small_course)


def test_a_copy_of_our_code_is_the_same_code_wherever_it_is(house):
    where = "import redink, redink_datasets; print(redink.__file__, redink_datasets.__file__)"
    told = subprocess.run([house.python, "-c", where], capture_output=True, text=True, check=True).stdout.split()
    assert all(Path(one).is_relative_to(house.code) for one in told)
    assert "0 new, 3 reused" in house.redink("grade", "little", "class", boxes=False)


@pytest.mark.parametrize(
    "name",
    [
        "autograder/redink/box/shell/output.py",
        "autograder/redink/grader/sandbox/session.py",
        "autograder/redink/wire/decoding.py",
        "datasets/redink_datasets/__init__.py",
    ],
)
def test_what_runs_beside_a_submission_is_edited_and_everybody_is_observed_again(house, name):
    runs, grades = house.rows("id FROM runs"), house.grades()
    house.edit(name)
    said = house.redink("rejudge", "little", boxes=False)
    assert "3 re-judged, 0 would change" in said
    assert "3 of them were observed under older code or libraries" in said
    assert house.rows("id FROM runs") == runs
    assert "3 graded" in house.redink("grade", "little", "class")
    assert len(house.rows("id FROM runs") - runs) == 3
    assert len(house.rows("DISTINCT stamp FROM runs")) == 2
    assert house.grades() == grades
    assert "older" not in house.redink("rejudge", "little", boxes=False)


@pytest.mark.parametrize(
    "name",
    [
        "autograder/redink/judging/feedback.py",
        "autograder/redink/checks/comparing.py",
        "autograder/redink/grader/pipeline/assess.py",
        "autograder/redink/notebook.py",
    ],
)
def test_a_rule_of_judging_is_edited_and_everybody_is_judged_again_without_a_box(house, name):
    runs, judgements, grades = house.rows("id FROM runs"), house.rows("key FROM judgements"), house.grades()
    keys = house.rows("answer_key FROM results")
    house.edit(name)
    assert "3 re-judged, 0 changed; applied" in house.redink("rejudge", "little", "--apply", boxes=False)
    assert house.rows("id FROM runs") == runs
    assert len(house.rows("key FROM judgements") - judgements) == len(judgements)
    assert len(house.rows("answer_key FROM results") - keys) == 1
    assert house.grades() == grades
    assert "0 new, 3 reused" in house.redink("grade", "little", "class", boxes=False)


def test_grading_after_a_rule_of_judging_was_edited_observes_nobody(house):
    runs, judgements, grades = house.rows("id FROM runs"), house.rows("key FROM judgements"), house.grades()
    house.edit("autograder/redink/judging/verdicts.py")
    assert "3 graded" in house.redink("grade", "little", "class")
    assert house.rows("id FROM runs") == runs
    assert len(house.rows("key FROM judgements") - judgements) == len(judgements)
    assert house.grades() == grades


def test_what_nothing_rests_on_is_edited_and_everything_is_reused(house):
    for name in ("cli/redink_cli/tables.py", "autograder/redink/grader/pages/summary.py",
                 "autograder/redink/grader/sandbox/doctor.py", "autograder/redink/student/card.py",
                 "autograder/redink/grader/author/verify.py"):  # fmt: skip
        house.edit(name)
    assert "0 new, 3 reused" in house.redink("grade", "little", "class", boxes=False)


# -- only what must is done again ------------------------------------------------------------------------------------


def test_a_changed_then_judges_that_check_alone(small_course, tmp_path):
    house = House(tmp_path, small_course)
    before, runs = house.rows("key FROM judgements"), house.rows("id FROM runs")
    checks = house.desk.assignment / "checks.py"
    checks.write_text(
        checks.read_text(encoding="utf-8") + "\n\n@subtracts_the_mean.then\ndef _(seen, expected):\n"
        "    return bool(abs(seen - expected).max() < 1e-6)\n",
        encoding="utf-8",
    )
    answers = house.rows("DISTINCT digest FROM observations WHERE check_id = 'subtracts_the_mean'")
    assert "3 re-judged, 0 would change" in house.redink("rejudge", "little", boxes=False)
    assert len(house.rows("key FROM judgements") - before) == len(answers) == 2  # ada and cyd answer the same
    assert house.rows("id FROM runs") == runs


def test_a_stand_in_that_makes_inputs_is_edited_and_the_inputs_are_made_again(house):
    check = house.desk.assignment / "checks.py"
    text = check.read_text(encoding="utf-8").replace(
        "from redink.checks import check",
        "from redink.checks import check\nfrom redink.checks.stand_ins import numbers",
    )
    check.write_text(text.replace("X=rng.normal(size=(2, 3) if trial == 0 else (6, 4))", "X=made(rng)") + MADE)
    house.redink("grade", "little", "class")
    before = house.rows("digest FROM observations WHERE check_id = 'subtracts_the_mean'")
    stand_ins = house.code / "autograder/redink/checks/stand_ins.py"
    stand_ins.write_text(stand_ins.read_text(encoding="utf-8") + DOUBLED, encoding="utf-8")
    house.redink("grade", "little", "class")
    after = house.rows("digest FROM observations WHERE check_id = 'subtracts_the_mean'")
    assert len(after - before) == 2


MADE = """

def made(rng):
    return numbers(rng, 1, 3, 4)
"""
DOUBLED = """

_before = numbers


def numbers(*given, **more):
    return 2 * _before(*given, **more)
"""
