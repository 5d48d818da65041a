"""One warm template, many zygotes: each behind walls of its own, each living as long as the worker that uses it."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from redink import wire
from redink.box import processes
from redink.errors import BoxError
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.pidfds import has_ended
from redink.grader.sandbox.template import Template
from redink.grader.sockets import connect
from redink.records import Cell, Limits, Observed, Request

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")
SITUATIONS = pytest.mark.parametrize("without", [(), ("namespaces",)], ids=["walled", "without_namespaces"])
WORKER = """
import sys, time
from redink.grader.sandbox.client import Zygote
from redink.records import Cell, Limits
zygote = Zygote(template=sys.argv[1], without=sys.argv[2:])
zygote.observe([], [], Limits())
print(zygote.pid, zygote._folder, zygote._own is None, flush=True)
zygote.observe([Cell(index=1, source="import time\\ntime.sleep(600)")], [], Limits(cell_cpu=600))
"""
OWNER = """
import sys, time
from redink.grader.sandbox.template import Template
template = Template(torch=False)
print(template.pid, template.address, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def template() -> Iterator[Template]:
    with Template(torch=False) as made:
        yield made


def run(zygote: Zygote, source: str) -> Observed:
    return zygote.observe([Cell(index=1, source=source)], [], Limits())


def start(program: str, *arguments: str) -> tuple[subprocess.Popen[str], list[str]]:
    """Start a program; return it and the words that it first says."""
    process = subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().split()


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, "this never became true"
        time.sleep(0.02)


def test_the_socket_is_in_a_folder_for_its_owner_alone(template: Template) -> None:
    assert stat.S_IMODE(Path(template.address).parent.stat().st_mode) == 0o700
    assert stat.S_ISSOCK(Path(template.address).stat().st_mode)


def test_a_folder_with_a_long_name_serves_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with Template(torch=False) as made, Zygote(template=made.address) as zygote:
        assert zygote._own is None
        assert run(zygote, "print('here')").cells[0].output == "here\n"


@SITUATIONS
def test_a_zygote_of_a_template_has_the_walls_of_one_of_its_own(template: Template, without: tuple[str, ...]) -> None:
    with Zygote(template=template.address, without=without) as shared, Zygote(torch=False, without=without) as alone:
        assert shared._own is None and alone._own is not None
        assert run(shared, "a = 1").box == run(alone, "a = 1").box


@SITUATIONS
def test_two_zygotes_at_the_same_time_do_not_see_each_other(template: Template, without: tuple[str, ...]) -> None:
    source = """
import os, time
open("mine", "w").write("x")
print(os.getuid(), os.getcwd(), sorted(os.listdir(".")), sorted(name for name in os.listdir("/proc") if name.isdigit()))
time.sleep(1)
print(sorted(os.listdir(".")))
"""
    if without:
        source = source.replace(', sorted(name for name in os.listdir("/proc") if name.isdigit())', "")
    zygotes = [Zygote(template=template.address, without=without) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        seen = [one.cells[0].output.splitlines() for one in pool.map(lambda one: run(one, source), zygotes)]
    for zygote in zygotes:
        zygote.close()
    (first, again), (second, again_2) = seen
    assert again == again_2 == "['mine']"
    if os.getuid() == 0 and not without:
        assert first.split()[0] != second.split()[0]
    if without:
        assert first.split()[1] != second.split()[1]
    else:
        assert len(eval(first[first.rindex("[") :])) == 3  # the sleeper, its clock, and the child


def test_a_template_is_not_readable_in_a_box_that_sees_its_pid(template: Template) -> None:
    source = f"""
def tries(path):
    try:
        open(path, 'rb').read(1)
    except OSError as error:
        return True
print([tries('/proc/{template.pid}/' + name) for name in ('mem', 'environ', 'maps')])
"""
    with Zygote(template=template.address, without=("namespaces",)) as zygote:
        assert run(zygote, source).cells[0].output == "[True, True, True]\n"


@SITUATIONS
def test_a_killed_worker_takes_its_zygote_with_it_and_no_other(template: Template, without: tuple[str, ...]) -> None:
    with Zygote(template=template.address) as other:
        worker, (pid, folder, uses_template) = start(WORKER, template.address, *without)
        assert uses_template == "True"
        family = [os.pidfd_open(member.pid) for member in processes.family(int(pid))]
        assert run(other, "a = 1").cells[0].status == "ok"
        end(worker)
        assert all(has_ended(one, 60) for one in family)
        wait_until(lambda: not Path(folder).exists())
        assert run(other, "a = 1").cells[0].status == "ok"
    for one in family:
        os.close(one)


def test_killing_a_template_costs_no_work_and_leaves_nothing() -> None:
    with Template(torch=False) as template:
        worker, (pid, _, _) = start(WORKER, template.address)
        with Zygote(template=template.address, torch=False) as zygote:
            run(zygote, "a = 1")
            before = zygote.pid
            os.kill(template.pid, signal.SIGKILL)
            assert run(zygote, "print('goes on')").cells[0].output == "goes on\n"
            assert zygote.pid == before
            family = [os.pidfd_open(member.pid) for member in processes.family(int(pid))]
            assert len(family) > 1
            end(worker)
            assert all(has_ended(one, 60) for one in family)
            mine = [os.pidfd_open(member.pid) for member in processes.family(zygote.pid)]
        assert all(has_ended(one, 60) for one in mine)
        with Zygote(template=template.address, torch=False) as next_one:  # warms up by itself
            assert run(next_one, "print('too')").cells[0].output == "too\n"
    for one in (*family, *mine):
        os.close(one)


def test_a_template_ends_with_its_owner_and_its_zygotes_with_their_workers() -> None:
    owner, (pid, address) = start(OWNER)
    ended = os.pidfd_open(int(pid))
    with Zygote(template=address, torch=False) as zygote:
        run(zygote, "a = 1")
        end(owner)
        assert has_ended(ended, 60)
        wait_until(lambda: not Path(address).parent.exists())
        assert run(zygote, "print('goes on')").cells[0].output == "goes on\n"
        family = [os.pidfd_open(member.pid) for member in processes.family(zygote.pid)]
    assert all(has_ended(one, 60) for one in family)
    for one in (ended, *family):
        os.close(one)


def test_who_connects_and_says_nothing_costs_the_template_nothing(template: Template) -> None:
    silent = [connect(template.address, socket.SOCK_SEQPACKET) for _ in range(3)]
    with Zygote(template=template.address) as zygote:
        assert run(zygote, "a = 1").cells[0].status == "ok"
    for one in silent:
        one.close()
    wait_until(lambda: not processes.children_of(template.pid))


def test_chance_and_values_are_the_same_in_every_zygote(template: Template) -> None:
    when = "def when(student):\n    return np.random.rand(), np.random.default_rng().random(), hash('x')\n"
    request = Request(id="r", when=when, inputs=wire.encode({}))
    seen = []
    for _ in range(2):
        with Zygote(template=template.address) as zygote:
            seen.append(zygote.observe([Cell(index=1, source="a = 1")], [request], Limits()).observations)
    assert seen[0] == seen[1]


def test_a_closed_zygote_starts_nothing_again(template: Template) -> None:
    zygote = Zygote(template=template.address)
    zygote.close()
    with pytest.raises(BoxError, match="was closed"):
        run(zygote, "a = 1")
    wait_until(lambda: not processes.children_of(template.pid))
