"""The observation of one submission: from its first cell to its last request, over as many children as it takes.

A frame is checked for size before it is read (channel), for shape when it is decoded (protocol), and for sense here: the
right cell, the right request, known names, texts of bounded length. Whatever else comes (garbage, silence, a closed socket,
death) costs the cell or the request that was running, and the submission goes on from a fresh child.

Order is a wall. What a student may read of a submission is how its cells ended and what published requests answered, so
all of that is known before the first secret input enters the box: published requests have their outcomes before a secret
one is sent, to any child, and how a cell ends after that, when it must run again in a fresh child, is not kept. Forks
would not do: what one runner writes into a file, the next one reads.

Who killed a process cannot be told: the kernel, short of memory, an administrator, or the submission itself. So the first
time that one is killed, and not by us, everything is run once more, in a new box, and that second run is believed, whatever
happens in it. Time and memory are counted over both. If a secret input had been sent, what may be shown stays as the first
run had it: the second could tell of that input, by the clock.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, Protocol

from redink.box import processes, protocol
from redink.box.protocol import Borrow, CellDone, Ended, FromBox, Lent, Reply, RunCells, RunnerEnded, RunRequests
from redink.errors import BoxError, TooLateError
from redink.grader.sandbox.channel import DISTURBED, Channel
from redink.grader.sandbox.meter import Allowance, Deadline, Exhausted, Killed, Late, Lost, Meter, out_of_memory
from redink.grader.sandbox.sanitise import sane_observation, sane_run
from redink.records import Cell, CellRun, Limits, Observation, Observed, Request, Walls

MOST_RESPAWNS = 5
_ANSWERING = 60.0

Lend = Callable[[Borrow], Lent]


class Children(Protocol):
    """Makes and ends the children of a session, one at a time."""

    def spawn(self, limits: Limits) -> tuple[Channel, int]:
        """Have a child forked; return the channel to it, and the pid of the process that all its family descends from."""
        ...

    def accept(self, told: Walls) -> Walls:
        """Return the walls around the child, from what it reports; raise if they are too weak to go on."""
        ...

    def end(self) -> tuple[Ended, bool]:
        """Have the child killed with everything it started; return what it used, and whether memory ran out."""
        ...


class Session:
    """One submission on its way through the box."""

    def __init__(
        self,
        children: Children,
        cells: Sequence[Cell],
        requests: Sequence[Request],
        limits: Limits,
        files: Mapping[str, bytes],
        most_bytes: Mapping[str, int],
        lend: Lend | None = None,
    ) -> None:
        """Take what is to be run; `lend` answers the calls that a box of ours borrows, and no other box may ask."""
        self._children = children
        self._cells = tuple(cells)
        self._requests = tuple(requests)
        self._limits = limits
        self._files = dict(files)
        self._most_bytes = most_bytes
        self._lend = lend
        self._meter = Meter(limits)
        self._groups: dict[str, list[Request]] = defaultdict(list)
        for request in requests:
            self._groups[request.group].append(request)
        self._runs: dict[int, CellRun] = {}  # by place in the notebook
        self._printed = 0  # characters of output in them
        self._barred: set[int] = set()  # the cells that ended their process, and are not run again
        self._seen: dict[str, Observation] = {}
        self._shown: dict[str, Observation] = {}  # published, from a first run that was sent secrets
        self._secret_sent = False
        self._again = False  # whether this is the second run
        self._at: int | Request | None = None  # what runs now, and pays if the child is lost
        self._walls = Walls()
        self._zygote = 0  # the pid from which everything of this submission descends

    def observe(self) -> Observed:
        """Run everything; if one of its processes is killed, from the start once more."""
        started = time.monotonic()
        try:
            try:
                self._run()
            except Killed:
                self._forget()
                self._run()
        except BoxError as error:
            raise TooLateError(str(error)) if self._secret_sent else error from error
        self._abandon("the notebook ended its process too often")
        return Observed(
            cells=tuple(self._runs[place] for place in range(len(self._cells))),
            observations={one.id: self._shown.get(one.id, self._seen[one.id]) for one in self._requests},
            box=self._walls,
            cpu_seconds=round(self._meter.ended, 4),
            wall_seconds=round(time.monotonic() - started, 4),
            run_again=self._again,
        )

    def _run(self) -> None:
        """Try until everything has an outcome, or the notebook has ended its process too often."""
        for _ in range(1 + MOST_RESPAWNS):
            if self._attempt():
                break

    def _forget(self) -> None:
        """Begin anew, as if nothing had run; what may be shown stays if a secret input was sent."""
        self._again = True
        self._barred.clear()
        if self._secret_sent:
            self._shown = {one.id: self._seen[one.id] for one in self._requests if one.published}
        else:
            self._runs.clear()
            self._printed = 0
        self._seen = {}

    def _attempt(self) -> bool:
        """Run everything in one child, from the first cell to the last pending request; tell whether that is the end."""
        self._at = None
        channel, self._zygote = self._children.spawn(self._limits)
        lost: Lost | None = None
        try:
            self._meter.follow(self._zygote)
            self._run_cells(channel)
            self._run_requests(channel)
        except Lost as error:
            lost = error
            if not str(lost):
                channel.await_death()
        finally:
            channel.close()
            self._meter.stop_clock()
            ended, starved = self._children.end()
        self._meter.ended += ended.cpu_seconds
        if lost is not None:
            lost = self._explained(lost, ended, starved)
            if isinstance(lost, Killed) and not self._again:
                raise lost
            self._charge(lost)
        return lost is None or isinstance(lost, Exhausted)

    def _explained(self, lost: Lost, ended: Ended, starved: bool) -> Lost:
        """Say why a child was lost, where that is only known now that it has ended."""
        if str(lost):
            return lost
        if starved:
            return Lost(out_of_memory(self._limits))
        if not ended.itself:
            return Lost("closed its connection to the grader")
        how = processes.how_it_ended(ended.status)
        return Killed(how) if processes.was_killed(ended.status) else Lost(how)

    def _run_cells(self, channel: Channel) -> None:
        try:
            self._walls = self._children.accept(protocol.walls_raised(channel.receive(Deadline(_ANSWERING))).walls)
            places = [place for place in range(len(self._cells)) if place not in self._barred]
            cells = tuple(self._cells[place] for place in places)
            self._meter.start_clock()
            forbids = tuple(dict.fromkeys(name for one in self._requests for name in one.forbids))
            order = RunCells(cells=cells, limits=self._limits, files=self._files, forbids=forbids)
            channel.send(order, Deadline(_ANSWERING))
        except (Lost, ValueError) as error:
            raise BoxError("the box fell before anything of the submission ran in it") from error
        for place in places:
            self._at = place
            self._meter.check_total()
            message = channel.message(Allowance(self._meter, self._limits.cell_cpu))
            if not isinstance(message, CellDone) or message.run.index != self._cells[place].index:
                raise Lost(DISTURBED)
            self._keep(place, sane_run(message.run, self._limits, self._room_for_output(place)))

    def _room_for_output(self, place: int) -> int:
        """Return how many characters may still be kept, besides those that this cell printed before."""
        before = len(self._runs[place].output) if place in self._runs else 0
        return self._limits.output_bytes - self._printed + before

    def _keep(self, place: int, run: CellRun) -> None:
        """Keep how a cell ended, unless it ran again after a secret input was sent: it may tell of that."""
        if not self._secret_sent:
            self._printed += len(run.output) - (len(self._runs[place].output) if place in self._runs else 0)
            self._runs[place] = run

    def _run_requests(self, channel: Channel) -> None:
        while batch := self._next_batch():
            self._at = batch[0]
            self._secret_sent = self._secret_sent or not batch[0].published
            channel.send(RunRequests(requests=batch), Allowance(self._meter, self._limits.check_cpu))
            self._take_replies(channel, batch)

    def _next_batch(self) -> tuple[Request, ...]:
        """Return the published requests that have no outcome yet; only when all have one, the secret ones."""
        pending = tuple(request for request in self._requests if request.id not in self._seen)
        return tuple(request for request in pending if request.published) or pending

    def _take_replies(self, channel: Channel, batch: Sequence[Request]) -> None:
        """Take the replies of one runner until it has answered all, and waits for more, or has ended."""
        for request in batch:
            self._at = request
            self._meter.check_total()
            try:
                message = self._reply(channel, request)
            except Late as late:
                processes.kill_children_of(channel.pid)
                self._answer(request, Observation(status="timeout", error=str(late)))
                return self._await_end_of_runner(channel)
            if isinstance(message, RunnerEnded):
                return self._charge_for_runner(message, request)
            if not isinstance(message, Reply) or message.id != request.id:
                raise Lost(DISTURBED)
            most = self._most_bytes.get(request.id, self._limits.value_bytes)
            self._answer(request, sane_observation(message, request, most))
            if message.status == "timeout":
                return self._await_end_of_runner(channel)
        return None

    def _reply(self, channel: Channel, request: Request) -> FromBox:
        """Wait for the answer to a request, and meanwhile lend it what it may borrow."""
        allowance = Allowance(self._meter, self._limits.check_cpu)
        message = channel.message(allowance)
        while isinstance(message, Borrow) and self._lend is not None and message.name in request.borrows:
            channel.send(self._lend(message), allowance)
            message = channel.message(allowance)
        return message

    def _charge_for_runner(self, ended: RunnerEnded, request: Request) -> None:
        """Fail the request whose runner died; fail all of them where the cells left no room for another runner."""
        self._excuse_a_crowd(ended)
        how = processes.how_it_ended(ended.code)
        if processes.was_killed(ended.code) and not self._again:
            raise Killed(how)
        died = Observation(status="died", error=how)
        self._answer(request, died)
        if ended.code == processes.NO_ROOM:
            self._settle(self._requests, died)

    def _excuse_a_crowd(self, ended: RunnerEnded) -> None:
        """Raise if there was no room because of other programs of the same user, and not of the submission itself."""
        if ended.code == processes.NO_ROOM and processes.threads_of_family(self._zygote) < self._limits.processes // 2:
            raise BoxError("other programs of the same user left no room for another process")

    def _await_end_of_runner(self, channel: Channel) -> None:
        """Wait, if anything is to follow, until the runner has ended; if something else comes, only the child pays."""
        self._at = None
        if self._next_batch() and not isinstance(channel.message(Allowance(self._meter, 1.0)), RunnerEnded):
            raise Lost(DISTURBED)

    def _answer(self, request: Request, observation: Observation) -> None:
        """Keep the outcome of a request; a time-out settles the rest of its group too, wherever that stands."""
        self._seen[request.id] = observation
        if observation.status == "timeout" and request.group:
            self._settle(self._groups[request.group], observation)

    def _settle(self, requests: Iterable[Request], observation: Observation) -> None:
        """Keep one outcome for those requests that have none yet, without running them."""
        for request in requests:
            self._seen.setdefault(request.id, observation)

    def _charge(self, lost: Lost) -> None:
        """Fail what was running when the child was lost."""
        late, how = isinstance(lost, Late | Exhausted), str(lost)
        if isinstance(self._at, int):
            status: Literal["timeout", "error"] = "timeout" if late else "error"
            self._barred.add(self._at)
            self._keep(self._at, CellRun(index=self._cells[self._at].index, status=status, error=how))
        elif self._at is not None:
            self._answer(self._at, Observation(status="timeout" if late else "died", error=how))
        if isinstance(lost, Exhausted):
            self._abandon(how)

    def _abandon(self, why: str) -> None:
        """Skip all cells and requests that have no outcome yet."""
        for place, cell in enumerate(self._cells):
            self._runs.setdefault(place, CellRun(index=cell.index, status="skipped", error=why))
        self._settle(self._requests, Observation(status="unreachable", error=why))
