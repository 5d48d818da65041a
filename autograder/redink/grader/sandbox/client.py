"""The grader's handle on a zygote: starts it, has it make and end children, and starts another when it has died.

What a submission does is an observation, never an exception (session.py). Only a failure of ours, such as a zygote that
died, leaves `observe` as a `BoxError`. box/zygote.py explains which processes take part.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import NoReturn

import redink.box
from redink.box import processes, protocol, scratch
from redink.box.protocol import End, Ended, Orders, Ready, Spawn, Spawned
from redink.errors import BoxError, CourseError
from redink.grader.sandbox import cgroups
from redink.grader.sandbox.channel import Channel
from redink.grader.sandbox.environment import clean_environment
from redink.grader.sandbox.levels import level
from redink.grader.sandbox.sanitise import one_clean_line
from redink.grader.sandbox.session import Session
from redink.records import Cell, Limits, Observed, Record, Request, Walls

_STARTING, _ANSWERING, _REAPING = 300.0, 60.0, 30.0
_NO_FILES: Mapping[str, bytes] = MappingProxyType({})


class Zygote:
    """A warm process that makes a box for each submission; it starts again by itself when it has died."""

    def __init__(
        self,
        *,
        torch: bool = True,
        hidden: Sequence[str] = (),
        without: Sequence[str] = (),
        allow_weak: bool = False,
    ) -> None:
        """Start one.

        `hidden` names folders that must stay invisible even below Python's own, such as the course. `without` takes
        walls away ("namespaces", "landlock", "seccomp", …), to test what is left.
        """
        self._allow_weak = allow_weak
        self._hidden = tuple(hidden)
        if sys.platform != "linux":
            raise BoxError("the box needs Linux: grade in a container or on a server; students need no box")
        self._torch = torch
        self._without = tuple(without)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._folder: Path | None = None
        self._groups = None if "cgroup" in self._without else cgroups.place()
        self._group: cgroups.ControlGroup | None = None
        if self._groups is not None:
            cgroups.sweep(self._groups)
        self._start()

    def observe(
        self,
        cells: Sequence[Cell],
        requests: Sequence[Request],
        limits: Limits,
        files: Mapping[str, bytes] = _NO_FILES,
    ) -> Observed:
        """Run a submission's cells and then the requests in a fresh box; `files` lie in its working folder."""
        with self._lock:
            self._warm()
            return Session(self, cells, requests, limits, files).observe()

    def spawn(self, limits: Limits) -> tuple[Channel, int]:
        """Have a child forked; give the channel to it, and the zygote's pid."""
        process, control = self._warm()
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                answer, descriptors = self._ask(control, Spawn(limits=limits), [theirs.fileno()])
            if not isinstance(answer, Spawned) or len(descriptors) != 1:
                self._fail("it could not fork")
        except BaseException:
            ours.close()
            raise
        channel = Channel(ours, descriptors[0], limits)
        self._enclose(channel.pid, limits)
        return channel, process.pid

    def _enclose(self, pid: int, limits: Limits) -> None:
        """Put a child into a control group, if we were given any, before it has anything of the student."""
        if self._groups is None:
            return
        try:
            self._group = cgroups.ControlGroup(self._groups, limits)
            self._group.add(pid)
        except ProcessLookupError:  # the child fell already, which will be noticed
            self._release()
        except OSError:  # it looked as if we might: from now on the watchdog does it alone
            self._release()
            self._groups = None

    def _release(self) -> bool:
        """Take the control group away; say whether somebody in it was killed for want of memory."""
        group, self._group = self._group, None
        if group is None:
            return False
        starved = group.ran_out_of_memory()
        group.remove()
        return starved

    def end(self) -> tuple[Ended, bool]:
        """Have the child killed with everything it started; give what it used, and whether memory ran out."""
        if self._control is None:
            raise BoxError("the box was closed while it was at work")
        answer, _ = self._ask(self._control, End(), [])
        if not isinstance(answer, Ended):
            self._fail("it answered out of turn")
        return answer, self._release()

    def accept(self, told: Walls) -> Walls:
        """Return the walls around the child, from what it tells of them; raise if they are too weak to go on."""
        if self._group is not None:
            walls = Walls(walls=(*told.walls, "cgroup"), missing=told.missing)
        else:
            walls = Walls(walls=told.walls, missing=(*told.missing, "cgroup"))
        if level(walls) == "weak" and not self._allow_weak:
            raise CourseError(
                f"the box is too weak on this machine, it lacks {', '.join(walls.missing)}: redink doctor says how to "
                "get that; grade --allow-weak-box grades all the same, and the results say so"
            )
        return walls

    def close(self) -> None:
        """End the zygote and remove its folder."""
        process, control, folder = self._process, self._control, self._folder
        self._process = self._control = self._folder = None
        if control is not None:
            with contextlib.suppress(OSError):
                control.shutdown(socket.SHUT_RDWR)  # the zygote sees this, clears up and ends
            control.close()
        if process is not None:
            if not self._is_warm:
                process.kill()  # it has no child yet, and would see nothing before it is warm
            try:
                process.wait(_REAPING)
            except subprocess.TimeoutExpired:
                processes.kill_descendants_of(process.pid)
                process.kill()
                process.wait()
        self._release()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _start(self) -> None:
        scratch.sweep()
        folder, log = scratch.make()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        entry = Path(redink.box.__path__[0]) / "__main__.py"
        command = [sys.executable, "-P", str(entry), str(theirs.fileno())]
        with theirs, log:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and file
                command, env=clean_environment(folder), cwd=folder, pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self._control, self._folder, self._is_warm = ours, folder, False
        orders = Orders(
            grader=os.getpid(), folder=str(folder), torch=self._torch, hidden=self._hidden, without=self._without
        )
        try:
            ours.send(protocol.pack(orders))
        except OSError as error:  # it ended before it could hear them
            self._fail(str(error))

    def _warm(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        """Start the zygote if need be, and wait until it has warmed up."""
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._control is not None
        if not self._is_warm:
            answer, _ = self._hear(self._control, _STARTING)
            if not isinstance(answer, Ready):
                self._fail("it answered out of turn")
            self._is_warm = True
        return self._process, self._control

    def _ask(self, control: socket.socket, message: Record, descriptors: list[int]) -> tuple[Record, list[int]]:
        try:
            socket.send_fds(control, [protocol.pack(message)], descriptors)
        except OSError as error:
            self._fail(str(error))
        return self._hear(control, _ANSWERING)

    def _hear(self, control: socket.socket, seconds: float) -> tuple[Record, list[int]]:
        try:
            control.settimeout(seconds)
            data, descriptors, _, _ = socket.recv_fds(control, 4096, 1)
            if not data:
                raise EOFError("it ended")
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
            return protocol.from_zygote(data), descriptors
        except (OSError, EOFError, ValueError) as error:
            self._fail(str(error))

    def _fail(self, why: str) -> NoReturn:
        """Give up this zygote; the next call starts another."""
        said = "" if self._folder is None else scratch.last_words(self._folder)
        if self._process is not None:
            processes.kill_descendants_of(self._process.pid)
            self._process.kill()
        self.close()
        raise BoxError(f"the box's zygote failed: {one_clean_line(said) or why}")
