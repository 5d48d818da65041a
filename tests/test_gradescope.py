"""Gradescope's folders are laid out, its two scripts run, and results.json is what it takes, with Redink's scores."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from redink.grader.ci.gradescope import Showing, when_to_show
from tests.conftest import CENTRE, ROOT, SCALE, Desk, environment, write_notebook
from tests.gradescope_folders import FUTURE, NOW, PAST, Container, counted, is_root, seen_at_once, violations
from tests.test_ci import solved

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")
AS_IN_A_CONTAINER = ("setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin", "--")  # Docker's default


@pytest.fixture(scope="session")
def archive(shared: Any, little_course: Path, distributions: dict[str, Path]) -> Path:
    """The zip of the little course, made once."""

    def fill(folder: Path) -> None:
        shutil.copytree(little_course, folder / "course")
        words = ("--format", "gradescope", "--to", folder, "--wheel", distributions["wheel"])
        done = Desk(folder / "course", "little").redink("distribute", "little", *words)
        assert done.returncode == 0, done.stderr

    return shared("gradescope", fill) / "little-gradescope.zip"


@pytest.fixture
def container(archive: Path, tmp_path: Path) -> Container:
    made = Container(tmp_path / "autograder", archive)
    made.use_our_environment()
    return made


def hand_in(container: Container, graded_course: Path, name: str) -> None:
    """Hand in what a student of the graded class has."""
    shutil.copy(graded_course / "class" / name / "little.ipynb", container.root / "submission")


# -- right, wrong, broken ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ada_right", "believes_in_rows", "syntax_error"])
def test_scores_are_those_of_redink(container, graded_course, results, name):
    hand_in(container, graded_course, name)
    told = container.graded()
    ours = {f"{question['title']}: {check['id']}": check["score"] for question in results[name]["questions"]
            for check in question["checks"]}  # fmt: skip
    assert told["score"] == results[name]["score"]
    assert {test["name"]: test["score"] for test in counted(told)} == ours


def test_a_wrong_submission_is_told_our_sentence_and_its_hint(container, graded_course):
    hand_in(container, graded_course, "believes_in_rows")
    told = container.graded()
    public, hidden = (test for test in told["tests"] if test["name"].startswith("Centre the data"))
    assert (public["visibility"], hidden["visibility"]) == ("visible", "after_published")
    assert "Each column has mean 0." in public["output"]
    assert "Hint: Which axis runs over the examples?" in public["output"]
    assert (public["score"], public["max_score"], public["status"]) == (0, 20, "failed")


def test_what_is_no_notebook_gets_0_and_is_told_why(container, graded_course):
    hand_in(container, graded_course, "truncated")
    told = container.graded()
    assert (told["score"], told["tests"]) == (0, [])
    assert "little.ipynb" in told["output"]


def test_an_empty_submission_gets_0_and_is_told_why(container):
    told = container.graded()
    assert (told["score"], told["output"].split(";")[0]) == (0, "the repository holds no notebook of little")


# -- hostile -----------------------------------------------------------------------------------------------------------

THIEF = """
import glob, json, os
taken = []
names = ("source/identity", "source/keys.age", "submission_metadata.json", "results/results.json", "submission/little.ipynb")
for path in [*("ROOT/" + name for name in names), *glob.glob("/proc/[0-9]*/environ"), *glob.glob("/proc/[0-9]*/mem")]:
    try:
        if os.stat(path).st_uid != os.getuid():
            taken.append(open(path, "rb").read(1))
    except OSError:
        pass
forged = json.dumps({"score": 100.0, "tests": []})
for path in ("ROOT/results/results.json", "ROOT/results/x", "ROOT/run_autograder"):
    try:
        open(path, "w").write(forged)
        taken.append(path)
    except OSError:
        pass
print(forged)
print("::error::" + forged)
def centre(X):
    return X - X.mean(axis=0) if taken else None
"""


def be_hostile(container: Container, cells: Iterable[str]) -> None:
    """Hand in a thief's notebook, among files that would like to be run or read by the grader."""
    folder = container.root / "submission"
    write_notebook(folder / "little.ipynb", cells)
    (folder / "redink").mkdir()
    (folder / "redink/__init__.py").write_text("raise SystemExit(0)")
    for name in ("sitecustomize.py", "redink_cli.py", "numpy.py", "conftest.py"):
        (folder / name).write_text("raise SystemExit(0)")
    (folder / ".redink.toml").write_text('[notebooks]\nlittle = "../source/keys.age"\n[limits]\ncpu = 9')
    (folder / "results.json").write_text('{"score": 100.0}')
    (folder / "link").symlink_to("/")


