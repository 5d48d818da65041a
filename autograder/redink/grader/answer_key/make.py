"""The paper that a whole class sits: every trial's inputs, what the reference gives, what each misconception gives.

It is made once for a class from the course secret. The reference is judged first: if it does not get full marks under this
secret, nobody is graded.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from redink.assignment.spec import as_asked, make_request, make_trials
from redink.checks.diagnosing import Asked, Misconception, changed
from redink.checks.feedback import Trial
from redink.checks.judging import ended, judge, rehearse
from redink.checks.language import Check
from redink.checks.seeds import PUBLISHED, fingerprint
from redink.errors import AuthorError
from redink.grader.answer_key.digests import check_key, digest
from redink.grader.assignment.assignment import Assignment
from redink.grader.assignment.depending import affected, changed_names
from redink.grader.assignment.master import edited
from redink.grader.assignment.reference import Reference
from redink.grader.pipeline.observe import Observer, Seen
from redink.records import Cell, Observation, Record, Request


class Paper(Record, frozen=True):
    """What is asked of everybody, and what answers to expect; dicts are by trial id."""

    assignment: Assignment
    secret: str  # its fingerprint
    trials: tuple[Trial, ...]
    requests: tuple[Request, ...]
    asked: dict[str, Asked]
    expected: dict[str, Observation]
    expected_keys: dict[str, str]
    bank: tuple[Misconception, ...]
    key: str

    def of_check(self, check: Check) -> list[Trial]:
        """List the trials of a check: published ones first, smallest first."""
        return [trial for trial in self.trials if trial.check == check.id]

    def of_question(self, question: str) -> list[Asked]:
        """List the trials of a question."""
        return [trial for trial in self.asked.values() if trial.check.question == question]

    def checks_of(self, question: str) -> list[str]:
        """List the ids of a question's checks."""
        return [check.id for check in self.assignment.checks if check.question == question]


def set_paper(assignment: Assignment, secret: bytes | None, observer: Observer) -> Paper:
    """Make the paper: inputs, then the reference's answers, then each misconception's."""
    trials = _make_trials(assignment, secret)
    requests = _make_requests(assignment, trials)
    solved, skip = assignment.master.solved(), assignment.master.explorations()
    wrong = [
        (cells := edited(solved, specimen, skip), affected_requests(assignment, cells, requests))
        for specimen in assignment.misconceptions
    ]
    reference, *others = observer.all([(solved, requests), *wrong])
    asked = _judge_reference(assignment, trials, reference)
    bank = tuple(
        Misconception(
            id=specimen.id,
            question=specimen.question,
            hint=specimen.hint,
            gives=changed(asked, reference.observations, other.observations),
        )
        for specimen, other in zip(assignment.misconceptions, others, strict=True)
    )
    expected_keys = {trial.id: digest(trial.inputs, reference.observations[trial.id].value) for trial in trials}
    return Paper(
        assignment=assignment,
        secret=fingerprint(secret) if secret is not None else "published",
        trials=trials,
        requests=requests,
        asked={trial.id: trial for trial in asked},
        expected=reference.observations,
        expected_keys=expected_keys,
        bank=bank,
        key=_paper_key(assignment, requests, expected_keys, bank),
    )


def _make_trials(assignment: Assignment, secret: bytes | None) -> tuple[Trial, ...]:
    """Make all inputs: public checks on published seeds, and every check on secret ones where there is a secret."""
    trials: list[Trial] = []
    reference = Reference(assignment.master)
    for check in assignment.checks:
        keys = ([PUBLISHED] if check in assignment.public else []) + ([secret] if secret is not None else [])
        for key in keys:
            made = make_trials(assignment.slug, check, key, reference)
            if made != make_trials(assignment.slug, check, key, reference):
                raise AuthorError(f"check {check.id}: its given makes other inputs each time; draw from rng alone")
            trials += made
    return tuple(trials)


def _make_requests(assignment: Assignment, trials: Sequence[Trial]) -> tuple[Request, ...]:
    by_id = {check.id: check for check in assignment.checks}
    asks = {question.id: question.asks for question in assignment.spec.questions}
    return tuple(make_request(by_id[trial.check], trial, asks[by_id[trial.check].question]) for trial in trials)


def affected_requests(assignment: Assignment, cells: Sequence[Cell], requests: Sequence[Request]) -> list[Request]:
    """Keep the requests whose answers a specimen's cells may change; the others it answers as the reference does."""
    solved = assignment.master.solved()
    if not (names := changed_names(solved, cells)):
        return list(requests)  # nobody knows what has changed
    checks = affected(assignment.spec, assignment.checks, names, (solved, cells))
    return [request for request in requests if request.group in checks]


def _judge_reference(assignment: Assignment, trials: Sequence[Trial], reference: Seen) -> tuple[Asked, ...]:
    """Hold the reference to its own checks; what it returned is then what is expected of everybody."""
    if failed := next((cell for cell in reference.run.cells if cell.status not in ("ok", "skipped")), None):
        raise AuthorError(f"{assignment.slug}: the reference fails in cell {failed.index}: {failed.error}")
    for id, answer in reference.observations.items():
        if answer.status != "returned":
            raise AuthorError(f"{assignment.slug}: the reference fails in {id}: {ended(answer).message}")
    asked = as_asked(assignment.checks, trials, reference.observations)
    for trial in asked:
        rehearse(trial.check, trial.expected, trial.inputs)
        verdict = judge(trial.check, reference.observations[trial.id], trial.expected, trial.inputs)
        if verdict.verdict != "passed":
            raise AuthorError(f"{assignment.slug}: the reference fails its own check {trial.id}: {verdict.message}")
    return asked


def _paper_key(
    assignment: Assignment, requests: Sequence[Request], expected: dict[str, str], bank: Sequence[Misconception]
) -> str:
    """Key all that a grade depends on besides the submission itself."""
    judging = [part for check in assignment.checks for part in (check_key(check), repr(check.weight))]
    hidden = [check.id for check in assignment.hidden]
    facts = (assignment.spec, assignment.version, hidden, requests, expected, bank)
    return digest(msgspec.msgpack.encode(facts), *judging)
