"""Shared fixtures: two little courses, the desk of somebody who works on one, and a class that was graded once.

`tiny` is what `redink new` writes. `little` has two questions of which the second uses the first, and a concept question.
Both are made once for all workers and copied for each test that changes something.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from redink.grader.author.scaffold import scaffold
from redink.grader.course import Course
from tests.sealed_key import Pair

settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clock")  # a busy machine fails no test

ROOT = Path(__file__).parents[1]
SECRET = "a secret for tests"
WITHOUT_BOXES = Path(__file__).parent / "without_boxes"

os.environ.pop("REDINK_SECRET", None)  # each course of a test has its own
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts the tests with & has Ctrl-C ignored

LITTLE = {
    "assignments/little/assignment.toml": """
title = "Little"
slug = "little"
minutes = 30

[limits]
cell_cpu = 0.5
check_cpu = 0.3

[[questions]]
id = "centre"
title = "Centre the data"
points = 40
asks = ["centre"]

[[questions]]
id = "scale"
title = "Scale the data"
points = 40
asks = ["scale"]
uses = ["centre"]

[[questions]]
id = "ideas"
title = "Ideas"
points = 20
asks = ["answers"]
""",
    "assignments/little/checks.py": '''
from redink.checks import check


@check("centre", trials=2, tol=1e-8)
def subtracts_the_mean(rng, trial):
    """Each column has mean 0."""
    return dict(X=rng.normal(size=(2, 3) if trial == 0 else (6, 4)) + 2.0)


@check("scale", trials=2)
def has_unit_spread(rng, trial):
    """Each column has spread 1."""
    return dict(X=rng.normal(size=(3, 2) if trial == 0 else (7, 4)) * 3.0)
''',
    "solutions/little/little.py": '''
# %% [markdown]
# # Little
# Columns are features.

# %%
import numpy as np

from redink import check

# %% [markdown]
# ## Centre the data


# %%
def centre(X):
    """Subtract the mean of each column."""
    ### BEGIN SOLUTION
    return X - X.mean(axis=0)
    ### END SOLUTION


# %%
check("centre")


# %%
def scale(X):
    """Centre the data and give each column spread 1."""
    ### BEGIN SOLUTION
    centred = centre(X)
    return centred / np.sqrt((centred * centred).mean(axis=0))
    ### END SOLUTION


# %%
check("scale")

# %%
answers = {
    "mean_runs_over": None,
    "spread_is_a": None,
}
### BEGIN SOLUTION
answers.update(mean_runs_over="examples", spread_is_a="length")
### END SOLUTION

# %%
check("ideas")

# %% tags=["explore"]
while True:  # a long experiment, which the grader need not run
    pass
''',
    "solutions/little/hidden_checks.py": '''
from redink.checks import check, concept


@check("centre", trials=2, tol=1e-8)
def ignores_a_common_shift(rng, trial):
    """Adding the same row to every example changes nothing."""
    return dict(X=rng.normal(size=(2, 3) if trial == 0 else (5, 4)), shift=rng.normal(size=3 if trial == 0 else 4) + 3)


@ignores_a_common_shift.when
def _(student, X, shift):
    return student.centre(X), student.centre(X + shift)


@check("scale", trials=2)
def ignores_the_unit_of_measure(rng, trial):
    """Measuring in another unit changes nothing."""
    return dict(X=rng.normal(size=(3, 2) if trial == 0 else (6, 3)), factor=2.54)


@ignores_the_unit_of_measure.when
def _(student, X, factor):
    return student.scale(X), student.scale(X * factor)


@concept("ideas")
def mean_runs_over():
    """Over what the mean of a feature is taken."""


@concept("ideas")
def spread_is_a():
    """What kind of quantity the spread is, geometrically."""
''',
    "solutions/little/misconceptions.py": """
from redink.checks import misconception

misconception(
    "takes_the_mean_over_rows",
    "centre",
    hint="Which axis runs over the examples?",
    old="X.mean(axis=0)",
    new="X.mean(axis=1, keepdims=True)",
)
misconception(
    "divides_by_the_variance",
    "scale",
    hint="In which unit is the variance?",
    old="np.sqrt((centred * centred).mean(axis=0))",
    new="(centred * centred).mean(axis=0)",
)
misconception(
    "confuses_rows_and_columns",
    "ideas",
    hint="A feature is a column: what varies along it?",
    old='mean_runs_over="examples", spread_is_a="length"',
    new='mean_runs_over="features", spread_is_a="width"',
)
""",
    "solutions/little/alternatives.py": """
