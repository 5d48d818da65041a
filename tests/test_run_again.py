"""A submission whose process was killed, by whomever, is run once more: no kill from outside costs a point."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from redink import wire
from redink.box.processes import children_of
from redink.box.protocol import Borrow, RunCells, RunRequests
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.session import MOST_RESPAWNS, Session
from redink.grader.workers.borrowing import Lending
from redink.records import Cell, Limits, Observed, Request
from tests.test_crash import wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")

LIMITS = Limits(cell_cpu=5.0, check_cpu=5.0, total_cpu=20.0, wall_factor=30.0)
HONEST = """
import time
calls = []
print("hello")
def f(x):
    time.sleep(0.1)  # there must be time to kill it
    calls.append(x)
    return sum(calls)
"""
ENDS = "import os, signal, time\ndef end(number):\n    os.kill(os.getppid(), number)\n    time.sleep(60)\n"
BORN = "import time\nborn = time.monotonic_ns()\nprint(born)\n"


@pytest.fixture(scope="module", params=[pytest.param((), id="walled"), pytest.param(("namespaces",), id="bare")])
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    with Zygote(torch=False, without=request.param) as made:
        yield made


def asked(*trials: str) -> list[Request]:
    when = "def when(student, x):\n    return student.f(x)\n"
    return [
        Request(id=f"f/{one}", when=when, inputs=wire.encode({"x": float(number)}), group="f")
        for number, one in enumerate(trials, 1)
    ]


REQUESTS = asked("p0", "p1", "s0", "s1")


class Killer:
    """Children of a zygote, of which the first few are killed from outside when something is sent to them."""

    def __init__(self, zygote: Zygote, whom: str, when: str, times: int = 1, number: int = signal.SIGKILL) -> None:
        self._zygote = zygote
        self._whom, self._when, self._times, self._number = whom, when, times, number
        self.spawned = 0
        self.accept, self.end = zygote.accept, zygote.end

    def spawn(self, limits: Limits) -> Any:
        channel, pid = self._zygote.spawn(limits)
        self.spawned += 1
        send = channel.send

        def send_and_kill(message: Any, deadline: Any) -> None:
            send(message, deadline)
            if self._times and self._is_time(message):
                self._times -= 1
                victims = [channel.pid] if self._whom == "child" else wait_until(lambda: children_of(channel.pid))
                os.kill(victims[0], self._number)

        channel.send = send_and_kill
        return channel, pid

    def _is_time(self, message: Any) -> bool:
        if isinstance(message, RunRequests):
            return self._when == ("published" if message.requests[0].published else "secret")
        return isinstance(message, RunCells) and self._when == "cells"


def observed(children: Any, source: str, requests: list[Request] = REQUESTS) -> Observed:
    return Session(children, [Cell(index=1, source=source)], requests, LIMITS, {}, {}).observe()


def values(seen: Observed) -> list[Any]:
    return [wire.decode(one.value) if one.status == "returned" else one.status for one in seen.observations.values()]


def without_times(seen: Observed) -> Observed:
    cells = tuple(msgspec.structs.replace(one, cpu_seconds=0.0) for one in seen.cells)
    return msgspec.structs.replace(seen, cells=cells, cpu_seconds=0.0, wall_seconds=0.0, run_again=False)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize(
    ("whom", "when"),
    [("child", "cells"), ("child", "published"), ("child", "secret"), ("runner", "published"), ("runner", "secret")],
)
def test_a_kill_from_outside_changes_nothing_but_the_times_and_is_told(zygote, whom, when, number):
    undisturbed = observed(zygote, HONEST)
    assert (undisturbed.run_again, values(undisturbed)) == (False, [1, 3, 6, 10])
    killer = Killer(zygote, whom, when, number=number)
    seen = observed(killer, HONEST)
    assert killer.spawned == 2
    assert seen.run_again
    assert without_times(seen) == without_times(undisturbed)


def test_the_second_run_is_believed_whatever_happens_in_it(zygote):
    killer = Killer(zygote, "runner", "published", times=2)
    seen = observed(killer, HONEST)
    assert killer.spawned == 2
    assert seen.run_again
    assert [one.status for one in seen.observations.values()] == ["died", *["returned"] * 3]
    assert "killed" in seen.observations["f/p0"].error


def test_who_kills_itself_is_run_twice_and_pays_as_before(zygote):
    killer = Killer(zygote, "child", "never")
    seen = observed(killer, f"{ENDS}def f(x): end(signal.SIGKILL)")
    assert seen.run_again
    assert {one.status for one in seen.observations.values()} == {"died"}
    assert killer.spawned == 1 + 1 + len(REQUESTS) <= 2 + MOST_RESPAWNS


@pytest.mark.parametrize("end", ["os._exit(3)", "os.abort()", "os.kill(os.getpid(), signal.SIGSEGV)"])
def test_a_crash_that_nobody_else_causes_is_not_run_again(zygote, end):
    seen = observed(zygote, f"import os, signal\ndef f(x): {end}")
    assert not seen.run_again
    assert {one.status for one in seen.observations.values()} == {"died"}


def test_our_own_limits_are_no_kill(zygote):
    late = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\ndef f(x):\n    while True: pass"
    limits = msgspec.structs.replace(LIMITS, check_cpu=0.3)
    seen = Session(zygote, [Cell(index=1, source=late)], REQUESTS, limits, {}, {}).observe()
    assert not seen.run_again
    assert {one.status for one in seen.observations.values()} == {"timeout"}
    greedy = msgspec.structs.replace(LIMITS, processes=2)
    forks = "import os, time\nfor _ in range(60):\n    if not os.fork(): time.sleep(60)\ndef f(x): return x"
    assert not Session(zygote, [Cell(index=1, source=forks)], REQUESTS, greedy, {}, {}).observe().run_again


def test_what_is_shown_is_of_the_first_run_if_a_secret_was_sent_in_it(zygote):
    source = f"{BORN}{ENDS}def f(x): return born if x < 3 else end(signal.SIGKILL) if x == 3 else [born]"
    seen = observed(zygote, source)
    first, again, died, last = values(seen)
    assert seen.run_again
    assert (died, first) == ("died", again)
    assert seen.cells[0].output == f"{first}\n"
    assert last[0] > first


def test_what_is_shown_is_of_the_second_run_if_none_was(zygote):
    killer = Killer(zygote, "child", "published")
    seen = observed(killer, f"{BORN}def f(x): return born")
    assert len({*values(seen)}) == 1
    assert seen.cells[0].output == f"{values(seen)[0]}\n"


def test_nothing_of_the_first_run_is_left_for_the_second(zygote):
    notes = """
