"""Control groups: where one may be made, what is written there, and that a box does without where there is none.

Only a machine on which a group of version 2 was delegated runs the last tests for real; elsewhere the kernel is played by
a folder of plain files.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from redink.grader.sandbox import cgroups
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.doctor import doctor
from redink.records import Cell, Limits

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")
DELEGATED = cgroups.place() is not None
LIMITS = Limits(memory_mb=150, disk_mb=50, processes=10)
HYBRID = "9:name=systemd:/\n4:memory:/somewhere\n0::/{}\n"
FAMILY = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        ours = bytearray(100_000_000)
        for at in range(0, len(ours), 4096): ours[at] = 1
        time.sleep(60)
time.sleep(60)
"""


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree like a user's session under systemd: a slice that passes its controllers on, and our scope inside."""
    for group, passed_on in {"": "cpu", "user/slice": "cpu memory pids", "user/slice/scope": "", "user": ""}.items():
        (tmp_path / group).mkdir(parents=True, exist_ok=True)
        (tmp_path / group / "cgroup.subtree_control").write_text(passed_on)
        (tmp_path / group / "cgroup.procs").write_text("")
    monkeypatch.setattr(Path, "rmdir", shutil.rmtree)  # a real group goes with its files
    return tmp_path


def mounted(tree: Path, shown: str = "/") -> str:
    return f"24 1 0:5 / /proc rw - proc proc rw\n30 24 0:26 {shown} {tree} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"


@pytest.mark.parametrize(
    ("membership", "shown", "found"),
    [
        ("0::/user/slice/scope\n", "/", "user/slice"),
        ("0::/user/slice\n", "/", "user/slice"),
        ("0::/user\n", "/", None),
        ("0::/\n", "/", None),
        ("0::/machine/user/slice/scope\n", "/machine", "user/slice"),
        ("0::/machinery/user/slice/scope\n", "/machine", None),
        ("0::/../outside\n", "/", None),
        (HYBRID.format("user/slice/scope"), "/", "user/slice"),
        ("4:memory:/user/slice\n", "/", None),
        ("", "/", None),
    ],
)
def test_the_nearest_group_that_passes_both_controllers_on_is_taken(
    kernel: Path, membership: str, shown: str, found: str | None
) -> None:
    assert cgroups.delegated(membership, mounted(kernel, shown)) == (kernel / found if found else None)


def test_no_group_of_version_2_is_no_place(tmp_path: Path) -> None:
    old = f"30 24 0:26 / {tmp_path} rw - cgroup cgroup rw,memory\n"
    assert cgroups.delegated("0::/\n", old) is None


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_group_that_is_not_ours_is_no_place(kernel: Path) -> None:
    (kernel / "user/slice").chmod(0o500)
    assert cgroups.delegated("0::/user/slice/scope\n", mounted(kernel)) is None


def test_a_group_has_the_limits_of_its_submission_and_goes_with_it(kernel: Path) -> None:
    group = cgroups.ControlGroup(kernel / "user/slice", LIMITS)
    (made,) = (kernel / "user/slice").glob("redink-box-*")
    group.add(4321)
    written = {
        name: (made / name).read_text() for name in ("memory.max", "memory.oom.group", "pids.max", "cgroup.procs")
    }
    memory = str((150 + 50 + 64) * 1024 * 1024)
    assert written == {"memory.max": memory, "memory.oom.group": "1", "pids.max": "18", "cgroup.procs": "4321"}
    with pytest.raises(ProcessLookupError):
        group.add(0)
    assert not group.ran_out_of_memory()
    (made / "memory.events").write_text("low 0\nhigh 0\nmax 12\noom 1\noom_kill 5\n")
    assert group.ran_out_of_memory()
    group.remove()
    assert not made.exists()


def test_groups_of_dead_graders_are_swept_and_no_others(kernel: Path) -> None:
    for name in ("redink-box-999999999-1", f"redink-box-{os.getpid()}-1", "redink-box-strange", "somebody-else"):
        (kernel / name).mkdir()
    cgroups.sweep(kernel)
    left = {path.name for path in kernel.iterdir() if path.is_dir()}
    assert left == {f"redink-box-{os.getpid()}-1", "redink-box-strange", "somebody-else", "user"}


def test_a_place_that_refuses_after_all_costs_nobody_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "place", lambda: tmp_path / "nowhere")
    with Zygote(torch=False) as zygote:
        seen = zygote.observe([Cell(index=1, source="a = 1")], [], LIMITS)
    assert seen.cells[0].status == "ok"
    assert "cgroup" in seen.box.missing


def test_a_child_is_put_into_a_group_and_the_result_says_so(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "place", lambda: kernel)
    inside: list[int] = []
    monkeypatch.setattr(cgroups.ControlGroup, "add", lambda group, pid: inside.append(pid))
    monkeypatch.setattr(cgroups.ControlGroup, "ran_out_of_memory", lambda group: True)
    cells = [Cell(index=1, source="a = 1"), Cell(index=2, source="import os\nos.kill(os.getpid(), 9)")]
    with Zygote(torch=False) as zygote:
        seen = zygote.observe(cells, [], LIMITS)
        assert not list(kernel.glob("redink-box-*"))
    assert "cgroup" in seen.box.walls
    assert len(inside) == 2 and all(pid > 1 for pid in inside)  # the second cell cost the first child
    assert seen.cells[1].error == "used more than 150 MB of memory"


def test_the_doctor_tells_by_having_tried() -> None:
    told = {one.name: one for one in doctor().findings}["cgroup"]
    assert told.holds == DELEGATED
    assert told.holds or (told.detail and told.remedy)


@pytest.mark.skipif(not DELEGATED, reason="no control group of version 2 was delegated to us")
@pytest.mark.parametrize("without", [(), ("namespaces",)])
def test_the_kernel_keeps_a_family_within_its_memory(without: tuple[str, ...]) -> None:
    cells = [Cell(index=1, source="a = 1"), Cell(index=2, source=FAMILY), Cell(index=3, source="b = a")]
    with Zygote(torch=False, without=without) as zygote:
        seen = zygote.observe(cells, [], LIMITS)
    assert "cgroup" in seen.box.walls
    assert [run.status for run in seen.cells] == ["ok", "error", "ok"]
    assert seen.cells[1].error == "used more than 150 MB of memory"
    place = cgroups.place()
    assert place is not None and not list(place.glob(f"redink-box-{os.getpid()}-*"))
