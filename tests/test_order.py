"""What is shown has never met a secret input: the order in which a session asks, with real boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from redink import wire
from redink.box.protocol import RunRequests
from redink.errors import BoxError, TooLateError
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.session import Session
from redink.grader.workers import worker
from redink.records import Cell, Limits, Observation, Observed, Request

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")

LIMITS = Limits(cell_cpu=1.0, check_cpu=0.6, total_cpu=20.0, wall_factor=30.0)
OTHERS = msgspec.structs.replace(LIMITS, open_files=100)  # of all children after the first, so that cells can know
SECRET = 0.7312345


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with Zygote(torch=False) as made:
        yield made


class Overheard:
    """Children of a zygote, and the requests that each was sent, in order."""

    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self._limits = iter([LIMITS])
        self.sent: list[list[str]] = []

    def spawn(self, limits: Limits) -> Any:
        channel, pid = self._zygote.spawn(next(self._limits, OTHERS))
        send = channel.send

        def overheard(message: Any, deadline: Any) -> None:
            if isinstance(message, RunRequests):
                self.sent.append([request.id for request in message.requests])
            send(message, deadline)

        channel.send = overheard  # type: ignore[method-assign]
        return channel, pid

    def accept(self, told: Any) -> Any:
        return self._zygote.accept(told)

    def end(self) -> Any:
        return self._zygote.end()


def asked(*ids: str) -> list[Request]:
    """Ask the function of each check's name; a secret input is SECRET, a published one its number."""
    made = []
    for id in ids:
        check, trial = id.split("/")
        x = float(trial[1:]) if trial.startswith("p") else SECRET
        when = f"def when(student, x):\n    return student.{check}(x)\n"
        made.append(Request(id=id, when=when, inputs=wire.encode({"x": x}), group=check))
    return made


def observed(zygote: Zygote, sources: Sequence[str], requests: Sequence[Request]) -> tuple[Observed, list[list[str]]]:
    children = Overheard(zygote)
    cells = [Cell(index=number, source=source) for number, source in enumerate(sources, 1)]
    return Session(children, cells, requests, LIMITS, {}, {}).observe(), children.sent


def value(observation: Observation) -> Any:
    assert observation.status == "returned", observation
    return wire.decode(observation.value)


def refuse_late_publishing(sent: list[list[str]]) -> None:
    """Fail if something published was asked together with or after something secret."""
    kinds = ["".join(sorted({id.split("/")[1][0] for id in batch})) for batch in sent]
    assert set(kinds) <= {"p", "s"}
    assert kinds == sorted(kinds)


def test_a_request_is_published_if_its_id_is_that_of_a_published_trial() -> None:
    ids = ["check/p0", "check/p12", "check/s0", "published", "p0", "check/p0/s1", ""]
    assert [Request(id=id, when="", inputs=b"").published for id in ids] == [True, True, *[False] * 5]


def test_published_requests_are_answered_before_a_secret_input_enters_the_box(zygote: Zygote) -> None:
    requests = asked("f/p0", "f/s0", "g/p0", "g/p1", "g/s0", "h/s0")
    source = "def f(x): return x\ng = h = f"
    seen, sent = observed(zygote, [source], requests)
    assert sent == [["f/p0", "g/p0", "g/p1"], ["f/s0", "g/s0", "h/s0"]]
    assert list(seen.observations) == [one.id for one in requests]
    assert [value(one) for one in seen.observations.values()] == [0, SECRET, 0, 1, SECRET, SECRET]


def test_only_some_checks_are_asked_in_the_same_order(zygote: Zygote) -> None:
    source = "def f(x): return x\ng = f"
    assert observed(zygote, [source], asked("g/s0"))[1] == [["g/s0"]]
    assert observed(zygote, [source], asked("g/p0"))[1] == [["g/p0"]]
    assert observed(zygote, [source], asked("g/s0", "f/p0"))[1] == [["f/p0"], ["g/s0"]]


DIES = """
import os, signal, time
def fine(x): return x
def dies(x): os._exit(3)
def falls(x):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
def falls_in_secret(x): return x if x == int(x) else falls(x)
"""


@pytest.mark.parametrize("bad", ["dies", "falls", "falls_in_secret"])
def test_no_published_request_follows_a_secret_one_over_all_respawns_of_a_run(zygote: Zygote, bad: str) -> None:
    requests = asked(f"{bad}/p0", f"{bad}/s0", f"{bad}/s1", "fine/p0", "fine/p1", "fine/s0")
    seen, sent = observed(zygote, [DIES], requests)
    runs = [sent[:2], sent[2:]] if bad == "falls_in_secret" else [sent]  # of the second, nothing published is kept
    for run in runs:
        refuse_late_publishing(run)
        published = [id for batch in run for id in batch if "/p" in id]
        assert (published.count("fine/p0") == 1) == (bad == "falls_in_secret")
    assert value(seen.observations["fine/p1"]) == 1
    assert value(seen.observations["fine/s0"]) == SECRET
    assert seen.observations[f"{bad}/s0"].status == "died"


def test_a_time_out_settles_its_group_wherever_that_stands(zygote: Zygote) -> None:
    source = "def slow(x):\n    while True: pass\ndef fine(x): return x"
    seen, sent = observed(zygote, [source], asked("slow/p0", "slow/s0", "fine/p0", "slow/p1", "fine/s0", "slow/s1"))
    assert sent == [["slow/p0", "fine/p0", "slow/p1"], ["fine/p0"], ["fine/s0"]]
    assert {id: one.status for id, one in seen.observations.items()} == {
        "slow/p0": "timeout", "slow/s0": "timeout", "fine/p0": "returned", "slow/p1": "timeout", "fine/s0": "returned",
        "slow/s1": "timeout",
    }  # fmt: skip