from pathlib import Path
found = [name for name in ("note", "/tmp/note", "/dev/shm/note") if Path(name).exists()]
def leave(name):
    try:
        Path(name).write_text("x")
    except OSError:
        pass
if not os.fork():
    time.sleep(60)
    os._exit(0)
def f(x):
    for name in ("note", "/tmp/note", "/dev/shm/note"):
        leave(name)
    if x == 4:
        end(signal.SIGKILL)
    return len(found)
"""
    assert values(observed(zygote, ENDS + notes)) == [0, 0, 0, "died"]


def test_both_runs_share_one_allowance_of_time(zygote):
    limits = msgspec.structs.replace(LIMITS, total_cpu=2.0)
    burn = "began = time.process_time()\n    while time.process_time() < began + 1.2: pass"
    source = f"{ENDS}def f(x):\n    {burn}\n    end(signal.SIGKILL)"
    seen = Session(zygote, [Cell(index=1, source=source)], REQUESTS, limits, {}, {}).observe()
    assert {one.status for one in seen.observations.values()} == {"timeout"}
    assert 2.0 <= seen.cpu_seconds < 4.0


@pytest.mark.parametrize(("whom", "when"), [("child", "cells"), ("child", "secret"), ("runner", "secret")])
def test_a_box_that_lends_to_the_reference_is_made_again_once(zygote, whom, when):
    borrow = Borrow(name="f", inputs=wire.encode({"x": 2.0}), places=("x",))
    cells = [Cell(index=1, source=HONEST)]
    for times, status in ((1, "returned"), (2, "refused")):
        killer: Any = Killer(zygote, whom, when, times)
        with zygote.held(), Lending(killer, cells, LIMITS, {}) as lending:
            assert lending.lend(borrow).status == status
        assert killer.spawned == 2
