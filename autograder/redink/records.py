"""The records that flow from stage to stage: frozen, plain, and the same on disk as in memory."""

from __future__ import annotations

from typing import Literal

import msgspec

Visibility = Literal["public", "hidden"]
Word = Literal["passed", "failed", "error", "timeout", "not_run"]
Precision = Literal["double", "single", "half"]
State = Literal["graded", "ungradable", "internal_error"]
NOT_WRITTEN = "not written yet"  # what is said of a function, or of short answers, that nobody has begun
RUN_AGAIN = "it was run again: a process of it was killed, from outside or by itself"


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all records."""


class Cell(Record, frozen=True):
    """The source of one code cell; `index` is its place in the document, counted from 1 over all cells."""

    index: int
    source: str


class Limits(Record, frozen=True):
    """What one submission may use; CPU time decides, wall time is only the backstop."""

    cell_cpu: float = 20.0
    check_cpu: float = 10.0
    total_cpu: float = 120.0
    wall_factor: float = 10.0
    memory_mb: int = 2048
    disk_mb: int = 256
    processes: int = 64
    open_files: int = 256
    output_bytes: int = 64 * 1024
    value_bytes: int = 16 * 1024 * 1024

    @property
    def waiting(self) -> float:
        """The wall seconds that a submission may spend asleep or waiting, all of it together."""
        return min(60.0, self.total_cpu)

    def wall(self, used: float) -> float:
        """Return the wall seconds that a submission may take in all, having used so many CPU seconds.

        They grow with the CPU time, since what is slow only because the machine is busy must not be cut off.
        """
        return self.waiting + min(self.wall_factor * used, 2 * self.total_cpu)


class JudgingLimits(Record, frozen=True):
    """What judging one submission may use; it takes a tenth of a second."""

    step_cpu: float = 5.0  # for one step: reading the notebook, judging a check, diagnosing a question
    total_cpu: float = 20.0
    memory_mb: int = 256  # beside what the answer key takes


class Request(Record, frozen=True, omit_defaults=True):
    """One `when` to run beside the student's code: its source, and the inputs it names, encoded by the wire.

    Requests of one group (the trials of one check) fail together: after one that runs out of time, the rest of the group
    is not tried, so that an endless function costs its own checks and not everybody's time.
    """

    id: str
    when: str
    inputs: bytes
    group: str = ""
    forbids: tuple[str, ...] = ()  # names whose calls are to be noted while it runs
    borrows: tuple[str, ...] = ()  # functions that another box answers for; only ever asked of the reference
    tuples: bool = False  # whether the answer keeps tuples apart from lists

    @property
    def published(self) -> bool:
        """Whether a student may see its inputs; its id is that of a trial, and any other id counts as secret."""
        _, slash, number = self.id.rpartition("/")
        return bool(slash) and number.startswith("p")


class ForbiddenCall(Record, frozen=True):
    """A call of a forbidden name, and the notebook's names for the functions around it, from the call outwards."""

    name: str
    within: tuple[str, ...]


class LentCount(Record, frozen=True):
    """How often the reference called a function that it borrowed, and how often its own gave the same answer."""

    name: str
    calls: int
    agreed: int


class Observation(Record, frozen=True):
    """What one `when` returned or how it ended: data alone, no judgement."""

    status: Literal["returned", "raised", "timeout", "died", "missing", "too_large", "unreachable"]
    value: bytes = b""  # a wire value, when returned
    error: str = ""  # one line, when not: "ValueError: …", the missing name, the signal
    where: str = ""  # "cell 7, line 3"
    modified: tuple[str, ...] = ()  # inputs that the student's code changed in place
    calls: tuple[ForbiddenCall, ...] = ()  # of names that its request forbids
    lent: tuple[LentCount, ...] = ()  # of functions that its request borrows


class Trial(Record, frozen=True):
    """One trial of one check: its inputs, and whether a student may see them."""

    check: str
    number: int
    published: bool
    inputs: bytes

    @property
    def id(self) -> str:
        """Name this trial among all of an assignment: `check/p0` is published, `check/s0` secret."""
        return f"{self.check}/{'p' if self.published else 's'}{self.number}"

    @property
    def told(self) -> str:
        """How a sentence names it."""
        return f"{self.check} ({'published' if self.published else 'secret'} trial {self.number})"


class Misconception(Record, frozen=True):
    """A wrong belief: its name, the question it fails, the teacher's hint, and its answers to the trials it changes."""

    id: str
    question: str
    hint: str
    gives: dict[str, Observation]  # by trial id


class CellRun(Record, frozen=True):
    """How one cell ended."""

    index: int
    status: Literal["ok", "error", "timeout", "skipped"]
    error: str = ""
    output: str = ""
    cpu_seconds: float = 0.0


class Walls(Record, frozen=True):
    """Which walls were in place around the box, and which are missing on this machine."""

    walls: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class Execution(Record, frozen=True):
    """One execution of a submission's cells in a box."""

    cells: tuple[CellRun, ...]
    box: Walls = Walls()
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    run_again: bool = False  # since a process of it was killed, from outside or by itself


class Observed(Execution, frozen=True):
    """An execution, and what each request saw of it."""

    observations: dict[str, Observation] = msgspec.field(default_factory=dict)  # by request id


class CheckObservations(Record, frozen=True):
    """What one check saw, all its trials packed, under the key of what it was seen of: as it is kept and sent."""

    check: str
    key: str
    digest: str  # of the content
    content: bytes


class Verdict(Record, frozen=True):
    """The verdict on one check or trial, and the sentence a student may read."""

    verdict: Word
    message: str = ""
    notes: tuple[str, ...] = ()


class Hint(Record, frozen=True):
    """What a wrong answer shows: a misconception of the bank or, where none matches, how it relates to the right one."""

    text: str
    misconception: str = ""
    relation: str = ""  # named by judging/explaining.py, where no misconception matches

    @property
    def name(self) -> str:
        """How an instructor's tables name it."""
        return self.misconception or f"unknown ({self.relation})"


class CheckResult(Record, frozen=True):
    """One check in a result."""

    id: str
    visibility: Visibility
    verdict: Word
    score: float
    max_score: float
    message: str
    notes: tuple[str, ...] = ()


class QuestionResult(Record, frozen=True):
    """One question in a result."""

    id: str
    title: str
    tier: Literal["core", "extra"]
    score: float
    max_score: float
    hint: Hint | None
    checks: tuple[CheckResult, ...]
    in_place: str | None = None  # the check that was charged for an input that was changed in place


class Assessment(Record, frozen=True):
    """What a submission earned by judging it, and what that depends on; dicts are by question."""

    score: float
    questions: tuple[QuestionResult, ...]
    bases: dict[str, str]
    mistakes: dict[str, str]  # names of mistakes that no misconception explains
    untried: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=dict
    )  # checks that may follow from these questions


class SubmissionId(Record, frozen=True):
    """Which file a result is about."""

    id: str
    file: str
    sha256: str


class Result(Record, frozen=True):
    """The whole outcome for one submission, as documented in docs/results.md."""

    assignment: str
    version: str
    secret: str
    submission: SubmissionId
    state: State
    reason: str | None
    score: float
    max_score: float
    questions: tuple[QuestionResult, ...]
    cells: tuple[CellRun, ...]
    box: Walls
    cpu_seconds: float
    wall_seconds: float
    run_again: bool = False  # since a process of it was killed, from outside or by itself


class Results(Record, frozen=True):
    """The file that `grade --json` writes."""

    schema: str = "redink/results/1"
    results: tuple[Result, ...] = ()