def test_a_time_out_on_a_secret_input_leaves_published_outcomes_alone(zygote: Zygote) -> None:
    source = "def f(x):\n    while x != int(x): pass\n    return x"
    seen, sent = observed(zygote, [source], asked("f/p0", "f/p1", "f/s0", "f/s1"))
    assert [one.status for one in seen.observations.values()] == ["returned", "returned", "timeout", "timeout"]
    assert sent == [["f/p0", "f/p1"], ["f/s0", "f/s1"]]


def test_a_cell_that_runs_again_after_a_secret_was_sent_says_nothing(zygote: Zygote) -> None:
    clock = "import time\nnow = time.monotonic_ns()\nprint(now)\ndef born(x): return now"
    seen, _ = observed(zygote, [clock, DIES], asked("born/p0", "falls/s0", "born/s1"))
    first, second = value(seen.observations["born/p0"]), value(seen.observations["born/s1"])
    assert first != second
    assert seen.cells[0].output == f"{first}\n"


@pytest.mark.parametrize("bad", ["raise ValueError", "import os; os._exit(3)", "while True: pass"])
def test_a_cell_that_fails_only_when_it_runs_again_is_told_as_it_first_was(zygote: Zygote, bad: str) -> None:
    late = f"import resource\nif resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 200:\n    {bad}"  # as OTHERS have it
    seen, _ = observed(zygote, [late, DIES], asked("fine/p0", "falls/s0", "fine/s0"))
    assert [(run.status, run.error) for run in seen.cells] == [("ok", "")] * 2
    assert [one.status for one in seen.observations.values()] == ["returned", "died", "returned"]
    early, _ = observed(zygote, [late, DIES], asked("falls/p0", "fine/p0"))
    assert early.cells[0].status != "ok"


SEARCH = """
import gc, sys
def everything():
    frame = sys._getframe()
    while frame:
        yield from list(frame.f_locals.values())
        frame = frame.f_back
    yield from (thing for thing in gc.get_objects() if type(thing) is tuple and len(thing) == 2)
def f(x):
    things = [one for thing in everything() for one in (thing if isinstance(thing, (tuple, list)) else [thing])]
    return sorted({one.id for one in things if type(one).__name__ == "Request"})
"""


def test_nothing_in_the_box_holds_a_secret_request_while_published_ones_are_answered(zygote: Zygote) -> None:
    seen, _ = observed(zygote, [SEARCH], asked("f/s0", "f/p0", "f/p1", "f/s1"))
    assert value(seen.observations["f/p0"]) == value(seen.observations["f/p1"]) == ["f/p0", "f/p1"]
    assert value(seen.observations["f/s1"])[-2:] == ["f/s0", "f/s1"]


def test_what_one_call_leaves_a_later_one_finds_and_so_order_is_the_wall(zygote: Zygote) -> None:
    source = "def f(x):\n    open('seen', 'a').write(f'{x} ')\n    return open('seen').read()"
    seen, _ = observed(zygote, [source], asked("f/s0", "f/p0", "f/p1"))
    assert [value(seen.observations[id]) for id in ("f/p0", "f/p1", "f/s0")] == [
        "0.0 ", "0.0 1.0 ", f"0.0 1.0 {SECRET} ",
    ]  # fmt: skip


def test_large_inputs_cross_in_both_batches(zygote: Zygote) -> None:
    when = "def when(student, x):\n    return student.f(x)\n"
    inputs = wire.encode({"x": np.arange(500_000.0)})
    requests = [Request(id=f"f/{kind}{n}", when=when, inputs=inputs) for kind in "ps" for n in range(3)]
    seen, _ = observed(zygote, ["def f(x): return float(x.sum())"], requests)
    assert {value(one) for one in seen.observations.values()} == {np.arange(500_000.0).sum()}


FORGES_A_FULL_MACHINE = """
import msgspec, os, socket, time
def fails(x):
    if x == int(x):
        return x
    data = msgspec.msgpack.encode({"type": "runner_ended", "code": 71})
    socket.socket(fileno=os.dup(3)).sendall(len(data).to_bytes(8, "little") + data)
    time.sleep(30)
"""


def test_a_box_that_seems_to_fail_with_a_secret_in_it_is_not_run_again_at_once(zygote, monkeypatch):
    sources = [FORGES_A_FULL_MACHINE]
    with pytest.raises(TooLateError, match="no room"):
        observed(zygote, sources, asked("fails/p1", "fails/s0"))
    tries = []

    def attempt() -> Observed:
        tries.append(1)
        return observed(zygote, sources, asked("fails/p1", "fails/s0"))[0]

    monkeypatch.setattr(worker, "PAUSES", (0.0, 0.0))
    with pytest.raises(TooLateError):
        worker._patiently(attempt)
    assert len(tries) == 1


def test_a_box_that_fails_before_any_secret_is_tried_again(monkeypatch):
    tries = []

    def attempt() -> Observed:
        tries.append(1)
        if len(tries) < 3:
            raise BoxError("no luck")
        return Observed(cells=())

    monkeypatch.setattr(worker, "PAUSES", (0.0, 0.0, 0.0))
    assert worker._patiently(attempt) == Observed(cells=())
    monkeypatch.setattr(worker, "LONG", -1.0)
    tries.clear()
    with pytest.raises(BoxError):
        worker._patiently(attempt)
    assert len(tries) == 1
