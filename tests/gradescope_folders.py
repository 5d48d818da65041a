"""Gradescope's folders, laid out below a temporary root, and the rules that its results.json must keep."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.conftest import environment

NOW = datetime.now(UTC)
PAST, FUTURE = NOW - timedelta(days=3), NOW + timedelta(days=3)
_VISIBILITY = {"hidden", "after_due_date", "after_published", "visible"}
_FORMATS = {"text", "html", "simple_format", "md", "ansi"}
_TOP = {
    "score": float, "execution_time": float, "output": str, "output_format": _FORMATS, "test_output_format": _FORMATS,
    "test_name_format": _FORMATS, "visibility": _VISIBILITY, "stdout_visibility": _VISIBILITY, "extra_data": dict,
    "tests": list, "leaderboard": list,
}  # fmt: skip
_TEST = {
    "score": float, "max_score": float, "status": {"passed", "failed"}, "name": str, "name_format": _FORMATS,
    "number": str, "output": str, "output_format": _FORMATS, "tags": list, "visibility": _VISIBILITY, "extra_data": dict,
}  # fmt: skip


def violations(told: Mapping[str, Any]) -> list[str]:
    """List what Gradescope would not take."""
    found = _wrong_fields(told, _TOP, "top")
    tests = told.get("tests", [])
    for at, test in enumerate(tests):
        found += _wrong_fields(test, _TEST, f"test {at}")
        if test.get("score", 0) > test.get("max_score", 0) or test.get("score", 0) < 0:
            found.append(f"test {at}: {test['score']} of {test.get('max_score')} points")
    if "score" not in told and not (tests and all("score" in test for test in tests)):
        found.append("there is neither a score nor a score on every test")
    return found


def _wrong_fields(told: Mapping[str, Any], known: Mapping[str, Any], where: str) -> list[str]:
    found = [f"{where}: {name} is unknown" for name in told if name not in known]
    for name, kind in known.items():
        if name in told:
            value = told[name]
            number = kind is float and isinstance(value, int | float) and not isinstance(value, bool)
            if not (number or (value in kind if isinstance(kind, set) else isinstance(value, kind))):
                found.append(f"{where}: {name} is {value!r}")
    return found


class Container:
    """What Gradescope has of one submission: its folders, the zip's files among them."""

    def __init__(self, root: Path, archive: Path) -> None:
        self.root = root
        for name in ("source", "submission", "results"):
            (root / name).mkdir(parents=True)
        with zipfile.ZipFile(archive) as files:
            files.extractall(root / "source")
        (root / "run_autograder").write_bytes((root / "source/run_autograder").read_bytes())
        (root / "run_autograder").chmod(0o755)
        self.say()

    def say(self, due: datetime | None = None, late: datetime | None = None) -> None:
        """Write what Gradescope says of a submission."""
        dates = {"due_date": due and due.isoformat(), "late_due_date": late and late.isoformat()}
        assignment = {**dates, "id": 25828, "course_id": 1234, "title": "Little", "total_points": "100.0"}
        told = {"id": 123456, "created_at": NOW.isoformat(), "assignment": assignment, "submission_method": "upload"}
        people = {"users": [{"email": "ada@example.org", "id": 1, "name": "Ada"}], "previous_submissions": []}
        (self.root / "submission_metadata.json").write_text(json.dumps(told | people), encoding="utf-8")

    def use_our_environment(self) -> None:
        """Have the environment of these tests in the place of the one that setup.sh makes."""
        (self.root / "redink").symlink_to(sys.prefix)

    def run(self, *before: str) -> subprocess.CompletedProcess[str]:
        """Run the autograder, as Gradescope does; `before` stands before the command."""
        return subprocess.run(
            [*before, str(self.root / "run_autograder")], cwd="/", env=environment({"GITHUB_STEP_SUMMARY": None}),
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def results(self) -> dict[str, Any]:
        """Read results.json and hold it to the rules."""
        told: dict[str, Any] = json.loads((self.root / "results/results.json").read_text(encoding="utf-8"))
        assert violations(told) == []
        return told

    def graded(self, *before: str) -> dict[str, Any]:
        done = self.run(*before)
        assert done.returncode == 0, done.stderr
        return self.results()


def counted(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Give the tests that carry points."""
    return [test for test in told["tests"] if "score" in test]


def seen_at_once(told: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return [test for test in told["tests"] if test["visibility"] == "visible"]


def is_root() -> bool:
    return hasattr(os, "getuid") and os.getuid() == 0
