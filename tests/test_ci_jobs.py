"""The jobs of the generated workflows, their very commands typed step by step with only what they install."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redink.assignment.handout import unpack
from redink.assignment.spec import read_spec
from redink.grader.author.ci_files import course_repository
from redink.grader.sealing.identity import new_identity
from redink.grader.sealing.sealed import file_hash
from tests.ci_schemas import check_junit
from tests.conftest import ROOT, environment, write_notebook
from tests.test_ci import STEP, blank, solved
from tests.test_ci_formats import EVIL, GITHUB, GITLAB, OWN, commands, tokens
from tests.workflow_steps import bash, clean_environment, commit, script, steps

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")]

SHOUTS = EVIL.replace("\ud800", "").replace("\ufffe", "")
HOSTILE = (
    f"print({SHOUTS!r})\nimport os, sys\nos.write(1, {SHOUTS.encode()!r})\nos.write(2, {SHOUTS.encode()!r})\n"
    f"def perceptron_step(w, x, y):\n    raise type({SHOUTS[:60].replace(chr(0), '')!r}, (Exception,), {{}})({SHOUTS!r})\n"
)
CODES = {"right": 0, "wrong": 1, "blank": 1, "hostile": 1, "broken": 2}


def class_of_five(folder: Path) -> dict[str, Path]:
    """Write right, wrong, blank, hostile and broken notebooks, each in a repository of its own."""
    wrong = [source.replace("y * ", "") if STEP in source else source for source in solved()]
    hostile = [HOSTILE if STEP in source else source for source in solved()]
    for name, sources in {"right": solved(), "wrong": wrong, "blank": blank(), "hostile": hostile}.items():
        write_notebook(folder / f"perceptron-{name}/perceptron.ipynb", sources)
    (folder / "perceptron-broken").mkdir()
    (folder / "perceptron-broken/perceptron.ipynb").write_text("Dear professor")
    found = {path.name.partition("-")[2]: path for path in sorted(folder.iterdir())}
    for path in found.values():
        commit(path)
    return found


@pytest.fixture(scope="module")
def course(templates: Path, distributions: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with what the workflows install, everybody's repositories, and a sealed key of the perceptron."""
    folder = tmp_path_factory.mktemp("jobs")
    bin = clean_environment(folder / "env")
    where = folder / "course"
    recipient = new_identity(folder / "identity")
    seal = [sys.executable, "-m", "redink_cli", "seal", "perceptron", "--to", folder / "keys.age", "--for", recipient]
    subprocess.run(list(map(str, seal)), cwd=ROOT, env=environment({"REDINK_SECRET": "jobs"}), check=True)
    for system in ("github", "gitlab"):
        files = course_repository([read_spec(ROOT / "assignments/perceptron")], distributions["wheel"], system,  # type: ignore[arg-type]
                                  (folder / "keys.age").read_bytes())  # fmt: skip
        unpack(files, where / system)
        listed = "".join(f"{path}\n" for path in class_of_five(folder / f"{system}-class").values())
        (where / system / "repositories.txt").write_text(listed)
        commit(where / system)
        subprocess.run(["git", "init", "-q", "--bare", str(folder / f"{system}.git")], check=True)
    told = steps(where / "github/.github/workflows/grade.yml")
    done = bash(told["Install Redink"]["run"], where / "github", bin)
    assert done.returncode == 0, done.stderr
    return folder


def scores(where: Path) -> dict[str, tuple[str, float]]:
    return {
        path.stem: (result["state"], result["score"])
        for path in (where / "results/perceptron").glob("*.json")
        for result in json.loads(path.read_text())["results"]
    }


def read_results_of_the_class(where: Path, said: str) -> None:
    found = scores(where)
    assert found["right"] == ("graded", 100.0)
    assert found["blank"] == ("graded", 0.0)
    assert found["broken"] == ("ungradable", 0.0)
    assert 0 < found["wrong"][1] < 100
    assert 0 < found["hostile"][1] < 100
    assert "hidden" in (where / "results/perceptron/wrong.json").read_text()
    assert not commands(said.splitlines())
    assert all(line.isprintable() for line in said.splitlines())
    for path in (where / "results").rglob("*.md"):
        kinds = {one.type for one in tokens(path.read_text(encoding="utf-8"))}
        assert not kinds & {"html_inline", "html_block", "link_open", "image", "code_inline"}, path


