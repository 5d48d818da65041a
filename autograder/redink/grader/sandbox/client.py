"""The grader's handle on a zygote: starts it, has it make and end children, and starts another when it has died.

What a submission does is an observation, never an exception (session.py). Only a failure of ours, such as a zygote that
died, leaves `observe` as a `BoxError`. box/zygote.py explains which processes take part.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NoReturn

from redink.box import processes, protocol, scratch
from redink.box.protocol import End, Ended, Orders, Ready, Spawn, Spawned
from redink.errors import BoxError, CourseError
from redink.grader.sandbox import cgroups
from redink.grader.sandbox.channel import Channel
from redink.grader.sandbox.levels import level
from redink.grader.sandbox.pidfds import has_ended, kill, pid_of
from redink.grader.sandbox.session import Lend, Session
from redink.grader.sandbox.template import Template
from redink.grader.sockets import connect
from redink.records import Cell, Limits, Observed, Record, Request, Walls
from redink.texts import clean

_STARTING, _ANSWERING, _REAPING, _REMOVING = 300.0, 60.0, 30.0, 10.0
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Zygote:
    """A warm process that makes a box for each submission; it starts again by itself when it has died."""

    def __init__(
        self,
        *,
        torch: bool = True,
        packages: Sequence[str] = (),
        hidden: Sequence[str] = (),
        without: Sequence[str] = (),
        allow_weak: bool = False,
        template: str | None = None,
    ) -> None:
        """Start one, from the template at this address, or from one of its own.

        `torch` and `packages` are for a template of its own. `hidden` names folders that must stay invisible even
        below Python's own, such as the course. `without` takes walls away ("namespaces", "landlock", "seccomp", …), to
        test what is left.
        """
        self._torch = torch
        self._packages = tuple(packages)
        self._hidden = tuple(hidden)
        self._without = tuple(without)
        self._allow_weak = allow_weak
        self._shared = template
        self._own: Template | None = None
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._family: int | None = None  # a pidfd, from when the zygote is ready
        self._folder: Path | None = None
        self._closed = False
        self._groups = None if "cgroup" in self._without else cgroups.place()
        self._group: cgroups.ControlGroup | None = None
        if self._groups is not None:
            cgroups.sweep(self._groups)
        self._start()

    @property
    def pid(self) -> int:
        """The pid of the process from which all of this zygote's family descends; 0 when there is none."""
        return 0 if self._family is None else pid_of(self._family)

    def observe(
        self,
        cells: Sequence[Cell],
        requests: Sequence[Request],
        limits: Limits,
        files: Mapping[str, bytes] = _NOTHING,
        most_bytes: Mapping[str, int] = _NOTHING,
        lend: Lend | None = None,
    ) -> Observed:
        """Run a submission's cells and then the requests in a fresh box; `files` are put into its working folder.

        `most_bytes` says how large the answer to a request may be, where that is less than the limits allow.
        `lend` answers what the cells may borrow: only for cells of our own (workers/borrowing.py).
        """
        with self.held():
            return Session(self, cells, requests, limits, files, most_bytes, lend).observe()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Have the zygote for oneself, and ready: it has one child at a time."""
        with self._lock:
            self._ready()
            yield

    def spawn(self, limits: Limits) -> tuple[Channel, int]:
        """Have a child forked; return the channel to it, and the pid of the process that all its family descends from."""
        control = self._ready()
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
        return channel, self.pid

    def _enclose(self, pid: int, limits: Limits) -> None:
        """Put a child into a control group, if we were given any, before it has anything of the student."""
        if self._groups is None:
            return
        try:
            self._group = cgroups.ControlGroup(self._groups, limits)
            self._group.add(pid)
        except ProcessLookupError:  # the child is dead already, which will be noticed
            self._release()
        except OSError:  # it looked as if we might: from now on the watchdog does it alone
            self._release()
            self._groups = None

    def _release(self) -> bool:
        """Remove the control group; tell whether the kernel killed somebody in it because memory ran out."""
        group, self._group = self._group, None
        if group is None:
            return False
        starved = group.ran_out_of_memory()
        group.remove()
        return starved

    def end(self) -> tuple[Ended, bool]:
        """Have the child killed with everything it started; return what it used, and whether memory ran out."""
        if self._control is None:
            raise BoxError("the box was closed while it was at work")
        answer, _ = self._ask(self._control, End(), [])
        if not isinstance(answer, Ended):
            self._fail("it answered out of turn")
        self._clear()
        return answer, self._release()

    def _clear(self) -> None:
        """Make room for the next child's folders."""
        try:
            if self._folder is not None:
                scratch.clear(self._folder)
        except OSError as error:
            self._fail(str(error))

    def accept(self, told: Walls) -> Walls:
        """Return the walls around the child, from what it reports; raise if they are too weak to go on."""
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
        """End the zygote, and its template if that is its own, and remove their folders."""
        self._closed = True
        self._drop()
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _start(self) -> None:
        if self._closed:
            raise BoxError("the box was closed")
        scratch.sweep()
        self._folder, log = scratch.make()
        orders = Orders(folder=str(self._folder), hidden=self._hidden, without=self._without)
        me = os.pidfd_open(os.getpid())
        try:
            self._control = self._connect()
            socket.send_fds(self._control, [protocol.pack(orders)], [me, log.fileno()])
        except OSError as error:  # the template ended before it could hear us
            self._fail(str(error))
        finally:
            os.close(me)
            log.close()

    def _connect(self) -> socket.socket:
        """Connect to the template; where it has died, or there is none, to one of our own."""
        for address in (self._shared, self._own.address if self._own else None):
            if address is not None:
                with contextlib.suppress(OSError):
                    return connect(address, socket.SOCK_SEQPACKET)
        if self._own is not None:
            self._own.close()
        self._own = Template(torch=self._torch, packages=self._packages)
        return connect(self._own.address, socket.SOCK_SEQPACKET)

    def _ready(self) -> socket.socket:
        """Start the zygote if need be, and wait until it is ready."""
        if self._control is None:
            self._start()
        assert self._control is not None
        if self._family is None:
            answer, descriptors = self._hear(self._control, _STARTING)
            if not isinstance(answer, Ready) or len(descriptors) != 1:
                self._fail("it answered out of turn")
            self._family = descriptors[0]
        return self._control

    def _drop(self) -> None:
        """End the zygote and have its folder removed; it sees its socket closed, kills its child and clears up."""
        control, family, folder = self._control, self._family, self._folder
        self._control = self._family = self._folder = None
        if control is not None:
            with contextlib.suppress(OSError):
                control.shutdown(socket.SHUT_RDWR)
            control.close()
        if family is not None:
            if not has_ended(family, _REAPING):
                _kill_all(family)
            os.close(family)
        self._release()
        if folder is not None:
            scratch.remove(folder, _REMOVING)

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
        """Abandon this zygote; the next call starts another."""
        folders = [self._folder, self._own and self._own.folder, self._shared and Path(self._shared).parent]
        said = next(filter(None, (scratch.last_line(folder) for folder in folders if folder)), "")
        if self._family is not None:
            _kill_all(self._family)
        self._drop()
        raise BoxError(f"the box's zygote failed: {clean(said) or why}")


def _kill_all(family: int) -> None:
    """Kill a zygote with everything that descends from it."""
    if pid := pid_of(family):
        processes.kill_descendants_of(pid)
    kill(family)
    has_ended(family, _REAPING)
