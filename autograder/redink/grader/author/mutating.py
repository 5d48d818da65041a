"""The mutation run: mutants of the reference, each graded until it loses a point, and a list of those that lose none.

Check by check, the cheapest for the reference first, every mutant that is still alive and that the check can see runs on
that check alone; to all others it answers as the reference does. What was seen is assessed as any submission's. A mutant
may use three times the CPU time of the reference, and one that needs more is killed. An author may explain a mutant that
lives because it is right in `solutions/<slug>/equivalent.toml`; it is tried all the same, since the claim may be wrong.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from redink.errors import AuthorError
from redink.grader.answer_key.key import AnswerKey, Part
from redink.grader.answer_key.make import affected_checks, make_answer_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.author.mutants import Mutant, draw, find_mutants
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.evidence.evidence import Evidence
from redink.grader.evidence.packing import pack_observations
from redink.grader.pipeline.assess import assess
from redink.grader.pipeline.judge import Memory
from redink.grader.workers.workers import Workers
from redink.records import Cell, CellRun, CheckResult, Limits, Observation, Record

EQUIVALENT = "equivalent.toml"
TIMES, LEAST = 3.0, 1.0  # how much of the reference's CPU time a mutant may use, and seconds that are always allowed


class Survivor(Record, frozen=True):
    """A mutant that lost no point: its name, and the lines before and after the edit."""

    id: str
    before: str
    after: str


class Mutated(Record, frozen=True):
    """What a mutation run found."""

    assignment: str
    seed: int
    possible: int  # how many mutants there are to draw from
    drawn: int
    killed: dict[str, str]  # mutant to the first check that it fails
    late: tuple[str, ...]  # those of them that were killed because they took too long
    equivalent: dict[str, str]  # mutants that lost nothing, and why that is right
    survivors: tuple[Survivor, ...]  # mutants that lost nothing, and nobody has said why
    refuted: tuple[str, ...]  # mutants that are said to be equivalent, and lost a point by an answer
    cpu_seconds: float  # that the boxes used


def mutate(
    course: Course,
    slug: str,
    count: int,
    *,
    workers: Workers,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Mutated:
    """Grade some mutants of an assignment's reference, and tell which of them no check has seen."""
    assignment = msgspec.structs.replace(read_assignment(course, slug), misconceptions=())  # no hints are needed
    possible = find_mutants(assignment)
    explained = _read_equivalent(assignment, {one.id for one in possible})
    drawn = draw(possible, slug, seed, count)
    key = make_answer_key(assignment, course.secret(), workers.observe)
    workers.watch = lambda done, total: None
    run = _MutationRun(assignment, key, workers)
    run.try_all(drawn, progress)
    alive = [one for one in drawn if one.id not in run.killed]
    return Mutated(
        assignment=slug,
        seed=seed,
        possible=len(possible),
        drawn=len(drawn),
        killed=run.killed,
        late=tuple(run.late),
        equivalent={one.id: explained[one.id] for one in alive if one.id in explained},
        survivors=tuple(
            Survivor(id=one.id, before=one.before, after=one.after) for one in alive if one.id not in explained
        ),
        refuted=tuple(id for id in run.killed if id in explained and id not in run.late),
        cpu_seconds=round(run.cpu_seconds, 2),
    )


def _read_equivalent(assignment: Assignment, known: Collection[str]) -> dict[str, str]:
    """Read which mutants an author says are right, and why; one that no longer exists is refused."""
    path = assignment.solution / EQUIVALENT
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AuthorError(f"{path} is not TOML: {error}") from None
    for id, why in found.items():
        if id not in known:
            raise AuthorError(f"{path}: no mutant is called {id!r}; was the master changed? Then drop or rename it")
        if not isinstance(why, str) or not why.strip():
            raise AuthorError(f"{path}: {id!r} needs a sentence that says why it is right")
    return found