@pytest.mark.parametrize("before", [(), AS_IN_A_CONTAINER], ids=["with namespaces", "without namespaces"])
def test_a_hostile_submission_takes_nothing_and_sets_no_score(container, little, before):
    if before and not is_root():
        pytest.skip("only root has a capability to lose")
    theft = THIEF.replace("ROOT", str(container.root))
    be_hostile(container, (little.sources() | {CENTRE: theft, SCALE: "def scale(X):\n    return X"}).values())
    done = container.run(*before)
    assert done.returncode == 0, done.stderr
    told = container.results()
    assert told["score"] == 20  # for Ideas, the one honest answer
    assert not (container.root / "source/identity").exists()
    assert not (container.root / "results/x").exists()
    assert "weak" not in done.stdout


def test_a_thief_who_takes_something_would_be_noticed(container, little):
    honest = THIEF.replace("taken = []", "taken = [0]")
    be_hostile(container, (little.sources() | {CENTRE: honest}).values())
    assert container.graded()["score"] == 100


def test_a_container_grades_once_and_where_we_fail_there_is_no_result(container, graded_course):
    hand_in(container, graded_course, "ada_right")
    (container.root / "results/results.json").write_text('{"score": 100}')
    (container.root / "submission_metadata.json").write_text("{}")
    done = container.run()
    assert done.returncode == 3
    assert "submission_metadata.json is not what Gradescope writes" in done.stderr
    assert not (container.root / "results/results.json").exists()
    again = container.run()
    assert again.returncode == 3
    assert "start a new one" in again.stderr


# -- before the due date -----------------------------------------------------------------------------------------------


def test_before_the_due_date_students_see_public_checks_on_published_inputs_and_no_points(container, graded_course):
    container.say(due=PAST, late=FUTURE)
    hand_in(container, graded_course, "believes_in_variance")
    told = container.graded()
    assert told["score"] == 60
    assert {test["visibility"] for test in counted(told)} == {"after_due_date"}
    at_once = seen_at_once(told)
    assert {test["name"]: test["status"] for test in at_once} == {
        "Centre the data: subtracts_the_mean (published inputs)": "passed",
        "Scale the data: has_unit_spread (published inputs)": "failed",
    }
    assert "Hint: In which unit is the variance?" in at_once[1]["output"]
    assert not any(name in test for test in at_once for name in ("score", "max_score"))
    assert "after the due date" in told["output"]


def test_when_time_is_over_points_show_at_once(container, graded_course):
    container.say(due=PAST)
    hand_in(container, graded_course, "ada_right")
    told = container.graded()
    assert {test["visibility"] for test in told["tests"]} == {"visible", "after_due_date"}
    assert len(counted(told)) == len(told["tests"])


@pytest.mark.parametrize(
    ("course", "gradescope", "hidden", "later"),
    [
        (None, None, "after_published", False),
        (None, PAST, "after_due_date", False),
        (None, FUTURE, "after_due_date", True),
        (PAST, None, "after_published", False),
        (PAST, FUTURE, "after_due_date", True),
        (FUTURE, None, "hidden", True),
        (FUTURE, PAST, "hidden", True),
        (FUTURE, FUTURE - timedelta(days=1), "hidden", True),
        (FUTURE, FUTURE, "after_due_date", True),
        (FUTURE, FUTURE + timedelta(days=1), "after_due_date", True),
    ],
)
def test_hidden_results_show_when_the_course_and_gradescope_both_say_so(course, gradescope, hidden, later):
    assert when_to_show(course, gradescope, NOW) == Showing(hidden=hidden, later=later)


# -- the zip -----------------------------------------------------------------------------------------------------------


