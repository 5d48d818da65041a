"""No submission sleeps away a worker: whatever it waits for, the wall time of all of it together has one bound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from redink import wire
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.session import MOST_RESPAWNS
from redink.records import Cell, Limits, Observed, Request

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")

LIMITS = Limits(cell_cpu=0.5, check_cpu=0.5, total_cpu=2.0, wall_factor=2.0)
SENTENCE = "the submission waited too long: 2 s of sleeping or waiting in all"
CALL_F = "def when(student, x):\n    return student.f(x)\n"
SOCKET = """
import msgspec, os, socket, stat, time
def grader_socket():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return socket.socket(fileno=os.dup(fd))
        except OSError:
            pass
def frame(**message):
    data = msgspec.msgpack.encode(message)
    return len(data).to_bytes(8, 'little') + data
ours = grader_socket()
def f(x): return 1
"""


@pytest.fixture(
    scope="module",
    params=[pytest.param((), id="walled"), pytest.param(("namespaces",), id="without_namespaces")],
)
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    with Zygote(torch=False, without=request.param) as made:
        yield made


def observed(zygote: Zygote, *sources: str, size: int = 1, limits: Limits = LIMITS) -> Observed:
    """Observe cells, and `f` on three published and three secret inputs, each a check of its own."""
    cells = [Cell(index=number, source=source) for number, source in enumerate(sources, 1)]
    inputs = wire.encode({"x": np.zeros(size)})
    requests = [
        Request(id=f"c{number}/{kind}0", when=CALL_F, inputs=inputs, group=f"c{number}{kind}")
        for kind in "ps"
        for number in range(3)
    ]
    return zygote.observe(cells, requests, limits)


def bound(seen: Observed, limits: Limits = LIMITS) -> float:
    """Return the wall seconds that a submission may hold a worker, in all: its own, and a second for each child's end."""
    return limits.wall(seen.cpu_seconds) + 1 + MOST_RESPAWNS


WAITS = {
    "sleeping cells": ("import time\ndef f(x): return 1", *["time.sleep(0.7)"] * 5),
    "sleeping calls": ("import time\ndef f(x):\n    time.sleep(0.7)\n    return 1",),
    "stopped cell": ("import os, signal\ndef f(x): return 1", "os.kill(os.getpid(), signal.SIGSTOP)"),
    "stopped parent": ("import os, signal\ndef f(x):\n    os.kill(os.getppid(), signal.SIGSTOP)\n    os._exit(0)",),
    "stopped runner": ("import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.SIGSTOP)\n    return 1",),
    "trickled frame": (
        SOCKET + "def f(x):\n    ours.sendall((4000).to_bytes(8, 'little'))\n"
        "    while True:\n        time.sleep(0.02)\n        ours.sendall(b'x')",
    ),
    "unread messages": (
        SOCKET,
        "ours.sendall(frame(type='cell', run=dict(index=2, status='ok')))\nos.read(os.pipe()[0], 1)",
    ),
    "swallowed messages": (
        SOCKET,
        "ours.sendall(frame(type='cell', run=dict(index=2, status='ok')))\nwhile True: ours.recv(100)",
    ),
    "slow deaths": (
        "import os, signal, time\n"
        "def f(x):\n    time.sleep(0.6)\n    os.kill(os.getppid(), signal.SIGKILL)\n    time.sleep(60)",
    ),
    "sleeps when it runs again": (
        "import os, signal, time\ntime.sleep(0.7)\ndef f(x):\n    os.kill(os.getppid(), signal.SIGKILL)\n    time.sleep(60)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WAITS)
def test_waiting_has_one_bound_for_the_whole_submission_and_is_told(zygote: Zygote, what: str) -> None:
    seen = observed(zygote, *WAITS[what], size=200_000 if what == "unread messages" else 1)
    told = [run.error for run in seen.cells] + [one.error for one in seen.observations.values()]
    assert SENTENCE in told
    assert len(seen.observations) == 6
    assert {one.error for one in seen.observations.values() if one.status == "unreachable"} <= {SENTENCE}
    assert seen.wall_seconds < 5 * bound(seen)


def test_a_flood_of_frames_is_no_way_to_hold_a_worker(zygote: Zygote) -> None:
    flood = SOCKET + "def f(x):\n    while True: ours.sendall(frame(type='runner_ended', code=0) * 1000)"
    seen = observed(zygote, flood)
    assert {one.status for one in seen.observations.values()} <= {"died", "timeout", "unreachable"}
    assert seen.wall_seconds < 5 * bound(seen)


def test_what_ran_when_the_patience_ended_timed_out_and_the_rest_is_not_run(zygote: Zygote) -> None:
    patient = msgspec.structs.replace(LIMITS, cell_cpu=5.0)
    seen = observed(zygote, "import time", "time.sleep(60)", "ran = 1", limits=patient)
    assert [(run.status, run.error) for run in seen.cells] == [("ok", ""), ("timeout", SENTENCE), ("skipped", SENTENCE)]
    assert {(one.status, one.error) for one in seen.observations.values()} == {("unreachable", SENTENCE)}


def test_time_outs_of_many_checks_do_not_add_up(zygote: Zygote) -> None:
    requests = [Request(id=f"c{n}/s0", when=CALL_F, inputs=wire.encode({"x": 1}), group=f"c{n}") for n in range(60)]
    cells = [Cell(index=1, source="import time\ndef f(x): time.sleep(60)")]
    seen = zygote.observe(cells, requests, LIMITS)
    statuses = [one.status for one in seen.observations.values()]
    assert statuses.count("timeout") <= 4
    assert statuses == sorted(statuses)
    assert seen.wall_seconds < 5 * bound(seen)


def test_waiting_within_the_allowance_costs_nothing(zygote: Zygote) -> None:
    patient = msgspec.structs.replace(LIMITS, wall_factor=60.0)
    sleeps = "def f(x):\n    time.sleep(0.05)\n    return 1"
    seen = observed(zygote, "import time", "time.sleep(0.4)", sleeps, limits=patient)
    assert {run.status for run in seen.cells} == {"ok"}
    assert {one.status for one in seen.observations.values()} == {"returned"}


@pytest.mark.parametrize(
    ("total", "used", "wall"),
    [(120, 0, 60), (120, 1, 70), (120, 120, 300), (120, 1000, 300), (10, 0, 10), (10, 1, 20), (10, 10, 30)],
)
def test_the_bound_grows_with_the_cpu_time_up_to_an_end(total: float, used: float, wall: float) -> None:
    assert Limits(total_cpu=total).wall(used) == wall


def test_the_bound_is_no_part_of_what_an_observation_is_kept_under() -> None:
    assert set(msgspec.structs.asdict(Limits())) == {
        "cell_cpu", "check_cpu", "total_cpu", "wall_factor", "memory_mb", "disk_mb", "processes", "open_files",
        "output_bytes", "value_bytes",
    }  # fmt: skip