def test_the_students_job_on_both_platforms(course, templates, tmp_path):
    students = class_of_five(tmp_path / "class")
    for system, env in (("github", GITHUB), ("gitlab", GITLAB)):
        where = tmp_path / system
        shutil.copytree(templates / system / "student", where)
        if system == "github":
            check = steps(where / ".github/workflows/redink.yml")["Check"]["run"]
        else:
            install, check = script(where / ".gitlab-ci.yml")
            assert "pip install --constraint" in install
        codes = {}
        for name, path in students.items():
            shutil.copy(path / "perceptron.ipynb", where)
            done = bash(check, where, course / "env/bin", {**env, "GITHUB_STEP_SUMMARY": str(tmp_path / "s.md")})
            codes[name] = done.returncode
            check_junit((where / "redink.xml").read_bytes())
            assert all(OWN.match(one) for one in commands(done.stdout.splitlines())), done.stdout
            (where / "redink.xml").unlink()
        assert codes == CODES


def test_the_courses_job_on_github(course):
    where, bin = course / "course/github", course / "env/bin"
    told = steps(where / ".github/workflows/grade.yml")
    assert list(told) == [
        "Install Redink", "Allow namespaces", "Is student code walled in here?", "Let git read the students' repositories",
        "Grade", "Push the results",
    ]  # fmt: skip
    assert file_hash((course / "keys.age").read_bytes()) in told["Grade"]["run"]
    home = {"HOME": str(course / "home"), "GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "dl/course"}
    (course / "home").mkdir()
    token = {**home, "STUDENTS_TOKEN": "of-the-students"}
    done = bash(told["Is student code walled in here?"]["run"], where, bin, home)
    assert done.returncode == 0, done.stdout + done.stderr
    done = bash(told["Let git read the students' repositories"]["run"], where, bin, token)
    assert done.returncode == 0, done.stderr
    kept = course / "home/.git-credentials"
    assert kept.read_text() == "https://x-access-token:of-the-students@git.example\n"
    assert kept.stat().st_mode & 0o77 == 0
    env = {**home, **GITHUB, "REDINK_IDENTITY": (course / "identity").read_text()}
    done = bash(told["Grade"]["run"], where, bin, env)
    assert done.returncode == 0, done.stderr
    read_results_of_the_class(where, done.stdout)
    again = bash(told["Grade"]["run"], where, bin, env)
    assert again.stdout.count("(unchanged)") == 5, again.stdout
    pushed = push(told["Push the results"]["run"], where, course / "github.git", bin, {**home, "TOKEN": "t"})
    assert {Path(name).stem for name in pushed if name.startswith("results/")} == set(CODES)
    nothing = bash(told["Push the results"]["run"], where, bin, home)
    assert nothing.returncode == 0, nothing.stderr


def test_the_courses_job_on_gitlab(course):
    where, bin = course / "course/gitlab", course / "env/bin"
    install, doctor, helper, credentials, grade, *pushing = script(where / ".gitlab-ci.yml")
    assert "pip install --constraint" in install
    home = {"HOME": str(course / "home_gitlab"), "CI_SERVER_HOST": "git.example", "CI_PROJECT_PATH": "dl/course"}
    (course / "home_gitlab").mkdir()
    for command in (doctor, helper, credentials):
        done = bash(command, where, bin, {**home, "STUDENTS_TOKEN": "of-the-students"})
        assert done.returncode == 0, done.stdout + done.stderr
    assert "oauth2:of-the-students@git.example" in (course / "home_gitlab/.git-credentials").read_text()
    done = bash(grade, where, bin, {**home, **GITLAB, "REDINK_IDENTITY": (course / "identity").read_text()})
    assert done.returncode == 0, done.stderr
    read_results_of_the_class(where, done.stdout)
    env = {**home, "RESULTS_TOKEN": "t", "CI_COMMIT_BRANCH": "main"}
    pushed = push("\n".join(pushing), where, course / "gitlab.git", bin, env)
    assert {Path(name).stem for name in pushed if name.startswith("results/")} == set(CODES)


def push(run: str, where: Path, bare: Path, bin: Path, env: dict[str, Any]) -> list[str]:
    """Run the step that pushes, against a repository of ours in the place of the server's, and list what arrived."""
    for user in ("x-access-token", "oauth2"):
        name = f"url.{bare}.insteadOf"
        address = f"https://{user}:t@git.example/dl/course.git"
        subprocess.run(["git", "-C", str(where), "config", "--add", name, address], check=True)
    done = bash(run, where, bin, env)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(["git", "-C", str(bare), "ls-tree", "-r", "--name-only", "main"], capture_output=True,
                           text=True, check=True)  # fmt: skip
    return shown.stdout.split()


def test_the_steps_of_the_image_run_in_a_clean_folder(tmp_path):
    bin, where = clean_environment(tmp_path / "env"), tmp_path / "opt"
    where.mkdir()
    for line in (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines():
        if line.startswith("COPY"):
            *names, target = line.split()[1:]
            for name in names:
                subprocess.run(["cp", "-r", str(ROOT / name), str(where / target)], check=True)
        if line.startswith("RUN"):
            done = bash(line.removeprefix("RUN "), where, bin, {"EXTRAS": "seal"})
            assert done.returncode == 0, done.stderr
    assert "redink, version" in done.stdout
