"""Grading on a Dask cluster: the same results as here, over TLS, with walls, whatever is killed in the middle."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from redink.errors import CourseError
from redink.grader.workers.cluster import Cluster, _refuse_other_versions
from redink.grader.workers.on_cluster import do_order
from tests.conftest import FAULTS, Desk
from tests.dask_cluster import MOST_KILLS, PATIENCE, DaskCluster, dask_cluster, end_this_process
from tests.test_crash import descendants, is_alive, results_in
from tests.test_sharding import apart_from_times

pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")
STUDENTS = 8


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path / "cluster") as made:
        yield made


def on(cluster: DaskCluster, desk: Desk, *words: object) -> Any:
    return desk.redink("grade", "little", *words, "--cluster", cluster.address, env=cluster.environment())


def test_a_class_on_a_cluster_has_the_results_that_it_has_here(cluster, graded, graded_course):
    graded.book.unlink()
    done = on(cluster, graded, "class", "--json", "there.json")
    assert done.returncode == 0, done.stderr
    here, there = (apart_from_times(path) for path in (graded_course / "first.json", graded.root / "there.json"))
    assert there == here
    assert len([one for one in there.values() if one["box"]["walls"] and one["state"] == "graded"]) >= len(FAULTS)
    logs = "".join(path.read_text() for path in cluster.folder.glob("*.log"))
    assert not [name for name in FAULTS if name in logs]
    for file in cluster.folder.rglob("*"):
        assert not file.is_file() or b"ignores_a_common_shift" not in file.read_bytes()


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("tcp://10.0.0.1:8786", "is not encrypted"),
        ("tcp://scheduler.example.org:8786", "is not encrypted"),
        ("tcp://localhost:8786", "is not encrypted"),
        ("ws://127.0.0.1:8786", "is not encrypted"),
        ("127.0.0.1:8786", "is not encrypted"),
        ("tls://127.0.0.1:1", "tls:// needs Dask's certificates"),
    ],
)
def test_what_others_could_read_is_refused_before_anything_is_sent(address, told):
    with pytest.raises(CourseError, match=told):
        Cluster(address)


def test_other_versions_are_refused_by_both_sides():
    with pytest.raises(CourseError, match=r"the worker tls://b has Redink 0\.0\.9, and here is Redink"):
        _refuse_other_versions({"tls://b": "Redink 0.0.9"})
    with pytest.raises(CourseError, match="install the same on both"):
        do_order("Redink 0.0.9", bytes, b"")


# -- kill -9 -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def desk(little: Desk, graded_course: Path) -> Desk:
    """A class whose notebooks take a while, so that something can happen meanwhile, graded here as well."""
    shutil.copytree(graded_course / ".redink/keys", little.root / ".redink/keys")
    for number in range(STUDENTS):
        little.hand_in(f"student_{number}", {2: f"import time\nimport numpy as np\ntime.sleep(0.5)\nme = {number}"})
    little.grade("class", "--gradebook", "here.sqlite")
    (little.root / "out.json").rename(little.root / "here.json")
    return little


def start(cluster: DaskCluster, desk: Desk) -> subprocess.Popen[str]:
    from tests.conftest import environment

    command = desk.command("grade", "little", "class", "--json", "there.json", "--cluster", cluster.address)
    env = environment(cluster.environment())  # type: ignore[arg-type]
    return subprocess.Popen(command, cwd=desk.root, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "this never became true"
        time.sleep(0.02)


def the_same_in_the_end(desk: Desk) -> None:
    assert apart_from_times(desk.root / "there.json") == apart_from_times(desk.root / "here.json")
    assert len(results_in(desk.book)) == STUDENTS


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nobody_anything(cluster, desk):
    with start(cluster, desk) as grading:
        wait_until(lambda: results_in(desk.book))
        below = descendants(cluster.workers[0].pid)
        cluster.workers[0].kill()
        _, told = grading.communicate(timeout=PATIENCE)
    assert grading.returncode == 0, told
    assert below
    wait_until(lambda: not any(map(is_alive, below)))
    the_same_in_the_end(desk)


@pytest.mark.slow
def test_a_scheduler_that_is_killed_is_one_sentence_and_the_next_run_goes_on(cluster, desk, tmp_path):
    with start(cluster, desk) as grading:
        wait_until(lambda: results_in(desk.book))
        cluster.scheduler.kill()
        _, told = grading.communicate(timeout=PATIENCE)
    assert grading.returncode == 1
    assert "what was graded is kept" in told
    assert "Traceback" not in told
    kept = results_in(desk.book)
    assert 1 <= len(kept) < STUDENTS
    with dask_cluster(tmp_path / "another") as another:
        assert on(another, desk, "class", "--json", "there.json").returncode == 0
    assert {name: results_in(desk.book)[name] for name in kept} == kept
    the_same_in_the_end(desk)


@pytest.mark.slow
def test_a_coordinator_that_is_killed_loses_nothing_that_was_finished(cluster, desk):
    with start(cluster, desk) as grading:
        wait_until(lambda: results_in(desk.book))
        grading.kill()
    kept = results_in(desk.book)
    assert 1 <= len(kept) < STUDENTS
    done = on(cluster, desk, "class", "--json", "there.json")
    assert done.returncode == 0, done.stderr
    assert {name: results_in(desk.book)[name] for name in kept} == kept
    the_same_in_the_end(desk)


@pytest.mark.slow
def test_an_order_that_kills_three_workers_is_set_aside_with_a_reason(cluster, monkeypatch):
    for name, value in cluster.environment().items():
        monkeypatch.setenv(name, value)
    import dask

    dask.config.refresh()
    cluster.add_worker()
    cluster.add_worker()
    cluster.wait_for_workers(MOST_KILLS + 1)
    with Cluster(cluster.address) as there:
        killer = there.submit(end_this_process, b"")
        assert str(killer.exception(PATIENCE)) == "3 workers of the cluster were killed while they had it"
        assert there.submit(bytes, b"on").result(PATIENCE) == b"on"
    assert sum(worker.poll() is not None for worker in cluster.processes) == MOST_KILLS
