"""The zygote: a warm process from which the child of every submission is forked.

Theory of operation. Four kinds of process take part::

    grader        knows the secrets, judges, and believes nothing that comes out of a box
    └─ zygote     exec'd with a clean environment; imports and warms numpy, torch and matplotlib on one thread;
       │          holds no secret, since every child inherits its memory; never runs student code
       └─ child   forked for one submission; walls itself in, runs the cells, then waits as a paused snapshot
          └─ runner   forked from the snapshot; serves the `when`s in order; another one follows if it falls

Channels. Grader and zygote share a control socket; no child ever has it. For each submission the grader makes a fresh
socket pair and passes one end through the zygote to the child: that is all the child has, beside /dev/null and an
anonymous file for its output. The zygote passes back a pidfd, by which the grader sees the child's death.

Rights. The child has the grader's uid (an own one comes with the namespaces), no_new_privs, and rlimits; walls.py is the
place where more is put up, and its word is the first thing on the wire. The zygote is not dumpable, so that no child can
write into it and spoil the next submission.

Time. A timer on CPU time raises in the student's code (patience.py). What ignores it, the grader kills: it reads the CPU
time of the zygote's whole family from /proc, and a generous wall clock stands behind. The grader alone decides that a
child is over; it then asks for the end, and the zygote, being the subreaper, kills and reaps whatever has descended from
the child, however often it forked away, removes its folder, and tells how the child ended and what it all cost.

Ends. A zygote whose grader is gone (closed socket, or dead process) does the same and ends itself; a child dies with its
zygote, and a runner with its child.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from redink.box import child, processes, stub, walls
from redink.box.cells import CellShell
from redink.box.protocol import End, Ended, Ready, Spawn, Spawned, pack, to_zygote
from redink.box.warming import warm_up

_PACKET = 4096


def main(arguments: list[str]) -> None:
    """Warm up and serve: `main([control descriptor, grader's pid, folder, "torch" or "numpy"])`."""
    control = socket.socket(fileno=int(arguments[0]))
    grader = os.pidfd_open(int(arguments[1]))
    folder = Path(arguments[2])
    shell = warm_up(str(folder / "ipython"), arguments[3] == "torch")
    walls.shield_the_zygote()
    stub.hide_ourselves()
    zygote = _Zygote(control, grader, folder, shell)
    try:
        zygote.serve()
    finally:
        zygote.end()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


class _Zygote:
    """Serves one child at a time."""

    def __init__(self, control: socket.socket, grader: int, folder: Path, shell: CellShell) -> None:
        self._control = control
        self._grader = grader
        self._place = folder / "box"
        self._shell = shell
        self._child = 0

    def serve(self) -> None:
        """Do what the grader asks until it is gone."""
        self._control.sendall(pack(Ready()))
        events = select.poll()
        events.register(self._control, select.POLLIN)
        events.register(self._grader, select.POLLIN)
        while True:
            if any(fd == self._grader for fd, _ in events.poll()):
                return
            data, descriptors, _, _ = socket.recv_fds(self._control, _PACKET, 1)
            if not data:
                return
            order = to_zygote(data)
            if isinstance(order, Spawn):
                self._spawn(descriptors[0])
            elif isinstance(order, End):
                self._control.sendall(pack(self.end()))

    def _spawn(self, channel: int) -> None:
        self._place.mkdir(mode=0o700)
        me = os.getpid()
        self._child = os.fork()
        if not self._child:
            child.live(channel, self._place, me, self._shell)
        os.close(channel)
        pidfd = os.pidfd_open(self._child)
        socket.send_fds(self._control, [pack(Spawned())], [pidfd])
        os.close(pidfd)

    def end(self) -> Ended:
        """Kill and reap the child and all its descendants; tell how it ended."""
        status, itself, used = 0, False, 0.0
        if self._child:
            itself = os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            os.kill(self._child, signal.SIGKILL)
            _, status, usage = os.wait4(self._child, 0)
            used = usage.ru_utime + usage.ru_stime
            self._child = 0
        used += processes.sweep()
        self._clear()
        return Ended(status=os.waitstatus_to_exitcode(status), itself=itself, cpu_seconds=used)

    def _clear(self) -> None:
        """Remove the child's folder, whatever it did to it."""
        if not self._place.exists():
            return
        try:
            shutil.rmtree(self._place)
        except (OSError, RecursionError):  # locked, or thousands of folders deep
            subprocess.run(["/bin/chmod", "-R", "u+rwx", self._place], check=False)  # noqa: S603
            subprocess.run(["/bin/rm", "-rf", self._place], check=True)  # noqa: S603
