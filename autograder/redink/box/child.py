"""The child: walls itself in, runs the cells, then stays as a paused snapshot of their state.

For a `RunRequests` it forks a runner and waits for it; the runner reads those that follow. Student code shares this
process, so the grader trusts nothing that comes from here; this file only has to be quick, and right when the student is
honest.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from redink import frames
from redink.box.borrowing import Loans
from redink.box.processes import NO_ROOM
from redink.box.protocol import CellDone, Lent, RunCells, RunnerEnded, RunRequests, WallsRaised, pack, to_box
from redink.box.runner import serve
from redink.box.shell import fixed_seeds
from redink.box.shell.cells import CellShell, run_cell
from redink.box.shell.forbidden_calls import Watch
from redink.box.shell.output import Output
from redink.box.walls.raising import close_from, die_with, make_folders, raise_walls
from redink.box.walls.setup import Setup
from redink.calling import Student
from redink.records import Limits

_SOCKET, _OUTPUT, _GATE = 3, 4, 5
_AT_HOME = ("HOME", "MPLCONFIGDIR", "IPYTHONDIR", "TORCHINDUCTOR_CACHE_DIR", "XDG_CACHE_HOME")
_OUT_OF_THE_WAY = 64  # of descriptors
_LARGEST_JOB = 1 << 30  # the grader is trusted


def live(channel: int, setup: Setup, limits: Limits, zygote: int, shell: CellShell, gate: int | None) -> NoReturn:
    """Be the child of one submission; never return to the zygote's code. `gate` leads to the turnstile, if there is one."""
    code = 70
    try:
        die_with(zygote)
        sock, output = _settle(channel, gate)
        make_folders(setup, limits)
        _move_in(setup.place)
        frames.send(sock, pack(WallsRaised(walls=raise_walls(setup, limits, gate and _GATE))))
        _work(sock, output, shell, setup.signals_stay_inside)
    except EOFError:
        code = 0
    finally:
        os._exit(code)


def _settle(channel: int, gate: int | None) -> tuple[socket.socket, Output]:
    """Leave the zygote's session and descriptors behind."""
    os.setsid()
    channel = fcntl.fcntl(channel, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)  # a dup2 onto itself would fail
    gate = gate and fcntl.fcntl(gate, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)
    os.dup2(channel, _SOCKET, inheritable=False)
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    output = Output(_OUTPUT)
    if gate:
        os.dup2(gate, _GATE, inheritable=False)
    close_from(_GATE + 1 if gate else _GATE)
    return socket.socket(fileno=_SOCKET), output


def _move_in(place: str) -> None:
    """Take the child's own folders instead of the zygote's."""
    os.chdir(f"{place}/work")
    os.environ.update(PWD=f"{place}/work", TMPDIR=f"{place}/tmp")  # noqa: S108 - its own
    for name in _AT_HOME:
        os.environ[name] = f"{place}/home"
    sys.argv[:] = [""]
    sys.dont_write_bytecode = True
    sys.path.insert(0, "")


def _work(sock: socket.socket, output: Output, shell: CellShell, alone: bool) -> None:
    """Run the cells, then serve requests from their state until the grader has no more of them."""
    job = to_box(frames.receive(sock, _LARGEST_JOB))
    assert isinstance(job, RunCells)
    for name, data in job.files.items():
        file = Path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    output.allow(job.limits.output_bytes)
    given = dict(shell.user_ns)
    watch = Watch(job.forbids, shell.user_ns, str(Path.cwd().parent))
    fixed_seeds.reseed()
    me = os.getpid()
    for cell in job.cells:
        run = run_cell(shell, cell, job.limits, output)
        if os.getpid() != me:
            os._exit(0)  # a copy that the student's os.fork() made: only the original answers
        frames.send(sock, pack(CellDone(run=run)))
    output.allow(0)
    student, loans = Student(shell.user_ns, given), Loans(sock, shell.user_ns)
    while True:
        order = to_box(frames.receive(sock, _LARGEST_JOB))
        if isinstance(order, Lent):
            continue  # it came too late for a runner that has ended
        assert isinstance(order, RunRequests)
        serving = functools.partial(_serve_all, sock, order, student, job.limits, watch, loans)
        frames.send(sock, pack(RunnerEnded(code=_in_a_runner(serving, alone))))


def _serve_all(
    sock: socket.socket, order: RunRequests, student: Student, limits: Limits, watch: Watch, loans: Loans
) -> None:
    """Serve requests, and those that follow, as long as this process may answer."""
    while serve(sock, order.requests, student, limits, watch, loans):
        following = to_box(frames.receive(sock, _LARGEST_JOB))
        assert isinstance(following, RunRequests)
        order = following


def _in_a_runner(serving: Callable[[], None], alone: bool) -> int:
    """Serve requests in a fork; return its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a student's handler could reap the runner
    me = os.getpid()
    try:
        runner = _fork(alone)
    except OSError:
        return NO_ROOM
    if runner:
        return os.waitstatus_to_exitcode(os.waitpid(runner, 0)[1])
    code = 70
    try:
        die_with(me)
        serving()
        code = 0
    finally:
        os._exit(code)


def _fork(alone: bool) -> int:
    """Fork; if there is no room, end what the cells left running, where a signal to all reaches nobody else."""
    for _ in range(10):
        try:
            return os.fork()
        except OSError:
            if alone:
                os.kill(-1, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            time.sleep(0.2)
    return os.fork()
