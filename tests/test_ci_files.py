"""The workflow files that Redink writes and has: valid, pinned, safe by zizmor's rules, and their commands really run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from redink.assignment.handout import unpack
from redink.assignment.spec import read_spec
from redink.errors import CourseError
from redink.grader.author.ci_files import FOLDER, course_repository, pinned, student_repository
from redink.grader.sealing.sealed import file_hash
from tests.conftest import ROOT, Desk, environment, write_notebook
from tests.test_ci import blank, solved

BIN = Path(sys.executable).parent
SHA = re.compile(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


@pytest.fixture(scope="session")
def templates(shared: Any, distributions: dict[str, Path]) -> Path:
    """Repositories for students and the course, on both platforms."""

    def fill(folder: Path) -> None:
        wheel = distributions["wheel"]
        for system in ("github", "gitlab"):
            assignment = ROOT / "assignments/perceptron"
            unpack(student_repository(assignment, wheel, system), folder / system / "student")  # type: ignore[arg-type]
            files = course_repository([read_spec(assignment)], wheel, system, None)  # type: ignore[arg-type]
            unpack(files, folder / system / "course")

    return shared("templates", fill)


def workflows(templates: Path) -> list[Path]:
    written = [templates / "github" / whose / ".github/workflows" for whose in ("student", "course")]
    return sorted(path for folder in (*written, ROOT / ".github/workflows") for path in folder.glob("*.yml"))


def tool(*words: object) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / str(words[0])), *map(str, words[1:])]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)


def steps(path: Path) -> dict[str, dict[str, Any]]:
    """Return the steps of a workflow's one job that run commands, by name."""
    (job,) = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    return {step["name"]: step for step in job["steps"] if "run" in step}


def bash(run: str, where: Path, bin: Path, env: dict[str, str | None] | None = None) -> Any:
    """Run a step as GitHub does."""
    around = environment({"PATH": f"{bin}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": None, **(env or {})})
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run], cwd=where, env=around,
                          capture_output=True, text=True, check=False)  # fmt: skip


# -- valid and safe ----------------------------------------------------------------------------------------------------


def test_workflows_fit_their_schemas(templates):
    assert len(workflows(templates)) == 5
    done = tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows(templates))
    assert done.returncode == 0, done.stdout
    done = tool("check-jsonschema", "--builtin-schema", "vendor.github-actions", ROOT / "action.yml")
    assert done.returncode == 0, done.stdout
    gitlab = [templates / "gitlab" / whose / ".gitlab-ci.yml" for whose in ("student", "course")]
    done = tool("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", *gitlab)
    assert done.returncode == 0, done.stdout


def test_zizmor_finds_nothing(templates):
    done = tool("zizmor", "--offline", "--no-progress", *workflows(templates), ROOT / "action.yml")
    assert done.returncode == 0, done.stdout


def test_every_action_is_pinned_and_every_job_has_only_the_rights_it_needs(templates):
    for path in (*workflows(templates), ROOT / "action.yml"):
        text = path.read_text(encoding="utf-8")
        assert text.count("uses:") == len(SHA.findall(text)), path
        assert "@PYTHON@" not in text
    for path in workflows(templates):
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert told["permissions"] == {}
        rights = [job["permissions"] for job in told["jobs"].values()]
        assert rights == [{"contents": "write" if path.name == "grade.yml" else "read"}]
        assert "pull_request_target" not in path.read_text()


def test_a_students_repository_is_whole_and_has_no_secret(templates):
    for system in ("github", "gitlab"):
        folder = templates / system / "student"
        (wheel,) = (folder / FOLDER).glob("*.whl")
        text = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.yml"))
        assert wheel.name in text
        assert "secrets." not in text
        assert "REDINK_IDENTITY" not in text
        readme = (folder / "README.md").read_text(encoding="utf-8")
        assert f"pip install --find-links {FOLDER} redink jupyterlab" in readme


def test_versions_are_pinned_with_all_that_they_need():
    names = {line.partition("==")[0] for line in pinned()}
    assert {"numpy", "torch", "msgspec", "pyrage", "matplotlib", "traitlets", "kiwisolver"} <= names
    assert "redink" not in names
    assert "pytest" not in names
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in pinned())


