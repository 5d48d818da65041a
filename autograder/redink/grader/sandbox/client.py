"""The grader's side of the box: asks for a child, reads what it sends, and believes none of it.

A frame is checked for size before it is read, for shape when it is decoded, and for sense here: the right cell, the right
request, known names, texts of bounded length. Whatever else comes (garbage, silence, a closed socket, death) costs the
cell or the request that was running, and the submission goes on from a fresh child. Only a failure of ours, such as a
zygote that died, leaves `observe` as a `BoxError`. box/zygote.py tells which processes take part.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import NoReturn

import redink.box
from redink.box import processes, protocol, scratch
from redink.box.protocol import CellDone, End, Ended, Job, Orders, Ready, Reply, Run, RunnerGone, Spawn, Spawned
from redink.errors import BoxError, CourseError
from redink.grader.sandbox import cgroups
from redink.grader.sandbox.channel import Allowance, Channel, Exhausted, Late, Lost, Meter, Patience, out_of_memory
from redink.grader.sandbox.environment import clean_environment
from redink.grader.sandbox.levels import level
from redink.grader.sandbox.sanitise import one_clean_line, sane_observation, sane_run
from redink.records import Cell, CellRun, Limits, Observation, Observed, Record, Request, Walls

MOST_RESPAWNS = 5
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
        self._group: cgroups.Group | None = None
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
            return _Session(self, cells, requests, limits, files).observe()

    def trust(self, walls: Walls) -> None:
        """Refuse to run anybody's code behind walls that leave secrets open, unless that was allowed."""
        if level(walls) == "weak" and not self._allow_weak:
            raise CourseError(
                f"the box is too weak on this machine, it lacks {', '.join(walls.missing)}: redink doctor says how to "
                "get that; grade --allow-weak-box grades all the same, and the results say so"
            )

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
            self._group = cgroups.Group(self._groups, limits)
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

    def walls(self, told: Walls) -> Walls:
        """Add to what a child tells of its walls the one that stands around it."""
        if self._group is not None:
            return Walls(walls=(*told.walls, "cgroup"), missing=told.missing)
        return Walls(walls=told.walls, missing=(*told.missing, "cgroup"))

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


