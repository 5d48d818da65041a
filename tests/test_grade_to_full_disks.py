"""Places that cannot be written, and disks that are full: one sentence, and what was there stays."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path
from typing import Any

import pytest


def grade(desk: Any, *options: object, **how: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        desk.command("grade", "little", "class", *options, boxes=False), cwd=desk.root, capture_output=True, text=True,
        check=False, **how,
    )  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        ["--json", "/dev/full"],
        ["--json", "first.txt/below.json"],
        ["--summary", "/dev/full"],
        ["--summary", "first.txt/below.md"],
        ["--gradebook", "/dev/full"],
        ["--gradebook", "first.txt/below.sqlite"],
    ],
)
def test_a_place_that_cannot_be_written_is_one_sentence(graded, options):
    before = Path("/dev/full").stat()
    done = grade(graded, *options)
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("redink: ")
    after = Path("/dev/full").stat()
    assert (before.st_mode, before.st_ino) == (after.st_mode, after.st_ino)


def test_a_full_disk_is_one_sentence_and_what_was_there_stays(graded):
    graded.edit(
        graded.solution / "misconceptions.py", "In which unit", "Now in which unit"
    )  # everything is judged again
    done = grade(
        graded, "--json", "second.json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    )
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "gradebook" in done.stderr
    assert not list(graded.root.glob("second.json*"))
    again = graded.redink("grade", "little", "class", "--json", "second.json")
    assert again.returncode == 0, again.stderr


def test_a_half_written_results_file_never_stays(graded):
    limit = 16 * 1024
    done = grade(
        graded, "--json", "second.json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not list(graded.root.glob("second.json*"))


def test_results_may_be_written_to_a_device_which_stays_a_device(graded):
    done = grade(graded, "--json", "/dev/stdout")
    assert done.returncode == 0, done.stderr
    assert '"schema": "redink/results/1"' in done.stdout
    assert not Path("/dev/stdout.part").exists()