from redink.checks import alternative

alternative("works_in_float32", "centre", old="return X - X.mean", new="X = X.astype(np.float32)\\n    return X - X.mean")
alternative("uses_the_library", "scale", old="np.sqrt((centred * centred).mean(axis=0))", new="X.std(axis=0)")
alternative("shouts", "ideas", old='"examples"', new='" EXAMPLES"')
""",
}

CENTRE, SCALE, ANSWERS = 4, 6, 7  # places of the cells that answer the three questions of `little`


class Desk:
    """One course folder, and `redink` run in it as a person would."""

    def __init__(self, root: Path, slug: str) -> None:
        self.root = root
        self.slug = slug
        self.assignment = root / "assignments" / slug
        self.solution = root / "solutions" / slug
        self.book = root / ".redink" / "gradebook.sqlite"

    def redink(
        self,
        *arguments: object,
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        boxes: bool = True,
        patience: float = 300.0,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; without `boxes`, no process can be started for anybody's code."""
        return subprocess.run(
            self.command(*arguments, boxes=boxes),
            cwd=cwd or self.root, env=environment(env), capture_output=True, text=True, timeout=patience, check=False,
        )  # fmt: skip

    def command(self, *arguments: object, boxes: bool = True) -> list[str]:
        words = [str(argument) for argument in arguments]
        if boxes:
            return [sys.executable, "-m", "redink_cli", *words]
        start = f"import os, sys; sys.path.insert(0, {str(WITHOUT_BOXES)!r}); os.environ['PYTHONPATH'] = sys.path[0]; "
        start += "import sitecustomize; from redink_cli.app import main; main()"
        return [sys.executable, "-c", start, *words]

    def grade(self, path: Path | str, *options: object, **how: Any) -> dict[str, dict[str, Any]]:
        """Grade and give the results by id."""
        target = self.root / "out.json"
        done = self.redink("grade", self.slug, path, "--json", target, *options, **how)
        assert done.returncode == 0, done.stderr + done.stdout
        return read_results(target)

    def edit(self, path: Path, old: str, new: str, count: int = 1) -> None:
        """Change a text that must stand there."""
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == count, f"{old!r} stands {text.count(old)} times in {path}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def sources(self, *, solved: bool = True) -> dict[int, str]:
        """Give the code cells of the reference, or of the student's notebook, by their place."""
        from redink.grader.assignment.master import read_master

        master = read_master(self.solution / f"{self.slug}.py")
        return {cell.index: cell.source for cell in (master.solved() if solved else master.untouched())}

    def hand_in(self, name: str, changes: Mapping[int, str] | None = None, folder: str = "class") -> Path:
        """Write somebody's submission: the solved cells with some of them changed."""
        path = self.root / folder / name / f"{self.slug}.ipynb"
        write_notebook(path, (self.sources() | dict(changes or {})).values())
        return path


def environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """Give the environment of a command, with variables set, or taken away where None."""
    whole = {**os.environ, "REDINK_SECRET": None, "PYTHONUTF8": "1", **(changes or {})}
    return {name: value for name, value in whole.items() if value is not None}


def write_notebook(path: Path, sources: Iterable[str]) -> Path:
    """Write a notebook of code cells."""
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "execution_count": None, "outputs": [], "source": source}
        for n, source in enumerate(sources)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    return path


