"""The zygote: a warm process from which the child of every submission is forked.

Theory of operation. Six kinds of process take part::

    grader           knows the secrets, judges, and believes nothing that comes out of a box
    └─ parent        exec'd with a clean environment; enters the first namespaces, then only waits and clears up
       └─ zygote     first process of its pid namespace; imports and warms numpy, torch and matplotlib on one thread;
          │          holds no secret, since every child inherits its memory; never runs student code
          ├─ sleeper     first process of a submission's own pid namespace; whatever the submission starts dies with it
          └─ child       forked for one submission; walls itself in, runs the cells, then waits as a paused snapshot
             └─ runner   forked from the snapshot; serves the `when`s in order; another one follows if it falls

Where the machine refuses namespaces there is no parent and no sleeper: the zygote, being the subreaper, hunts down what
has descended from a child, and is asked before anything in the box forks (walls/turnstile.py).

Channels. Grader and zygote share a control socket; no child ever has it. For each submission the grader makes a fresh
socket pair and passes one end through the zygote to the child: that is all the child has, beside /dev/null and an
anonymous file for its output. The zygote passes back a pidfd, by which the grader sees the child's death.

Rights. What is the same for all submissions is done once (walls/setup): the zygote moves into namespaces, by a user
namespace if it is an ordinary user's, and into a root that shows Python and the system's programs, read-only, and
nothing else (walls/visible): no course, no home, no network. Each child then takes a mount namespace with a /proc and a
scratch of its own, rlimits, an own uid where the grader is root, no capabilities, no_new_privs, Landlock, and a seccomp
filter, in this order (walls/raising), before it reads anything of the student; its word on what stands is the first
thing on the wire. Without namespaces Landlock hides the same files, and the filter all sockets. Where the grader was
given control groups it puts each child into one (sandbox/cgroups). The zygote is not dumpable, so that no child can
write into it and spoil the next submission.

Time. A timer on CPU time raises in the student's code (time_limit.py). What ignores it, the grader kills: it reads CPU
time, memory and number of the zygote's whole family from /proc, and a generous wall clock stands behind. The grader alone
decides that a child is over; it then asks for the end, and the zygote kills the sleeper and with it everything the
submission started, however often it forked away, and tells how the child ended and what it all cost. The scratch was
in memory and goes with the last process.

Ends. A zygote whose grader is gone (closed socket, or dead process) does the same and ends itself; a child dies with its
zygote, and a runner with its child.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
from pathlib import Path
from typing import Any

from redink.box import child, processes, scratch
from redink.box.protocol import End, Ended, Orders, Ready, Spawn, Spawned, pack, to_zygote
from redink.box.shell import data_loading, stub
from redink.box.shell.cells import CellShell
from redink.box.shell.warming import warm_up
from redink.box.walls import namespaces, raising
from redink.box.walls.setup import Setup, prepare
from redink.box.walls.turnstile import Turnstile
from redink.records import Limits

_PACKET = 4096


def main(arguments: list[str]) -> None:
    """Set up the walls, warm up and serve; the only argument is the control socket's descriptor."""
    control = socket.socket(fileno=int(arguments[0]))
    control.set_inheritable(False)
    orders = to_zygote(control.recv(_PACKET))
    assert isinstance(orders, Orders)
    grader = os.pidfd_open(orders.grader)
    folder = Path(orders.folder)
    setup = prepare(folder, orders.hidden, orders.without)
    home = Path(setup.place).parent / "zygote" if setup.own_pids is None else Path(setup.place, "zygote")
    shell = warm_up(str(_settle(home)), orders.torch)
    if not setup.uses_namespaces:
        data_loading.explain_missing_semaphores()
    raising.shield_the_zygote()
    stub.hide_ourselves()
    zygote = _Zygote(control, grader, setup, shell)
    try:
        zygote.serve()
    finally:
        zygote.end()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


def _settle(home: Path) -> Path:
    """Make a place for what libraries write while they warm up."""
    home.mkdir()
    for name in ("HOME", "IPYTHONDIR", "TORCHINDUCTOR_CACHE_DIR", "MPLCONFIGDIR", "XDG_CACHE_HOME", "TMPDIR"):
        os.environ[name] = str(home)
    return home


class _Zygote:
    """Serves one child at a time."""

    def __init__(self, control: socket.socket, grader: int, setup: Setup, shell: CellShell) -> None:
        self._control = control
        self._grader = grader
        self._ground = setup
        self._shell = shell
        self._child = self._sleeper = 0
        self._turnstile: Turnstile | None = None

    def serve(self) -> None:
        """Do what the grader asks until it is gone."""
        self._control.sendall(pack(Ready()))
        while True:
            ready = self._wait()
            if self._grader in ready:
                return
            if self._control not in ready:
                self._turn()
                continue
            data, descriptors, _, _ = socket.recv_fds(self._control, _PACKET, 1)
            if not data:
                return
            order = to_zygote(data)
            if isinstance(order, Spawn):
                os.set_inheritable(descriptors[0], False)
                self._spawn(descriptors[0], order.limits)
            elif isinstance(order, End):
                self._control.sendall(pack(self.end()))

    def _wait(self) -> list[object]:
        """Wait until somebody has something to say."""
        waiting: list[Any] = [self._control, self._grader]
        if self._turnstile is not None:
            waiting.append(self._turnstile)
        return select.select(waiting, [], [])[0]

    def _turn(self) -> None:
        """Let one process through the turnstile, or not; forget a turnstile that nobody can come to any more."""
        assert self._turnstile is not None
        self._turnstile.turn()
        if self._turnstile.fileno() < 0:
            self._turnstile = None

    def _spawn(self, channel: int, limits: Limits) -> None:
        me, own_pids = os.getpid(), self._ground.own_pids
        gate = None
        if self._ground.counted:
            self._turnstile = Turnstile(limits.processes + raising.OURS)
            gate = self._turnstile.gate.fileno()
        if own_pids is not None:
            self._sleeper = namespaces.make_family(own_pids)
        self._child = os.fork()
        if not self._child:
            child.live(channel, self._ground, limits, me, self._shell, gate)
        if own_pids is not None:
            namespaces.leave_family(own_pids)
        os.close(channel)
        if self._turnstile is not None:
            self._turnstile.gate.close()
        pidfd = os.pidfd_open(self._child)
        socket.send_fds(self._control, [pack(Spawned())], [pidfd])
        os.close(pidfd)

    def end(self) -> Ended:
        """Kill and reap the child and all its descendants; tell how it ended."""
        status, itself, used = 0, False, 0.0
        if self._turnstile is not None:
            self._turnstile.close()
            self._turnstile = None
        if self._child:
            itself = os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            if self._sleeper:  # who dies with it will not be waited for, so is counted now
                left = [*processes.children_of(self._child), *processes.children_of(self._sleeper)]
                used = sum(map(processes.cpu_of_family, left))
                os.kill(self._sleeper, signal.SIGKILL)
            os.kill(self._child, signal.SIGKILL)
            _, status, usage = os.wait4(self._child, 0)
            used += usage.ru_utime + usage.ru_stime
            self._child = self._sleeper = 0
        used += processes.sweep()
        self._clear()
        return Ended(status=os.waitstatus_to_exitcode(status), itself=itself, cpu_seconds=used)

    def _clear(self) -> None:
        """Remove the child's folder, whatever it did to it; in a mount namespace it is gone already."""
        if not self._ground.uses_namespaces:
            scratch.remove(Path(self._ground.place))
