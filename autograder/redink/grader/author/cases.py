"""The specimens that `verify` grades: submissions whose results are known beforehand, as jobs for the workers.

What is already in the answer key is not run again: a misconception answers as it did when the key was made, an
alternative answers as the reference does to every check that its edit cannot reach, and what can be made of the
reference's answers (derived.py) is not run at all. Where names are forbidden, the
reference is run once more, to see whether it calls one: its answers may be older than the ban.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from redink.checks.specimens import Specimen
from redink.grader.answer_key.key import AnswerKey
from redink.grader.answer_key.make import affected_checks
from redink.grader.assignment.assignment import Assignment
from redink.grader.assignment.master import edited
from redink.grader.author import derived
from redink.grader.author.trivial import ANSWERS, trivial_cells
from redink.grader.evidence.keys import observation_keys
from redink.grader.evidence.packing import pack_check
from redink.grader.pipeline.job import BoxSettings, Job
from redink.notebook import cells_to_run, write_cells
from redink.records import Cell, CellRun, Execution, Observation
from redink.wire import decode

Answers = Mapping[str, Sequence[Observation]]  # by check


class Case(NamedTuple):
    """One specimen: its kind, which decides what result it must get, and the job that grades it."""

    kind: Literal["reference", "rounded", "untouched", "trivial", "formal", "misconception", "alternative"]
    id: str
    question: str
    job: Job

    @property
    def who(self) -> str:
        """How a sentence names it."""
        if self.kind in ("reference", "untouched"):
            return "the reference" if self.kind == "reference" else "the untouched notebook"
        if self.kind in ("rounded", "formal"):
            return self.id
        return f"the trivial answer {self.id!r}" if self.kind == "trivial" else f"the {self.kind} {self.id}"


def cases(assignment: Assignment, key: AnswerKey) -> list[Case]:
    """List every specimen of an assignment."""
    solved, skip = assignment.solved, assignment.master.explorations()
    asks = [name for question in assignment.spec.questions for name in question.asks]
    right: Answers = {part.check: part.expected for part in key.parts}
    strict = {question.id for question in assignment.spec.questions if question.forbids}
    told = {part.check: part.expected for part in key.parts if part.question not in strict}
    made = [
        Case("reference", "", "", _job(key, solved, told)),
        Case("untouched", "", "", _job(key, assignment.master.untouched(), {})),
    ]
    for name, answer in ANSWERS.items():
        made.append(Case("trivial", name, "", _job(key, trivial_cells(assignment.master, asks, answer), {})))
    made += _derived(assignment, key, right)
    for one in assignment.misconceptions:
        made.append(_case(one, _job(key, edited(solved, one, skip), _believed(key, one, right))))
    for one in assignment.alternatives:
        cells = edited(solved, one, skip)
        reached = affected_checks(assignment, cells)
        unchanged = {check: seen for check, seen in right.items() if check not in reached}
        made.append(_case(one, _job(key, cells, unchanged)))
    return made


def _derived(assignment: Assignment, key: AnswerKey, right: Answers) -> Iterator[Case]:
    """List the specimens that are made of the reference's answers: right ones, and some that only have their form."""
    precision = {check.id: check.precision for check in assignment.checks}
    single = {check: derived.in_single(seen, precision[check]) for check, seen in right.items()}
    noisy = {check: derived.noisy(seen) for check, seen in right.items()}
    yield Case("rounded", "the reference in float32", "", _job(key, assignment.solved, single))
    yield Case("rounded", "the reference with rounding noise", "", _job(key, assignment.solved, noisy))
    wrong: dict[str, Callable[[Sequence[Observation]], list[Observation]]] = {
        "a constant 0 of the right form": functools.partial(derived.constant, number=0.0),
        "a constant 1 of the right form": functools.partial(derived.constant, number=1.0),
        "a constant 1e16 of the right form": functools.partial(derived.constant, number=1e16),
        "an imaginary constant of the right form": functools.partial(derived.constant, number=1e12j),
        "an empty answer of the right rank": derived.empty,
        "an answer with everything in it twice": derived.stretched,
    }
    for who, make in wrong.items():
        answers = {check: make(seen) for check, seen in right.items()}
        yield Case("formal", who, "", _job(key, assignment.solved, answers))
    asked = {part.check: [decode(trial.inputs) for trial in part.trials] for part in key.parts}
    random = {check: derived.scattered(seen, asked[check], 1e12) for check, seen in right.items()}
    yield Case("formal", "huge random numbers of the right form", "", _job(key, assignment.solved, random))


def _case(specimen: Specimen, job: Job) -> Case:
    return Case(specimen.kind, specimen.id, specimen.question, job)


def _believed(key: AnswerKey, specimen: Specimen, right: Answers) -> Answers:
    """Answer as a misconception does: its own answers where it has any, the reference's everywhere else."""
    answers = dict(right)
    for part in key.parts:
        if (wrong := part.wrong.get(specimen.id)) is not None:
            pairs = zip(part.trials, part.expected, strict=True)
            answers[part.check] = [wrong.answers.get(trial.id, expected) for trial, expected in pairs]
    return answers


def _job(key: AnswerKey, cells: Sequence[Cell], answers: Answers) -> Job:
    keys = observation_keys(key, cells_to_run(cells, key.explorations))
    known = tuple(pack_check(check, keys[check], seen) for check, seen in answers.items())
    ran = tuple(CellRun(index=cell.index, status="ok") for cell in cells)
    execution = Execution(cells=ran)
    box = BoxSettings.of(key.spec)
    return Job(notebook=write_cells(cells), key="", box=box, earlier=execution, known=known)