def read_results(path: Path) -> dict[str, dict[str, Any]]:
    """Read results.json, by submission."""
    return {one["submission"]["id"]: one for one in json.loads(path.read_text(encoding="utf-8"))["results"]}


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Make a folder once for all workers of a test run."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def make(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = base / name, base / f"{name}.done"
        with (base / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return make


def _keep_secret(root: Path) -> None:
    private = root / ".redink"
    private.mkdir(mode=0o700)
    (private / "secret").write_text(SECRET, encoding="utf-8")


def _built(root: Path, slug: str) -> None:
    done = Desk(root, slug).redink("build", slug)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def tiny_course(shared: Any) -> Path:
    """What `redink new` makes, built once."""

    def fill(root: Path) -> None:
        (root / "assignments").mkdir()
        (root / "solutions").mkdir()
        scaffold(Course(root), "tiny")
        _built(root, "tiny")
        _keep_secret(root)

    return shared("tiny", fill)


@pytest.fixture(scope="session")
def little_course(shared: Any) -> Path:
    """The course of two dependent questions and a concept question, built once."""

    def fill(root: Path) -> None:
        for name, text in LITTLE.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text.lstrip("\n"), encoding="utf-8")
        _built(root, "little")
        _keep_secret(root)

    return shared("little", fill)


def _copy(course: Path, tmp_path: Path, slug: str) -> Desk:
    shutil.copytree(course, tmp_path / "course", symlinks=True)
    return Desk(tmp_path / "course", slug)


@pytest.fixture
def tiny(tiny_course: Path, tmp_path: Path) -> Desk:
    """A scaffolded course of one's own."""
    return _copy(tiny_course, tmp_path, "tiny")


@pytest.fixture
def little(little_course: Path, tmp_path: Path) -> Desk:
    """A course of two dependent questions of one's own."""
    return _copy(little_course, tmp_path, "little")


FAULTS: dict[str, dict[int, str]] = {
    "ada_right": {},
    "endless_cell": {SCALE: "while True:\n    pass\ndef scale(X):\n    return X"},
    "endless_function": {SCALE: "def scale(X):\n    while True:\n        pass"},
    "exits_in_a_cell": {SCALE: "import os\nos._exit(0)"},
    "exits_in_a_function": {SCALE: "def scale(X):\n    import os\n    os._exit(0)"},
    "segfaults_in_a_cell": {SCALE: "import ctypes\nctypes.string_at(0)"},
    "segfaults_in_a_function": {SCALE: "def scale(X):\n    import ctypes\n    ctypes.string_at(0)"},
    "syntax_error": {SCALE: "def scale(X:\n    return X"},
    "missing_function": {SCALE: "pass"},
    "believes_in_rows": {CENTRE: "def centre(X):\n    return X - X.mean(axis=1, keepdims=True)"},
    "believes_in_variance": {SCALE: "def scale(X):\n    return centre(X) / X.var(axis=0)"},
    "unknown_mistake_1": {SCALE: "def scale(X):\n    return 2 * X"},
    "unknown_mistake_2": {SCALE: "def scale(X):\n    return X + X"},
    "off_by_a_hair": {CENTRE: "def centre(X):\n    return X - X.mean(axis=0) + 1e-6 * X[0, 0]", SCALE: (
        "def scale(X):\n    return (X - X.mean(axis=0)) / X.std(axis=0)")},
    "tells_tales": {SCALE: (
        "def scale(X):\n    print('TALE', X)\n    raise ValueError(f'TALE {X[0, 0]!r} of {X.shape}')")},
    "forges_a_missing_name": {SCALE: (
        "import sys\ndef scale(X):\n    getattr(sys._getframe(1).f_locals['student'], f'TALE {X[0, 0]!r}')")},
    "other_order": {CENTRE: "", SCALE: "def scale(X):\n    return centre(X) / X.std(axis=0)", ANSWERS: (
        "answers = dict(mean_runs_over='Examples ', spread_is_a='length')\n"
        "def centre(X):\n    return X - X.mean(axis=0)")},
}  # fmt: skip


