"""`pytest --redink NOTEBOOK`, run by a real pytest: each public check is a test, and without the option nothing happens."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch

from tests.conftest import CENTRE, SCALE, Desk, environment, write_notebook

MEAN, SPREAD = "Each column has mean 0.", "Each column has spread 1."


ON_A_GPU = '''


@check("centre", weight=0, trials=1)
def runs_anywhere():
    """Runs on whatever device it is given."""
    return dict()


@runs_anywhere.when
def _(student):
    device = "cuda" if torch.cuda.is_available() else "meta"
    return student.centre(torch.ones(2, 2, device=device)).device.type
'''


def run(folder: Path, *options: object, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *map(str, options)]
    return subprocess.run(command, cwd=folder, env=environment(env), capture_output=True, text=True, check=False)


def notebook(desk: Desk, changes: dict[int, str] | None = None, *, solved: bool = True) -> Path:
    folder = desk.assignment
    sources = (desk.sources(solved=solved) | (changes or {})).values()
    return write_notebook(folder / "little.ipynb", [source for source in sources if "while True" not in source])


def test_each_check_is_a_test_with_its_sentence_and_points(little):
    path = notebook(little)
    done = run(path.parent, "--redink", path.name, "-v", "--junitxml", "r.xml")
    assert done.returncode == 0, done.stdout
    assert MEAN in done.stdout
    assert SPREAD in done.stdout
    cases = {case.get("name"): case for case in ET.parse(path.parent / "r.xml").getroot().iter("testcase")}
    told = {one.get("name"): one.get("value") for one in cases[MEAN].iter("property")}
    assert (told["score"], told["max_score"], told["question"]) == ("40.0", "40.0", "centre")


def test_a_wrong_notebook_fails_with_what_a_student_reads(little):
    path = notebook(little, {CENTRE: "def centre(X):\n    return X - X.mean(axis=1, keepdims=True)",
                             SCALE: "def scale(X):\n    return (X - X.mean(axis=0)) / X.std(axis=0)"})  # fmt: skip
    done = run(path.parent, "--redink", path.name)
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "Hint: Which axis runs over the examples?" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_blank_notebook_is_not_green(little):
    path = notebook(little, solved=False)
    done = run(path.parent, "--redink", path.name)
    assert done.returncode == 1
    assert "2 failed" in done.stdout
    assert "ot written yet" in done.stdout
    assert "1 failed" in run(path.parent, "--redink", path.name, "-x").stdout


def test_words_choose_checks_and_two_workers_run_the_notebook_once(little, tmp_path):
    log = tmp_path / "log"
    path = notebook(little, {CENTRE: f"open({str(log)!r}, 'a').write('x')\n" + little.sources()[CENTRE]})
    done = run(path.parent, "--redink", path.name, "-n", 2)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
    assert log.read_text() == "x"
    assert "1 passed, 1 deselected" in run(path.parent, "--redink", path.name, "-k", "has_unit_spread").stdout
    assert "1 passed, 1 deselected" in run(path.parent, "--redink", path.name, "-k", "centre").stdout


def test_without_the_option_nothing_happens(little):
    path = notebook(little)
    (path.parent / "test_own.py").write_text("def test_own():\n    pass\n")
    done = run(path.parent, "-v")
    assert "1 passed" in done.stdout
    assert MEAN not in done.stdout
    code = "import sys, pytest; pytest.main(['--co', '-q']); print([n for n in sys.modules if n.startswith('redink')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=path.parent, env=environment(), capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.stdout.splitlines()[-1] == "['redink', 'redink.student', 'redink.student.pytest_plugin']"


def test_other_paths_that_are_named_are_collected_too(little):
    path = notebook(little)
    (path.parent / "test_own.py").write_text("def test_own():\n    pass\n")
    assert "3 passed" in run(path.parent, "test_own.py", "--redink", path.name).stdout
    assert "2 passed" in run(path.parent, "--redink", path.name).stdout


def test_a_notebook_without_its_handout_or_that_is_not_there_is_one_sentence(tmp_path):
    write_notebook(tmp_path / "alone.ipynb", ["x = 1"])
    done = run(tmp_path, "--redink", "alone.ipynb")
    assert "no assignment.toml in" in done.stdout
    assert done.returncode == 2
    assert "there is no such notebook" in run(tmp_path, "--redink", "none.ipynb").stderr


def test_a_notebook_that_ends_its_process_fails_every_check(little):
    path = notebook(little, {CENTRE: "import os\nos._exit(3)"})
    done = run(path.parent, "--redink", path.name)
    assert "2 failed" in done.stdout
    assert "ended the process that ran it" in done.stdout


@pytest.mark.skipif(torch.cuda.is_available(), reason="here is a GPU, so its absence cannot be tried")
def test_a_check_that_asks_for_a_gpu_is_not_run_without_one_and_fails_where_one_is_required(little):
    anywhere = "import torch\n\ndef centre(X):\n    return X - X.mean(0)"
    path = _with_gpu_check(little, anywhere)
    done = run(path.parent, "--redink", path.name, "--strict-markers", "-rs", "-m", "gpu")
    assert "1 skipped, 2 deselected" in done.stdout, done.stdout
    assert "finds none on this machine, so only the meta device was tried" in " ".join(done.stdout.split())
    assert "2 passed, 1 deselected" in run(path.parent, "--redink", path.name, "-m", "not gpu").stdout
    required = run(path.parent, "--redink", path.name, REDINK_REQUIRE_GPU="1")
    assert required.returncode == 1
    assert "1 failed, 2 passed" in required.stdout
    assert "REDINK_REQUIRE_GPU=1 demands one" in required.stdout
    path = _with_gpu_check(little, f"{anywhere} + (torch.ones(2, 2) if torch.is_tensor(X) else 0)")
    done = run(path.parent, "--redink", path.name)
    assert "1 failed, 2 passed" in done.stdout  # code that is tied to the CPU is found without a GPU


def _with_gpu_check(desk: Desk, centre: str) -> Path:
    checks = desk.assignment / "checks.py"
    if ON_A_GPU not in checks.read_text(encoding="utf-8"):
        checks.write_text(checks.read_text(encoding="utf-8") + ON_A_GPU, encoding="utf-8")
        desk.edit(desk.assignment / "assignment.toml", 'slug = "little"', 'slug = "little"\ntorch = true')
        desk.edit(desk.assignment / "assignment.toml", "cell_cpu = 0.5", "cell_cpu = 60.0")  # a cell imports torch
        desk.edit(
            desk.assignment / "assignment.toml", "check_cpu = 0.3", "check_cpu = 10.0"
        )  # and a call the meta device
        done = desk.redink("build", "little")
        assert done.returncode == 0, done.stderr
    return notebook(desk, {CENTRE: centre})