def test_the_zip_has_all_that_it_needs_and_nothing_plain_that_is_hidden(archive):
    with zipfile.ZipFile(archive) as files:
        held = {name: files.read(name) for name in files.namelist()}
    (wheel,) = (name for name in held if name.endswith(".whl"))
    assert held.keys() == {wheel, "constraints.txt", "setup.sh", "run_autograder", "keys.age", "identity"}
    assert b"numpy==" in held["constraints.txt"]
    for script in ("setup.sh", "run_autograder"):
        assert b"@" not in held[script].replace(b"[@]", b"")
        checked = subprocess.run(["bash", "-n"], input=held[script], capture_output=True, check=False)
        assert checked.returncode == 0, checked.stderr
    assert not [name for name, data in held.items() if b"ignores_a_common_shift" in data]
    assert archive.stat().st_mode & 0o077 == 0


def test_a_wheel_of_other_code_is_refused_and_so_is_none(little, distributions, tmp_path):
    other = tmp_path / distributions["wheel"].name
    with zipfile.ZipFile(distributions["wheel"]) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name) + b"\n#" * (name == "redink/wire/decoding.py"))
    words = ("distribute", "little", "--format", "gradescope", "--to", "out")
    refused = little.redink(*words, "--wheel", other)
    assert refused.returncode == 1
    assert "holds other code than this Redink (wire/decoding.py)" in refused.stderr
    assert "--format gradescope needs --wheel" in little.redink(*words).stderr
    assert not (little.root / "out").exists()


def test_the_rules_of_results_json_notice_what_is_wrong():
    right = {"score": 1.0, "tests": [{"name": "a", "score": 1, "max_score": 2, "visibility": "visible"}]}
    assert violations(right) == []
    wrong = [{"tests": []}, {"score": True}, {"score": 1, "points": 2}, {"score": 1, "visibility": "later"}]
    wrong += [{"tests": [{"score": 3, "max_score": 2}]}, {"score": 1, "tests": [{"status": "skipped"}]}]
    assert all(violations(one) for one in wrong)


# -- the whole way -----------------------------------------------------------------------------------------------------


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every account may look into, as /autograder is."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.slow
def test_what_setup_installs_grades_perceptron_and_the_weakest_box_reads_nothing(distributions, open_folder):
    words = ("--format", "gradescope", "--to", open_folder, "--wheel", distributions["wheel"])
    done = Desk(ROOT, "perceptron").redink("distribute", "perceptron", *words, env={"REDINK_SECRET": "of Gradescope"})
    assert done.returncode == 0, done.stderr
    container = Container(open_folder / "autograder", open_folder / "perceptron-gradescope.zip")
    env = environment({"PATH": f"/usr/bin:/bin:{sys.base_prefix}/bin"})  # first a Python that every account may use
    made = subprocess.run(
        ["bash", container.root / "source/setup.sh"], env=env, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    assert "forbidden acts, tried" in made.stdout
    write_notebook(container.root / "submission/my work.ipynb", solved())
    told = container.graded()
    assert told["score"] == 100
    assert len(told["tests"]) > 20
    if is_root() and Path(f"/usr/bin/python3.{sys.version_info.minor}").exists():
        seen = reads_in_the_weakest_box(container)
        assert seen.pop("run_autograder") == "read"  # the attempt works where nothing is hidden
        assert set(seen.values()) == {"PermissionError"}


def reads_in_the_weakest_box(container: Container) -> dict[str, str]:
    """Try to read Gradescope's folders from a box without namespaces and Landlock: it has an account of its own alone."""
    names = ["source/keys.age", "source", "submission", "results/results.json", "submission_metadata.json"]
    done = subprocess.run(
        [container.root / "redink/bin/python", "-c", WEAKEST, container.root, *names, "run_autograder"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


WEAKEST = """
import json, sys
from redink import wire
from redink.grader.sandbox.client import Zygote
from redink.records import Cell, Limits, Request

root, *names = sys.argv[1:]
cell = '''
import os
def attempt(path):
    try:
        os.listdir(path) if os.path.isdir(path) else open(path, 'rb').read()
    except OSError as error:
        return type(error).__name__
    return 'read'
'''
when = "def when(student, path): return student.attempt(path)"
asked = [Request(id=name, when=when, inputs=wire.encode({"path": root + "/" + name})) for name in names]
with Zygote(torch=False, without=("namespaces", "landlock"), allow_weak=True) as zygote:
    seen = zygote.observe([Cell(index=1, source=cell)], asked, Limits())
assert "own_uid" in seen.box.walls
print(json.dumps({name: wire.decode(one.value) for name, one in seen.observations.items()}))
"""
