"""Submissions that are graded beside or after one another cannot pass notes: one file for each channel, tried for real.

Two boxes, one file that both can read: what the second one sees is the same, whether the first has left a note or not. Each
channel that the filter closes is seen to carry a note where the filter is taken away: a note that never arrives proves
nothing. What stays open is declared in the channel's file, and told in docs/threat-model.md.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from redink.grader.sandbox.client import Zygote
from redink.records import Cell, Limits

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("channel_runner", HERE / "channels/runner.py")
assert _spec is not None and _spec.loader is not None
runner = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(runner)

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")
SITUATIONS = ["root", "root without namespaces", "user", "user without namespaces"]
WITHOUT_THE_FILTER = "user without namespaces, seccomp"
_UID = 60_124
_MOMENTS = ("alone", "beside", "after")


@pytest.fixture(scope="session", params=SITUATIONS)
def situation(request: pytest.FixtureRequest) -> str:
    if "root" in request.param and os.getuid():
        pytest.skip("this test run is not root's")
    return str(request.param)


@pytest.fixture(scope="session")
def seen(situation: str, shared: Callable[..., Path]) -> dict[str, dict[str, str]]:
    """Try all channels once in a situation."""
    return tried(situation, shared)


@pytest.fixture(scope="session")
def unfiltered(shared: Callable[..., Path]) -> dict[str, dict[str, str]]:
    """Try the channels that the filter closes where there is none."""
    return tried(WITHOUT_THE_FILTER, shared)


def tried(situation: str, shared: Callable[..., Path]) -> dict[str, dict[str, str]]:
    def fill(folder: Path) -> None:
        with (
            tempfile.TemporaryDirectory(prefix="redink-channels-", dir=f"{sys.prefix}/lib") as read_by_all,
            tempfile.TemporaryDirectory(prefix="redink-channels-") as private,
        ):
            _run(Path(read_by_all), Path(private), situation)
            shutil.copy(Path(private, "out.json"), folder / "out.json")

    found: dict[str, dict[str, str]] = json.loads(
        (shared(f"channels {situation}", fill) / "out.json").read_text(encoding="utf-8")
    )
    return found


def _run(read_by_all: Path, private: Path, situation: str) -> None:
    without = situation.partition(" without ")[2].split(", ")
    command = [sys.executable, str(HERE / "channels/runner.py"), str(read_by_all), str(private / "out.json")]
    command += filter(None, without)
    read_by_all.chmod(0o755)
    if "user" in situation and os.getuid() == 0:
        command = [sys.executable, str(HERE / "attacks/ordinary.py"), str(_UID), *command]
        for path in (read_by_all, private):
            os.chown(path, _UID, _UID)
    elsewhere = {**os.environ, "HOME": str(private), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=private, env=elsewhere, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("channel", runner.NOTES)
def test_a_box_sees_the_same_whether_another_has_left_a_note_or_not(
    situation: str, seen: dict[str, dict[str, str]], channel: str
) -> None:
    if situation in (where.strip() for where in runner.declared(channel).get("open", "").split(",")):
        assert channel.replace("_", " ") in (HERE.parent / "docs/threat-model.md").read_text(encoding="utf-8")
    else:
        assert len({seen[channel][moment] for moment in _MOMENTS}) == 1, seen[channel]


@pytest.mark.slow  # whether a note arrives that nothing stops, depends on what else the machine does
@pytest.mark.parametrize("channel", runner.tried(["seccomp"]))
def test_without_the_filter_the_note_arrives(unfiltered: dict[str, dict[str, str]], channel: str) -> None:
    if "OSError 25" in unfiltered[channel]["left"]:
        pytest.skip("this file system knows no flags")
    if "OSError 38" in unfiltered[channel]["alone"]:
        pytest.skip("this kernel does not know the call")
    assert len({unfiltered[channel][moment] for moment in _MOMENTS}) > 1, unfiltered[channel]


HONEST = """
import asyncio, fcntl, os, shutil, socket, sqlite3, subprocess, sys, tempfile
for mode in ("delete", "wal"):
    with sqlite3.connect(f"{mode}.db") as data, sqlite3.connect(f"{mode}.db") as again:
        print(data.execute(f"pragma journal_mode = {mode}").fetchone())
        data.execute("create table t (x)")
        data.executemany("insert into t values (?)", [(1,), (2,)])
        data.commit()
        print(again.execute("select sum(x) from t").fetchone())
with open("locked", "w") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
with tempfile.TemporaryFile() as file:
    print(file.write(b"x"), shutil.copyfile("delete.db", "copy.db"), os.isatty(file.fileno()))
print(subprocess.run(["cp", "copy.db", "third.db"]).returncode, os.path.getsize("third.db") > 0)
print(subprocess.run(["sort"], input=b"b\\na\\n", capture_output=True, pipesize=1 << 16).stdout)
async def hello():
    made = await asyncio.create_subprocess_exec("echo", "hello", stdout=subprocess.PIPE)
    return (await made.communicate())[0]
print(asyncio.run(hello()))
here, there = socket.socketpair()
here.setblocking(False)
here.send(b"pair")
print(there.recv(4))
"""
POOL = """
import multiprocessing
def double(x):
    return 2 * x
with multiprocessing.Pool(2) as pool:
    print(pool.map(double, range(3)))
"""
FIGURE = """
import io
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.savefig("figure.png")
print("drawn")
"""


def _outputs(without: tuple[str, ...], *sources: str) -> list[str]:
    cells = [Cell(index=number, source=source) for number, source in enumerate(sources, 1)]
    with Zygote(torch=False, without=without) as zygote:
        seen = zygote.observe(cells, [], Limits())
    if not without and "mount_ns" in seen.box.missing:
        pytest.skip("this machine has no namespaces")
    assert [run.error for run in seen.cells] == [""] * len(cells)
    return [run.output for run in seen.cells]


@pytest.mark.parametrize("without", [(), ("namespaces",)], ids=["walled", "without_namespaces"])
def test_honest_programs_notice_nothing(without: tuple[str, ...]) -> None:
    said, drawn = _outputs(without, HONEST, FIGURE)
    assert said.splitlines() == [
        "('delete',)", "(3,)", "('wal',)", "(3,)", "1 copy.db False", "0 True", "b'a\\nb\\n'", "b'hello\\n'", "b'pair'",
    ]  # fmt: skip
    assert drawn == "drawn\n"


def test_processes_of_one_notebook_still_work_together() -> None:
    assert _outputs((), POOL) == ["[0, 2, 4]\n"]
