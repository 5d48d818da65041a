"""The files of docs/scale.md can be copied: they fit their schemas, agree with themselves, and do what they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from redink.grader.sharding.share import Share, read_share
from tests.conftest import ROOT, environment
from tests.packed_class import exported

BIN = Path(sys.executable).parent
PAGE = (ROOT / "docs/scale.md").read_text(encoding="utf-8")


def block(language: str, holds: str) -> str:
    """Find the block of a language that holds a text."""
    (found,) = [text for text in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if holds in text]
    return str(found)


def tool(*words: object) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / str(words[0])), *map(str, words[1:])]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)


def test_the_workflow_fits_its_schema_and_is_safe(tmp_path):
    path = tmp_path / ".github/workflows/grade.yml"
    path.parent.mkdir(parents=True)
    path.write_text(block("yaml", "workflow_dispatch"))
    done = tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", path)
    assert done.returncode == 0, done.stdout
    done = tool("zizmor", "--offline", "--no-progress", path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_indexed_job_tells_its_pods_how_many_they_are():
    job = yaml.safe_load(block("yaml", "Indexed"))["spec"]
    (grade,) = job["template"]["spec"]["containers"]
    told = {one["name"]: one.get("value") for one in grade["env"]}
    assert told["REDINK_SHARDS"] == str(job["completions"])
    assert read_share("auto", {**told, "JOB_COMPLETION_INDEX": "19"}) == Share(20, 20)
    assert grade["command"][:2] == ["redink", "grade"]


@pytest.mark.slow
def test_the_array_of_slurm_grades_the_class(shards: Path, packed_class: Any, tmp_path):
    folder = tmp_path / "cluster"
    (folder / "redink-env/bin").mkdir(parents=True)
    (folder / "redink-env/bin/activate").write_text(f"PATH={BIN}:$PATH\n")
    shutil.copy(packed_class.job, folder / "class.job")
    shutil.copy(packed_class.identity, folder / "course.identity")
    script = block("bash", "--array=1-20")
    (folder / "class.sbatch").write_text(script)
    for number in (1, 2):
        told = {"ID": number, "MIN": 1, "MAX": 2, "COUNT": 2, "STEP": 1}
        slurm = {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in told.items()}
        slurm |= {"SLURM_CPUS_PER_TASK": "1", "JOB_SHA256": packed_class.sha256}
        done = subprocess.run(
            ["bash", "-eu", "class.sbatch"], cwd=folder, env=environment({**os.environ, **slurm}), check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    done = packed_class.desk.redink("merge", *sorted((folder / "shards").glob("*.shard")))
    assert done.returncode == 0, done.stderr
    assert exported(packed_class.desk) == (shards / "grades.csv").read_text()
