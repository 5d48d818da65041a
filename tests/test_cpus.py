"""How many submissions run in parallel: the CPUs that we are bound to and the quota of our control groups."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from redink.grader.cpus import usable_cpus


@pytest.fixture
def cpus(tmp_path, monkeypatch):
    """Ask on a machine of 16 CPUs, with a fake directory of control groups."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)

    def ask(membership: str, files: dict[str, str]) -> int:
        (tmp_path / "membership").write_text(membership)
        for name, content in files.items():
            path = tmp_path / "cgroup" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return usable_cpus(tmp_path / "cgroup", tmp_path / "membership")

    return ask


@pytest.mark.parametrize(
    ("membership", "files", "count"),
    [
        ("0::/\n", {}, 16),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 16),
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "1000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "6400000 100000\n"}, 16),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "300000 100000", "cpu.max": "900000 100000"}, 3),
        ("0::/a/b\n", {"a/b/cpu.max": "100000 50000", "a/cpu.max": "300000 100000"}, 2),
        ("0::/docker/abc\n", {"cpu.max": "200000 100000"}, 2),  # the container's own group is its root
        ("0::/../../x\n", {"cpu.max": "200000 100000"}, 2),
        ("0::/\n", {"cpu.max": "nonsense\n"}, 16),
        ("0::/\n", {"cpu.max": "0 0\n"}, 16),
        ("nonsense\n", {"cpu.max": "200000 100000\n"}, 16),
        (
            "4:cpu,cpuacct:/a\n3:cpuset:/z\n0::/\n",
            {"cpu,cpuacct/a/cpu.cfs_quota_us": "400000\n", "cpu,cpuacct/a/cpu.cfs_period_us": "100000\n"},
            4,
        ),
        ("4:cpu:/a\n", {"cpu/cpu.cfs_quota_us": "500000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 5),
        ("4:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 16),
        ("4:cpu,cpuacct:/\n", {"cpu/cpu.cfs_quota_us": "200000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 2),
        ("9:name=systemd:/\n0::/a\n", {"unified/a/cpu.max": "700000 100000\n"}, 7),
    ],
)
def test_the_smallest_quota_of_our_groups_and_their_parents_counts(cpus, membership, files, count):
    assert cpus(membership, files) == count


def test_the_cpus_that_the_process_is_bound_to_count(cpus, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert cpus("0::/\n", {"cpu.max": "400000 100000\n"}) == 1


def test_a_system_without_affinity_or_groups_has_the_cpus_that_python_counts(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert usable_cpus(Path("/nowhere"), Path("/nowhere")) == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cpus(Path("/nowhere"), Path("/nowhere")) == 1


def test_this_machine_has_some():
    assert 1 <= usable_cpus() <= (os.cpu_count() or 1)
