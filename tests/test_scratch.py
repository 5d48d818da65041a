"""The folders of zygotes: none stays when its grader was killed, and none goes while somebody needs it."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redink.box import processes, scratch
from redink.grader.sandbox.client import Zygote
from redink.records import Cell, Limits

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")
GRADER = """
import time
from redink.grader.sandbox.client import Zygote
from redink.records import Limits
zygote = Zygote(torch=False)
zygote.observe([], [], Limits())
print(zygote._folder, zygote._own.folder, flush=True)
time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tmp_path.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def wait_until(true: Callable[[], bool]) -> bool:
    """Look again and again, for a minute at most."""
    deadline = time.monotonic() + 60
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    return true()


def swept() -> None:
    """Sweep, and wait until all that has begun to go is gone."""
    scratch.sweep()
    assert wait_until(lambda: all(one.poll() is not None for one in scratch._removals))


def aged(folder: Path) -> Path:
    os.utime(folder, (0, 0))
    return folder


def left_by_the_dead() -> Path:
    folder, log = scratch.make()
    log.close()
    (folder / "box").mkdir()
    return folder


def held() -> Path:
    folder, log = scratch.make()
    held.logs.append(log)  # type: ignore[attr-defined] # kept open
    return folder


held.logs = []  # type: ignore[attr-defined]


def without_a_log() -> Path:
    return Path(tempfile.mkdtemp(prefix="redink-box-"))


def locked_inside() -> Path:
    folder = left_by_the_dead()
    (folder / "box/closed").mkdir()
    (folder / "box/closed").chmod(0)
    return folder


@pytest.mark.parametrize(
    ("made", "old", "goes"),
    [
        (left_by_the_dead, True, True),
        (left_by_the_dead, False, False),
        (held, True, False),
        (without_a_log, True, True),
        (without_a_log, False, False),
        (locked_inside, True, True),
    ],
)
def test_only_what_nobody_holds_is_swept(place: Path, made: Callable[[], Path], old: bool, goes: bool) -> None:
    folder = made()
    if old:
        aged(folder)
    swept()
    assert folder.exists() == (not goes)


def test_who_removes_a_folder_works_in_it_so_that_no_second_sweep_begins(place: Path, monkeypatch: Any) -> None:
    folder = aged(left_by_the_dead())
    (place / "gate").touch()
    waiting = f"while [ -e {place}/gate ]; do sleep 0.02; done; {scratch._REMOVE}"
    monkeypatch.setattr(scratch, "_REMOVE", waiting)
    scratch.sweep()
    scratch.sweep()
    assert folder.exists()
    assert len([one for one in scratch._removals if one.poll() is None]) == 1
    (place / "gate").unlink()
    assert wait_until(lambda: not folder.exists())


MANY = """
import os
for number in range(20_000):
    os.mkdir(f"folder{number}")
os.mkdir("closed", 0)
"""


def test_no_submission_waits_for_what_another_has_left_to_clear(place: Path, monkeypatch: Any) -> None:
    (place / "gate").touch()
    with monkeypatch.context() as slowly:
        slowly.setattr(scratch, "_REMOVE", f"while [ -e {place}/gate ]; do sleep 0.02; done; {scratch._REMOVE}")
        with Zygote(torch=False, without=("namespaces",)) as zygote:
            first = zygote.observe([Cell(index=1, source=MANY)], [], Limits())
            folder = zygote._folder
            assert folder is not None
            (gone,) = folder.glob("gone-*")
            assert first.cells[0].status == "ok" and len(list((gone / "work").iterdir())) == 20_001
            following = zygote.observe([Cell(index=1, source="import os\nprint(os.listdir())")], [], Limits())
            assert following.cells[0].output == "[]\n"
            assert (gone / "work/folder0").exists(), "it was served first"
            assert zygote._folder == folder, "by the same zygote"
            (place / "gate").unlink()
    assert wait_until(lambda: not list(place.glob("redink-box-*")))


def test_a_folder_in_which_a_process_works_stays(place: Path) -> None:
    folder = aged(left_by_the_dead())
    with subprocess.Popen(["/bin/sleep", "60"], cwd=folder / "box") as worker:
        swept()
        assert folder.exists()
        worker.kill()
    swept()
    assert not folder.exists()


def test_a_link_is_no_folder_and_its_target_stays(place: Path) -> None:
    target = place / "precious"
    target.mkdir()
    (target / "log").touch()
    aged(target)
    (place / "redink-box-link").symlink_to(target)
    os.utime(place / "redink-box-link", (0, 0), follow_symlinks=False)
    planted = left_by_the_dead()
    (planted / "box/out").symlink_to(target)
    aged(planted)
    swept()
    assert (target / "log").exists()
    assert (place / "redink-box-link").is_symlink()
    assert not planted.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make another user's folder")
def test_another_users_folder_stays(place: Path) -> None:
    folder = left_by_the_dead()
    os.chown(folder, 60_123, 60_123)
    aged(folder)
    swept()
    assert folder.exists()


@pytest.mark.parametrize("whole_family", [False, True], ids=["grader alone", "grader and zygote"])
def test_what_a_killed_grader_leaves_is_gone_when_the_next_one_has_started(place: Path, whole_family: bool) -> None:
    environment = {**os.environ, "TMPDIR": str(place)}
    grader = subprocess.Popen([sys.executable, "-c", GRADER], stdout=subprocess.PIPE, text=True, env=environment)
    assert grader.stdout is not None
    folders = [Path(path) for path in grader.stdout.readline().split()]
    assert {folder.parent for folder in folders} == {place}
    for folder in folders:
        aged(folder)
    swept()
    assert all(folder.exists() for folder in folders)
    family = [os.pidfd_open(member.pid) for member in processes.family(grader.pid)]
    if whole_family:
        processes.kill_descendants_of(grader.pid)
    grader.kill()
    grader.communicate()
    for one in family:
        assert select.select([one], [], [], 60)[0]
        os.close(one)
    for folder in folders:
        if folder.exists():
            assert whole_family
            aged(folder)
    with Zygote(torch=False) as next_one:
        next_one.observe([], [], Limits())
        assert next_one._own is not None
        assert wait_until(lambda: not any(folder.exists() for folder in folders))
        assert set(place.glob("redink-box-*")) == {next_one._folder, next_one._own.folder}
    assert not list(place.glob("redink-box-*"))