class _Session:
    """The observation of one submission, over as many children as it takes."""

    def __init__(
        self,
        zygote: Zygote,
        cells: Sequence[Cell],
        requests: Sequence[Request],
        limits: Limits,
        files: Mapping[str, bytes],
    ) -> None:
        self._zygote = zygote
        self._cells = tuple(cells)
        self._requests = tuple(requests)
        self._limits = limits
        self._files = dict(files)
        self._meter = Meter(limits)
        self._runs: dict[int, CellRun] = {}  # by place in the notebook
        self._barred: dict[int, CellRun] = {}  # the cells that ended their process, and are not run again
        self._pending = list(requests)
        self._seen: dict[str, Observation] = {}
        self._at: int | Request | None = None  # what runs now, and pays if the child is lost
        self._walls = Walls()
        self._kin = 0  # the zygote, from which everything of this submission descends

    def observe(self) -> Observed:
        """Try until everything has an outcome, or the notebook has ended its process too often."""
        started = time.monotonic()
        for _ in range(1 + MOST_RESPAWNS):
            if self._attempt():
                break
        self._abandon("skipped", "unreachable", "the notebook ended its process too often")
        return Observed(
            cells=tuple((self._runs | self._barred)[place] for place in range(len(self._cells))),
            observations={request.id: self._seen[request.id] for request in self._requests},
            box=self._walls,
            cpu_seconds=round(self._meter.ended, 4),
            wall_seconds=round(time.monotonic() - started, 4),
        )

    def _attempt(self) -> bool:
        """Run it all in one child, from the first cell to the last request still open; say whether that is the end."""
        self._at = None
        channel, zygote = self._zygote.spawn(self._limits)
        lost: Lost | None = None
        try:
            self._meter.follow(zygote)
            self._kin = zygote
            self._run_cells(channel)
            self._run_requests(channel)
        except Lost as error:
            lost = error
            if not str(lost):
                channel.await_death()
        finally:
            channel.close()
            ended, starved = self._zygote.end()
        self._meter.ended += ended.cpu_seconds
        if lost is not None and starved and not str(lost):
            lost = Lost(out_of_memory(self._limits))
        if lost is not None:
            self._charge(lost, ended)
        return lost is None or isinstance(lost, Exhausted)

    def _run_cells(self, channel: Channel) -> None:
        try:
            self._walls = self._zygote.walls(protocol.standing(channel.receive(Patience(_ANSWERING))).walls)
            self._zygote.trust(self._walls)
            places = [place for place in range(len(self._cells)) if place not in self._barred]
            cells = tuple(self._cells[place] for place in places)
            channel.send(Job(cells=cells, limits=self._limits, files=self._files))
        except (Lost, ValueError) as error:
            raise BoxError("the box fell before anything of the submission ran in it") from error
        for place in places:
            self._at = place
            self._meter.check_total()
            message = channel.message(Allowance(self._meter, self._limits.cell_cpu))
            if not isinstance(message, CellDone) or message.run.index != self._cells[place].index:
                raise Lost("disturbed its connection to the grader")
            self._runs[place] = sane_run(message.run, self._limits)

    def _run_requests(self, channel: Channel) -> None:
        while self._pending:
            self._at = self._pending[0]
            channel.send(Run(requests=tuple(self._pending)))
            self._hear_a_runner(channel)

    def _hear_a_runner(self, channel: Channel) -> None:
        """Take replies until nothing is pending or the runner has fallen."""
        while self._pending:
            self._at = request = self._pending[0]
            self._meter.check_total()
            try:
                message = channel.message(Allowance(self._meter, self._limits.check_cpu))
            except Late as late:
                processes.kill_children_of(channel.pid)
                self._answer(Observation(status="timeout", error=str(late)))
                return self._await_the_end_of_a_runner(channel)
            if isinstance(message, RunnerGone):
                return self._mourn(message)
            if not isinstance(message, Reply) or message.id != request.id:
                raise Lost("disturbed its connection to the grader")
            self._answer(sane_observation(message, request, self._limits))
            if message.status == "timeout" and self._pending:
                return self._await_the_end_of_a_runner(channel)
        return None

    def _mourn(self, gone: RunnerGone) -> None:
        """Let a request pay for its runner; all of them, where the cells left no room, since none will be made later."""
        self._excuse_a_crowd(gone)
        died = Observation(status="died", error=processes.how_it_ended(gone.code))
        self._answer(died)
        while gone.code == processes.NO_ROOM and self._pending:
            self._answer(died)

    def _excuse_a_crowd(self, gone: RunnerGone) -> None:
        """Tell a submission that has itself filled its room from one that others of the same user left none."""
        if gone.code == processes.NO_ROOM and processes.threads_of_family(self._kin) < self._limits.processes // 2:
            raise BoxError("other programs of the same user left no room for another process")

    def _await_the_end_of_a_runner(self, channel: Channel) -> None:
        """Hear the snapshot say that its runner is gone; if it does not, nobody pays but the child."""
        self._at = None
        if not isinstance(channel.message(Allowance(self._meter, 1.0)), RunnerGone):
            raise Lost("disturbed its connection to the grader")

    def _answer(self, observation: Observation) -> None:
        """File the outcome of the first pending request; a time-out settles the rest of its group too."""
        request = self._pending.pop(0)
        self._seen[request.id] = observation
        while observation.status == "timeout" and request.group and self._next_group() == request.group:
            self._seen[self._pending.pop(0).id] = observation

    def _next_group(self) -> str | None:
        return self._pending[0].group if self._pending else None

    def _charge(self, lost: Lost, ended: Ended) -> None:
        """Let what was running pay for the loss of its child."""
        late = isinstance(lost, Late | Exhausted)
        how = str(lost) or (
            processes.how_it_ended(ended.status) if ended.itself else "closed its connection to the grader"
        )
        if isinstance(self._at, int):
            cell = self._cells[self._at]
            self._barred[self._at] = CellRun(index=cell.index, status="timeout" if late else "error", error=how)
        elif self._at is not None:
            self._answer(Observation(status="timeout" if late else "died", error=how))
        if isinstance(lost, Exhausted):
            self._abandon("skipped", "unreachable", how)

    def _abandon(self, cell: str, request: str, why: str) -> None:
        """Give everything that has no outcome yet this one."""
        for place, one in enumerate(self._cells):
            if place not in self._runs and place not in self._barred:
                self._runs[place] = CellRun(index=one.index, status=cell, error=why)  # type: ignore[arg-type]
        while self._pending:
            self._answer(Observation(status=request, error=why))  # type: ignore[arg-type]
