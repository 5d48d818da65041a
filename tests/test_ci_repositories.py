"""The course's job: everybody's repository graded by a sealed key, one result file each, and nothing twice."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SCALE, Desk, environment, write_notebook
from tests.sealed_key import Pair
from tests.workflow_steps import commit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")


@pytest.fixture
def repositories(graded_course: Path, tmp_path: Path) -> Path:
    """A list of four repositories: right, wrong, without a notebook and with something else in its place."""
    desk = Desk(graded_course, "little")
    folder = tmp_path / "clones"
    write_notebook(folder / "little-ada/little.ipynb", desk.sources().values())
    changed = desk.sources() | {SCALE: "def scale(X):\n    return 2 * X"}
    write_notebook(folder / "little-ben/work/little.ipynb", changed.values())
    (folder / "little-cyd").mkdir()
    (folder / "little-cyd/notes.txt").write_text("none yet")
    (folder / "little-dan").mkdir()
    (folder / "little-dan/little.ipynb").write_text("Dear professor")
    for one in folder.iterdir():
        commit(one)
    listed = tmp_path / "repositories.txt"
    listed.write_text("".join(f"{one}\n" for one in sorted(folder.iterdir())))
    return listed


def job(listed: Path, pair: Pair, *options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "redink_cli", "ci", listed, "--each", "results", "--key", pair.file,
               "--key-sha256", pair.sha256, *options]  # fmt: skip
    told = environment({"REDINK_IDENTITY": pair.identity.read_text(), "GITHUB_STEP_SUMMARY": None})
    return subprocess.run([str(word) for word in command], cwd=listed.parent, env=told, capture_output=True, text=True,
                          check=False)  # fmt: skip


def read(folder: Path, student: str) -> dict[str, Any]:
    (result,) = json.loads((folder / f"results/little/{student}.json").read_text())["results"]
    found: dict[str, Any] = result
    return found


def test_each_repository_has_one_result_and_the_unchanged_are_not_graded_again(sealed, repositories, tmp_path):
    done = job(repositories, sealed)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "ada: little: 100 of 100 points", "ben: little: 60 of 100 points",
        "cyd: little: not graded (the folder cyd holds no notebook)",
        "dan: little: not graded (dan/little.ipynb is not a notebook: JSON is malformed: invalid character (byte 0))",
    ]  # fmt: skip
    assert read(tmp_path, "ada")["score"] == 100.0
    assert read(tmp_path, "cyd")["state"] == "ungradable"
    assert "## little: 60 of 100 points" in (tmp_path / "results/little/ben.md").read_text()
    before = {path: path.read_bytes() for path in (tmp_path / "results").rglob("*.json")}
    shutil.copy(tmp_path / "clones/little-ada/little.ipynb", tmp_path / "clones/little-ben/work/little.ipynb")
    subprocess.run(["git", "-C", tmp_path / "clones/little-ben", "-c", "user.name=x", "-c", "user.email=x@example.org",
                    "commit", "-qam", "y"], check=True)  # fmt: skip
    again = job(repositories, sealed)
    assert [line.endswith("(unchanged)") for line in again.stdout.splitlines()] == [True, False, True, True]
    changed = [path.stem for path, data in before.items() if path.read_bytes() != data]
    assert changed == ["ben"]
    assert read(tmp_path, "ben")["score"] == 100.0


def test_before_the_deadline_the_files_tell_of_public_checks_alone(graded, repositories, tmp_path):
    from redink.grader.sealing.identity import new_identity

    (graded.root / "course.toml").write_text("[assignments.little]\ndue = 2098-01-02T12:00:00\n", encoding="utf-8")
    recipient = new_identity(tmp_path / "identity")
    done = graded.redink("seal", "little", "--to", tmp_path / "k.age", "--for", recipient)
    assert done.returncode == 0, done.stderr
    pair = Pair(tmp_path / "k.age", tmp_path / "identity", done.stdout.split()[-1])
    done = job(repositories, pair)
    assert done.returncode == 0, done.stderr
    assert "hidden checks run when everybody's time is over, from 2098-01-02 12:00 UTC" in done.stdout
    assert "hidden" not in (tmp_path / "results/little/ben.json").read_text()
    assert read(tmp_path, "ben")["secret"] == "published"
    assert job(repositories, pair, "--show-hidden").returncode == 0
    assert "hidden" in (tmp_path / "results/little/ben.json").read_text()