class _MutationRun:
    """Grades mutants of one assignment, and notes which check kills which."""

    def __init__(self, assignment: Assignment, key: AnswerKey, workers: Workers) -> None:
        self._assignment = assignment
        self._key = OpenKey(key, assignment.checks)
        self._workers = workers
        self._right = {part.check: part.expected for part in key.parts}
        self._digests = {check: digest(pack_observations(seen)) for check, seen in self._right.items()}
        self._judged: dict[str, bytes] = {}  # judgements on the reference, which are most of those on a mutant
        if lost := self._lost(assignment.solved, (), {}):
            raise AuthorError(f"{assignment.slug}: the reference itself loses points in {lost.id}; run redink verify")
        self.killed: dict[str, str] = {}
        self.late: list[str] = []
        self.cpu_seconds = 0.0

    def try_all(self, mutants: Sequence[Mutant], progress: Callable[[int, int], None]) -> None:
        """Try mutants check by check, until each is killed or has passed all that it reaches."""
        solved = self._assignment.solved
        reach = {one: affected_checks(self._assignment, one.cells(solved)) for one in mutants}
        seen_by = frozenset().union(*reach.values())
        parts = [part for part in self._key.key.parts if part.weight and part.check in seen_by]
        costs = self._costs(parts)
        for part in sorted(parts, key=lambda part: costs[part.check]):
            waiting = [one for one in mutants if one.id not in self.killed and part.check in reach[one]]
            self._try(part, waiting, self._limits(costs[part.check]))
            del costs[part.check]
            done = [one for one in mutants if one.id in self.killed or not reach[one].intersection(costs)]
            progress(len(done), len(mutants))

    def _costs(self, parts: Sequence[Part]) -> dict[str, float]:
        """Measure the CPU seconds that the reference takes for each check alone, its cells included."""
        cells = self._assignment.to_run(self._assignment.solved)
        orders = [(cells, part.requests) for part in parts]
        seen = self._workers.observe(orders, self._assignment.spec.limits, self._key.key.data)
        self.cpu_seconds += sum(one.cpu_seconds for one in seen)
        return {part.check: one.cpu_seconds for part, one in zip(parts, seen, strict=True)}

    def _limits(self, cost: float) -> Limits:
        limits = self._assignment.spec.limits
        return msgspec.structs.replace(limits, total_cpu=min(limits.total_cpu, max(LEAST, TIMES * cost)))

    def _try(self, part: Part, mutants: Sequence[Mutant], limits: Limits) -> None:
        """Run mutants on one check, and note which of them lose a point by it."""
        notebooks = [one.cells(self._assignment.solved) for one in mutants]
        orders = [(self._assignment.to_run(cells), part.requests) for cells in notebooks]
        many = self._workers.observe(orders, limits, self._key.key.data)
        for mutant, cells, seen in zip(mutants, notebooks, many, strict=True):
            self.cpu_seconds += seen.cpu_seconds
            answers = {part.check: tuple(seen.observations[one.id] for one in part.requests)}
            if lost := self._lost(cells, seen.cells, answers):
                self.killed[mutant.id] = lost.id
                self.late += [mutant.id] if lost.verdict == "timeout" else []

    def _lost(
        self, cells: Sequence[Cell], runs: Sequence[CellRun], answers: Mapping[str, tuple[Observation, ...]]
    ) -> CheckResult | None:
        """Find the check that costs a notebook points which answers as the reference does, except to some checks."""
        evidence = Evidence(
            sources=lambda: cells,
            cells=runs,
            digests=self._digests | {check: digest(pack_observations(seen)) for check, seen in answers.items()},
            observations=lambda check: answers.get(check, self._right[check]),
        )
        memory = Memory(self._judged)
        assessment = assess(self._key, evidence, memory)
        if not self._judged:
            self._judged = memory.new
        results = (check for question in assessment.questions for check in question.checks)
        return next((check for check in results if check.verdict != "passed" and check.max_score > 0), None)
