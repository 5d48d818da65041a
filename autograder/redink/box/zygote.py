"""The zygote: a warm process behind walls, from which the child of every submission is forked.

Theory of operation. Seven kinds of process take part::

    grader            knows the secrets, judges, and trusts nothing that comes out of a box; its workers use the zygotes
    └─ template       exec'd with a clean environment; imports and warms numpy, torch and matplotlib on one thread; holds
       │              no secret, since every child inherits its memory; never runs student code (box/template.py)
       └─ keeper      forked from the template for one worker; enters the first namespaces, then only waits and clears up
          └─ zygote   first process of its pid namespace; sets up the walls; warm and without secrets, like the template
             ├─ sleeper   first process of a submission's own pid namespace; whatever the submission starts dies with it
             └─ child     forked for one submission; walls itself in, runs the cells, then waits as a paused snapshot
                └─ runner forked from the snapshot; serves the `when`s, published inputs before secret ones; another one
                          follows if it ends early

Where the machine refuses namespaces there is no keeper and no sleeper: the zygote, being the subreaper, finds and kills
what has descended from a child, and is asked before anything in the box forks (walls/turnstile.py).

Channels. The template listens on a socket in a private folder. Whoever connects sends its orders, with a pidfd of itself
and a log, and has a zygote of its own at the other end; no child ever has this control socket. The zygote answers with a
pidfd of the process from which everything else descends (the keeper, or itself), by which the grader measures and kills.
For each submission the grader makes a fresh socket pair and passes one end through the zygote to the child: that is all
the child has, beside /dev/null and an anonymous file for its output. The zygote passes back a pidfd of the child too.

Rights. Warming up comes first, outside the walls. What is the same for all submissions of a zygote is then done once
(walls/setup): it moves into namespaces, by a user namespace if it is an ordinary user's, and into a root that shows Python
and the system's programs, read-only, and nothing else (walls/visible): no course, no home, no network. Each zygote has a
folder and, where the grader is root, a uid of its own. Each child takes a mount namespace with a /proc and a scratch folder
of its own, rlimits, that uid, no capabilities, no_new_privs, Landlock, and a seccomp filter, in this order
(walls/raising), before it reads anything of the student; what stands is the first thing that it sends. Without namespaces
Landlock hides the same files, and the filter refuses all sockets. The libraries that all boxes read are where they could
leave notes for one another: the filter keeps every mark off them (walls/seccomp). Where the grader was given control groups
it puts each child into one (sandbox/cgroups). Template and zygote are not dumpable, so that no child can write into them
and spoil the next submission.

Time. A timer on CPU time raises in the student's code (time_limit.py). What ignores it, the grader kills: it reads CPU
time, memory and number of the zygote's whole family from /proc. A generous wall-clock limit on each cell and call, and one
on all of a submission's waiting together, are the backstop (sandbox/meter.py). The
grader alone decides that a child is over; it then asks for the end, and the zygote kills everything the submission
started, however often it forked away, and reports how the child ended and what it all cost. The scratch folder was in
memory and is gone with the last process; where there are no namespaces the grader renames it, for the next child to find
its place free, and a process of low priority removes it while the grading goes on (scratch.py).

Ends. A zygote belongs to the worker that connected: when that closes the socket or dies, the zygote kills its child and
ends; the keeper then removes their folder. A template belongs to the process that started it, and ends with it. Zygotes
outlive their template: whoever kills it costs nobody's work. A child dies with its zygote, a zygote with its keeper, and a
runner with its child.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

from redink.box import child, processes, scratch
from redink.box.protocol import End, Ended, Orders, Ready, Spawn, Spawned, pack, to_zygote
from redink.box.shell import data_loading, stub
from redink.box.shell.cells import CellShell
from redink.box.walls import namespaces, raising
from redink.box.walls.setup import Setup, prepare
from redink.box.walls.turnstile import Turnstile
from redink.records import Limits

_PACKET = 4096
_HOMES = ("HOME", "IPYTHONDIR", "TORCHINDUCTOR_CACHE_DIR", "MPLCONFIGDIR", "XDG_CACHE_HOME", "TMPDIR")


def live(control: socket.socket, shell: CellShell) -> NoReturn:
    """Be the zygote of whoever is at the other end of `control`, from the orders to the end; never returns."""
    code = 1
    try:
        data, descriptors, _, _ = socket.recv_fds(control, _PACKET, 2)
        if data:
            _serve(control, to_zygote(data), descriptors, shell)
        code = 0
    except BaseException:  # noqa: BLE001 - its last line is what the grader reports of a zygote that failed
        sys.stderr.write(traceback.format_exc())
    finally:
        os._exit(code)


def _serve(control: socket.socket, orders: object, descriptors: list[int], shell: CellShell) -> None:
    assert isinstance(orders, Orders)
    worker, log = descriptors
    for fd in (1, 2):
        os.dup2(log, fd)
    os.close(log)
    os.set_inheritable(worker, False)
    folder = Path(orders.folder)
    os.chdir(folder)
    family = os.pidfd_open(os.getpid())
    setup = prepare(folder, orders.hidden, orders.without)  # of two processes, only the zygote comes back from here
    settle(Path(setup.place).parent / "zygote" if setup.own_pids is None else Path(setup.place, "zygote"))
    if not setup.uses_namespaces:
        data_loading.explain_missing_semaphores()
    raising.shield_the_zygote()
    stub.hide_ourselves()
    zygote = _Zygote(control, worker, setup, shell)
    try:
        socket.send_fds(control, [pack(Ready())], [family])
        os.close(family)
        zygote.serve()
    finally:
        zygote.end()
        if not setup.uses_namespaces:  # elsewhere the keeper does it
            scratch.remove(folder)


def settle(home: Path) -> Path:
    """Make a folder for what libraries write outside any child, and point the environment to it."""
    home.mkdir()
    for name in _HOMES:
        os.environ[name] = str(home)
    return home


class _Zygote:
    """Serves one child at a time."""

    def __init__(self, control: socket.socket, worker: int, setup: Setup, shell: CellShell) -> None:
        self._control = control
        self._worker = worker
        self._setup = setup
        self._shell = shell
        self._child = self._sleeper = 0
        self._turnstile: Turnstile | None = None

    def serve(self) -> None:
        """Do what the worker asks until it is gone."""
        while True:
            ready = self._wait()
            if self._worker in ready:
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
        """Wait until the worker, its death or the turnstile needs attention."""
        waiting: list[Any] = [self._control, self._worker]
        if self._turnstile is not None:
            waiting.append(self._turnstile)
        return select.select(waiting, [], [])[0]

    def _turn(self) -> None:
        """Answer one process at the turnstile; forget a turnstile that nobody can come to any more."""
        assert self._turnstile is not None
        self._turnstile.turn()
        if self._turnstile.fileno() < 0:
            self._turnstile = None

    def _spawn(self, channel: int, limits: Limits) -> None:
        me, own_pids = os.getpid(), self._setup.own_pids
        gate = None
        if self._setup.counted:
            self._turnstile = Turnstile(limits.processes + raising.OURS)
            gate = self._turnstile.gate.fileno()
        sleeper = 0 if own_pids is None else namespaces.make_family(own_pids)
        self._child = os.fork()
        if not self._child:
            del sleeper  # its pid tells how many processes earlier submissions have started
            child.live(channel, self._setup, limits, me, self._shell, gate)
        self._sleeper = sleeper
        if own_pids is not None:
            namespaces.leave_family(own_pids)
        os.close(channel)
        if self._turnstile is not None:
            self._turnstile.gate.close()
        pidfd = os.pidfd_open(self._child)
        socket.send_fds(self._control, [pack(Spawned())], [pidfd])
        os.close(pidfd)

    def end(self) -> Ended:
        """Kill and reap the child and all its descendants; return how it ended and what they used.

        Everybody is stopped first, so that nothing changes while we look. Then all but the sleeper are killed, and it
        only when they are dead: the kernel adds the CPU time of a process to the one that waits for it, and when a pid
        namespace ends, its first process waits for the dead, but not for those who still have to die. So each process is
        counted once: by its parent, by the sleeper, or by us.
        """
        status, itself, used = 0, False, 0.0
        if self._turnstile is not None:
            self._turnstile.close()
            self._turnstile = None
        if self._child:
            itself = os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            everybody = processes.stop_descendants_of(os.getpid())
            processes.kill_and_await(everybody - {self._sleeper})
            _, status, usage = os.wait4(self._child, 0)
            used = usage.ru_utime + usage.ru_stime
            self._child = self._sleeper = 0
        used += processes.sweep()
        return Ended(status=os.waitstatus_to_exitcode(status), itself=itself, cpu_seconds=used)