@pytest.fixture(scope="session")
def graded_course(shared: Any, little_course: Path) -> Path:
    """The little course after its class was graded once: right, blank, wrong, hostile and broken submissions."""

    def fill(root: Path) -> None:
        shutil.copytree(little_course, root, dirs_exist_ok=True)
        desk = Desk(root, "little")
        for name, changes in FAULTS.items():
            desk.hand_in(name, changes)
        write_notebook(root / "class/ben_blank/little.ipynb", desk.sources(solved=False).values())
        whole = (root / "class/ada_right/little.ipynb").read_bytes()
        broken = {"not_json": b"Dear professor,\n", "empty": b"", "truncated": whole[:400], "binary": bytes(range(256))}
        for name, content in {**broken, "another_json": b'{"cells": 3}', "a_list": b"[]"}.items():
            (root / "class" / name).mkdir()
            (root / "class" / name / "little.ipynb").write_bytes(content)
        (root / "class" / "a_folder.ipynb").mkdir()
        (root / "class" / "in_circles.ipynb").symlink_to("in_circles.ipynb")
        (root / "class" / "notes.txt").write_text("not a submission")
        done = desk.redink("grade", "little", "class", "--json", "first.json", "--summary", "first.md", "--jobs", 2)
        assert done.returncode == 0, done.stderr
        (root / "first.txt").write_text(done.stdout, encoding="utf-8")

    return shared("graded", fill)


@pytest.fixture
def graded(graded_course: Path, tmp_path: Path) -> Desk:
    """A graded class of one's own."""
    return _copy(graded_course, tmp_path, "little")


@pytest.fixture(scope="session")
def results(graded_course: Path) -> dict[str, dict[str, Any]]:
    """The results of the graded class, to be read only."""
    return read_results(graded_course / "first.json")


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's own folder."""
    return ROOT


@pytest.fixture(params=["cpu", "meta", pytest.param("gpu", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> str:
    """Each device that there is: the CPU, the meta device, which has shapes and no numbers, and the machine's GPU."""
    return _gpu() if request.param == "gpu" else str(request.param)


def _gpu() -> str:
    """Return the name of the GPU; without one the test is not run, or fails where REDINK_REQUIRE_GPU=1 demands it."""
    import torch

    if (found := torch.accelerator.current_accelerator(check_available=True)) is not None:
        return found.type
    built = f"built for CUDA {torch.version.cuda}" if torch.version.cuda else "built without CUDA"
    reason = f"no GPU: torch {torch.__version__} ({built}) finds no accelerator on this machine"
    if os.environ.get("REDINK_REQUIRE_GPU") == "1":
        pytest.fail(f"{reason}, and REDINK_REQUIRE_GPU=1 demands one")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def distributions(shared: Any) -> dict[str, Path]:
    """The wheel and the sdist, built once."""

    def fill(folder: Path) -> None:
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    folder = shared("distributions", fill)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


@pytest.fixture(scope="session")
def sealed(shared: Any, graded_course: Path) -> Pair:
    """The key of the graded class, sealed once."""

    from redink.grader.sealing.identity import new_identity  # on Linux alone

    def fill(folder: Path) -> None:
        desk = Desk(folder / "course", "little")
        shutil.copytree(graded_course, desk.root, symlinks=True)
        recipient = new_identity(folder / "identity")
        done = desk.redink("seal", "little", "--to", folder / "keys.age", "--for", recipient)
        assert done.returncode == 0, done.stderr
        (folder / "said").write_text(done.stdout)

    folder = shared("sealed", fill)
    said = (folder / "said").read_text()
    return Pair(folder / "keys.age", folder / "identity", said.split()[-1])


@pytest.fixture(scope="session")
def shards(shared: Any, little_course: Path, graded_course: Path) -> Path:
    """A packed class, its three shards, and the same class graded at once."""
    from tests import packed_class

    return shared("shards", lambda root: packed_class.fill(root, little_course, graded_course))


@pytest.fixture
def packed_class(shards: Path, tmp_path: Path) -> Any:
    """A course of one's own whose class is packed."""
    from tests import packed_class

    return packed_class.copied(shards, tmp_path)


@pytest.fixture(scope="session")
def templates(shared: Any, distributions: dict[str, Path]) -> Path:
    """Repositories for students and the course, on both platforms."""

    from redink.assignment.handout import unpack
    from redink.assignment.spec import read_spec
    from redink.grader.author.ci_files import course_repository, student_repository

    def fill(folder: Path) -> None:
        wheel = distributions["wheel"]
        for system in ("github", "gitlab"):
            assignment = ROOT / "assignments/perceptron"
            unpack(student_repository(assignment, wheel, system), folder / system / "student")  # type: ignore[arg-type]
            files = course_repository([read_spec(assignment)], wheel, system, None)  # type: ignore[arg-type]
            unpack(files, folder / system / "course")

    return shared("templates", fill)
