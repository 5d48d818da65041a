"""Running the commands of a workflow file as its platform does, in an environment with only what they install."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import environment

_OURS = ("REDINK_", "GITHUB_", "GITLAB_", "CI_", "PYTHON", "VIRTUAL_ENV")  # what this test run has of its own


def steps(path: Path) -> dict[str, dict[str, Any]]:
    """Return the steps of a workflow's one job that run commands, by name."""
    (job,) = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    return {step["name"]: step for step in job["steps"] if "run" in step}


def script(path: Path) -> list[str]:
    """Return the commands of GitLab's one job."""
    (job,) = yaml.safe_load(path.read_text(encoding="utf-8")).values()
    commands: list[str] = job["script"]
    return commands


def bash(run: str, where: Path, bin: Path, env: dict[str, str | None] | None = None) -> Any:
    """Run a step as GitHub does: in bash, which stops at the first failure."""
    bare: dict[str, str | None] = {name: None for name in os.environ if name.startswith(_OURS)}
    around = environment({**bare, "PATH": f"{bin}:{os.environ['PATH']}", **(env or {})})
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run], cwd=where, env=around,
                          capture_output=True, text=True, check=False)  # fmt: skip


def clean_environment(folder: Path) -> Path:
    """Make an environment that has nothing but pip, and return where its commands are."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder / "bin"


def commit(folder: Path) -> None:
    """Make a repository of a folder, or the next commit of one."""
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], [*who, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