def test_a_wheel_that_holds_something_else_is_refused(little, distributions, tmp_path):
    with pytest.raises(CourseError, match="does not hold the assignment little"):
        student_repository(little.assignment, distributions["wheel"], "github")
    (tmp_path / "redink-1.whl").write_bytes(b"no zip")
    with pytest.raises(CourseError, match="is no wheel of Redink"):
        student_repository(ROOT / "assignments/perceptron", tmp_path / "redink-1.whl", "github")
    done = little.redink("distribute", "little", "--to", "out", "--ci", "github")
    assert "--ci needs --wheel" in done.stderr


# -- their commands ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_students_workflow_runs_in_an_environment_with_only_what_it_installs(templates, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    where = tmp_path / "repository"
    subprocess.run(["cp", "-r", str(templates / "github/student"), str(where)], check=True)
    told = steps(where / ".github/workflows/redink.yml")
    bin = tmp_path / "env/bin"
    installed = bash(told["Install Redink"]["run"], where, bin, {"PIP_EXTRA_INDEX_URL": None})
    assert installed.returncode == 0, installed.stderr
    codes = {}
    for name, sources in {"right": solved(), "blank": blank()}.items():
        write_notebook(where / "perceptron.ipynb", sources)
        done = bash(told["Check"]["run"], where, bin, {"GITHUB_ACTIONS": "true"})
        codes[name] = done.returncode
        assert (where / "redink.xml").is_file(), done.stderr
        assert "::group::" in done.stdout
    (where / "perceptron.ipynb").write_text("Dear professor")
    codes["broken"] = bash(told["Check"]["run"], where, bin).returncode
    assert codes == {"right": 0, "blank": 1, "broken": 2}


@pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")
def test_the_courses_workflow_grades_by_its_own_commands(sealed, graded_course, distributions, tmp_path):
    desk = Desk(graded_course, "little")
    data = sealed.file.read_bytes()
    where = tmp_path / "course"
    unpack(course_repository([read_spec(desk.assignment)], distributions["wheel"], "github", data), where)
    write_notebook(tmp_path / "clones/little-ada/little.ipynb", desk.sources().values())
    git = ["git", "-C", str(tmp_path / "clones/little-ada"), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True)
    (where / "repositories.txt").write_text(f"{tmp_path / 'clones/little-ada'}\n")
    told = steps(where / ".github/workflows/grade.yml")
    assert file_hash(data) in told["Grade"]["run"]
    done = bash(told["Is student code walled in here?"]["run"], where, BIN)
    assert done.returncode == 0, done.stdout
    done = bash(told["Grade"]["run"], where, BIN, {"REDINK_IDENTITY": sealed.identity.read_text()})
    assert done.returncode == 0, done.stderr
    (result,) = json.loads((where / "results/little/ada.json").read_text())["results"]
    assert result["score"] == 100.0


def test_doctor_requires_as_much_as_it_is_told(monkeypatch):
    from click.testing import CliRunner

    from redink.grader.sandbox import doctor
    from redink_cli.app import redink

    for level, wanted in {"full": (0, 0), "good": (0, 1), "weak": (1, 1), "none": (1, 1)}.items():
        monkeypatch.setattr(doctor, "doctor", lambda level=level, **_: doctor.Examined(level=level))
        codes = tuple(
            CliRunner().invoke(redink, ["doctor", "--require", required]).exit_code for required in ("good", "full")
        )
        assert codes == wanted, level


def test_the_image_installs_at_pinned_versions_and_holds_no_solutions():
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert re.search(r"^FROM python:\d+\.\d+\.\d+-\w+$", text, re.MULTILINE)
    assert "--constraint constraints.txt" in text
    copied = {word for line in text.splitlines() if line.startswith("COPY") for word in line.split()[1:-1]}
    assert copied == {
        "pyproject.toml",
        "constraints.txt",
        "README.md",
        "LICENSE",
        "autograder",
        "cli",
        "datasets",
        "assignments",
    }
    assert all((ROOT / name).exists() for name in copied)


@pytest.mark.slow
def test_the_steps_of_the_image_run_in_a_clean_folder(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    where = tmp_path / "opt"
    where.mkdir()
    for line in (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines():
        if line.startswith("COPY"):
            *names, target = line.split()[1:]
            for name in names:
                subprocess.run(["cp", "-r", str(ROOT / name), str(where / target)], check=True)
        if line.startswith("RUN"):
            done = bash(
                line.removeprefix("RUN "), where, tmp_path / "env/bin", {"EXTRAS": "seal", "PIP_EXTRA_INDEX_URL": None}
            )
            assert done.returncode == 0, done.stderr
    assert "redink, version" in done.stdout
