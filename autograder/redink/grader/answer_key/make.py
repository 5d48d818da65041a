"""Making an answer key: inputs, then the reference's answers, then each misconception's, then how they compare.

What has not changed is taken from the key that was kept: a part's inputs, its answers, the comparison, each by the digest
of what it was made from. So after a changed tolerance one check is compared again, a new misconception runs alone,
and nothing at all runs where nothing has changed. The reference must pass its own checks: if it does not, under this
secret, nobody is graded.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from redink.assignment.trials import as_asked, make_requests, make_trials
from redink.checks.language import Check
from redink.checks.seeds import PUBLISHED
from redink.checks.specimens import Specimen
from redink.errors import AuthorError
from redink.grader.answer_key.key import AnswerKey, Hinted, Part, WrongAnswers
from redink.grader.assignment.assignment import Assignment
from redink.grader.assignment.depending import affected, changed_names
from redink.grader.assignment.master import edited
from redink.grader.assignment.reference import Reference
from redink.grader.assignment.sources import source_of
from redink.grader.assignment.validate import refuse_unknown_mutates
from redink.grader.digests import box_stamp, digest, fingerprint, given_stamp, judging_stamp, run_digest
from redink.judging.answers import Answer, read_answer
from redink.judging.diagnosing import Asked
from redink.judging.in_place import changed_inputs
from redink.judging.verdicts import ended, judge, rehearse, same
from redink.records import Cell, Limits, Observed, Request, Trial

ToRun = Sequence[tuple[Sequence[Cell], Sequence[Request]]]
Observe = Callable[[ToRun, Limits, dict[str, bytes]], Sequence[Observed]]


class _Asking(NamedTuple):
    """A check with its trials and requests, before anybody has answered them."""

    check: Check
    inputs_from: str
    answers_from: str
    judged_by: str
    trials: tuple[Trial, ...]
    requests: tuple[Request, ...]
    kept: Part | None  # what was kept of it, if its reference's answers are still good


def make_answer_key(
    assignment: Assignment,
    secret: bytes | None,
    observe: Observe,
    *,
    kept: AnswerKey | None = None,
    made_from: str = "",
    accept_older: bool = False,
) -> AnswerKey:
    """Make the key of an assignment; `accept_older` keeps answers that were observed under older code or libraries."""
    asking = list(_ask(assignment, secret, kept, accept_older))
    refuse_unknown_mutates(assignment)
    edits = {one: edited(assignment.solved, one, assignment.master.explorations()) for one in assignment.misconceptions}
    reach = {one: affected_checks(assignment, cells) for one, cells in edits.items()}
    parts = _answer(assignment, asking, edits, reach, observe)
    return AnswerKey(
        version=assignment.version,
        secret=fingerprint(secret) if secret is not None else "published",
        made_from=made_from,
        published_from=assignment.published_from(),
        spec=assignment.spec,
        checks=assignment.checks_source,
        hidden_checks=assignment.hidden_source,
        explorations=assignment.master.explorations(),
        data=assignment.data(),
        misconceptions=tuple(Hinted(id=one.id, question=one.question, hint=one.hint) for one in edits),
        parts=tuple(parts),
        reference_from=digest(*(cell.source for cell in assignment.to_run(assignment.solved))),
        reference=assignment.to_run(assignment.solved),
    )


def affected_checks(assignment: Assignment, cells: Sequence[Cell]) -> frozenset[str]:
    """Return the checks whose answers a specimen's cells may change; to the others it answers as the reference does."""
    if not (names := changed_names(assignment.solved, cells)):
        return frozenset(check.id for check in assignment.checks)  # nobody knows what has changed
    return frozenset(affected(assignment.spec, assignment.checks, names, (assignment.solved, cells)))


# -- what is asked -----------------------------------------------------------------------------------------------------


def _ask(assignment: Assignment, secret: bytes | None, kept: AnswerKey | None, accept_older: bool) -> Iterator[_Asking]:
    """Make the trials of every check, or take them from the key that was kept."""
    reference = Reference(assignment.master, assignment.folder)
    run = run_digest(assignment.to_run(assignment.solved), assignment.data(), assignment.spec.limits)
    before, packages = {} if kept is None else kept.of_check, assignment.spec.packages
    for check in assignment.checks:
        keys = ([PUBLISHED] if check in assignment.public else []) + ([secret] if secret is not None else [])
        old = before.get(check.id)
        inputs_from = _inputs_digest(assignment, check, keys)
        if old is not None and old.inputs_from == inputs_from:
            trials = old.trials
        else:
            trials = tuple(one for key in keys for one in make_trials(assignment.slug, check, key, reference))
        question = assignment.spec.question(check.question)
        requests = make_requests(check, trials, question.asks, question.forbids)
        unwatched = [msgspec.structs.replace(one, forbids=()) for one in requests]  # answers do not depend on that
        answers_from = digest(run, msgspec.msgpack.encode(unwatched))
        good = (
            old is not None and old.answers_from == answers_from and (accept_older or old.stamp == box_stamp(packages))
        )
        yield _Asking(check, inputs_from, answers_from, judged_by(check), trials, requests, kept=old if good else None)


def _inputs_digest(assignment: Assignment, check: Check, keys: Sequence[bytes]) -> str:
    """Return a digest of what a check's inputs are made from; a `given` may ask for the reference."""
    asks = "reference" in inspect.signature(check.given_function).parameters
    master = [cell.source for cell in assignment.to_run(assignment.solved)] if asks else []
    stamp, secrets = given_stamp(assignment.spec.packages), map(fingerprint, keys)
    return digest(source_of(check.given_function), repr(check.trials), stamp, *secrets, *master)


def judged_by(check: Check) -> str:
    """Return a digest of how a check judges and what it says: `then`, `view`, tolerances, sentence, and our own rules."""
    functions = [source_of(function) for function in (check.then_function, check.view_function) if function]
    rules = repr(check.tol), check.precision, repr(sorted(check.mutates)), check.settings, repr(check.returns)
    return digest(judging_stamp(), check.id, check.sentence, *rules, *sorted(check.about), *functions)


# -- what is answered --------------------------------------------------------------------------------------------------


def _answer(
    assignment: Assignment,
    asking: Sequence[_Asking],
    edits: dict[Specimen, tuple[Cell, ...]],
    reach: dict[Specimen, frozenset[str]],
    observe: Observe,
) -> list[Part]:
    """Run the reference and the misconceptions wherever their answers are not known, and put the parts together."""
    new = [one for one in asking if one.kept is None]
    wrong_from = {one: digest(*(cell.source for cell in assignment.to_run(cells))) for one, cells in edits.items()}
    unknown = {
        edit: [one for one in asking if one.check.id in reach[edit] and not _known(one, edit, wrong_from[edit])]
        for edit in edits
    }
    to_run = [(assignment.solved, new), *((edits[edit], some) for edit, some in unknown.items())]
    to_run = [(cells, some) for cells, some in to_run if some]
    orders = [(assignment.to_run(cells), _requests(some)) for cells, some in to_run]
    seen = iter(observe(orders, assignment.spec.limits, assignment.data()))
    reference = next(seen) if new else None
    others = {edit: next(seen) for edit, some in unknown.items() if some}
    if reference is not None:
        _refuse_failures(assignment, new, reference)
    parts = []
    for one in asking:
        part = _reference_part(assignment, one, reference)
        wrong, fresh = {}, set()
        for edit in edits:
            if one.check.id in reach[edit]:
                known = _known(one, edit, wrong_from[edit])
                wrong[edit.id] = known or _wrong(part, wrong_from[edit], others[edit])
                fresh |= set() if known else {edit.id}
        try:
            parts.append(_compared(one, part, wrong, fresh))
        except AuthorError as error:
            raise AuthorError(f"{assignment.slug}: {error}") from error
    return parts


def _requests(asking: Sequence[_Asking]) -> list[Request]:
    return [request for one in asking for request in one.requests]


def _known(asking: _Asking, edit: Specimen, wrong_from: str) -> WrongAnswers | None:
    """Find what a misconception answered to a check before; None if it has changed since, or the check has."""
    found = None if asking.kept is None else asking.kept.wrong.get(edit.id)
    return found if found is not None and found.made_from == wrong_from else None


def _refuse_failures(assignment: Assignment, asked: Sequence[_Asking], reference: Observed) -> None:
    if failed := next((cell for cell in reference.cells if cell.status not in ("ok", "skipped")), None):
        told = f"{failed.error}{_unlisted(assignment, failed.error)}"
        raise AuthorError(f"{assignment.slug}: the reference fails in cell {failed.index}: {told}")
    for trial in (trial for one in asked for trial in one.trials):
        answer = reference.observations[trial.id]
        if answer.status != "returned":
            told = ended(read_answer(answer)).message
            told += _unlisted(assignment, told)
            raise AuthorError(f"{assignment.slug}: the reference fails in the check {trial.told}: {told}")


def _unlisted(assignment: Assignment, error: str) -> str:
    """Say how a file is made to ship that is there and was not found."""
    if "FileNotFoundError" not in error:
        return ""
    files = (path for path in sorted(assignment.folder.rglob("*")) if path.is_file() and path.name in error)
    name = next((path.relative_to(assignment.folder).as_posix() for path in files), "")
    if not name or name in assignment.spec.data:
        return ""
    listed = json.dumps([*assignment.spec.data, name])
    return f"; cells may open only files that ship: write data = {listed} in assignment.toml"


def _reference_part(assignment: Assignment, one: _Asking, reference: Observed | None) -> Part:
    """Take what the reference answers to one check, from before or from now."""
    if one.kept is not None:
        expected, stamp = one.kept.expected, one.kept.stamp
    else:
        assert reference is not None
        expected = tuple(reference.observations[trial.id] for trial in one.trials)
        stamp = box_stamp(assignment.spec.packages)
    return Part(
        check=one.check.id,
        question=one.check.question,
        visibility=assignment.visibility(one.check),
        weight=float(one.check.weight),  # what is written and read again must be the same
        inputs_from=one.inputs_from,
        answers_from=one.answers_from,
        judged_by=one.judged_by,
        stamp=stamp,
        trials=one.trials,
        requests=one.requests,
        expected=expected,
        wrong={},
    )


def _wrong(part: Part, wrong_from: str, seen: Observed) -> WrongAnswers:
    """Keep what a misconception answers where that is not what the reference answers."""
    pairs = zip(part.trials, part.expected, strict=True)
    found = {
        trial.id: seen.observations[trial.id] for trial, expected in pairs if seen.observations[trial.id] != expected
    }
    return WrongAnswers(made_from=wrong_from, answers=found)


def _compared(one: _Asking, part: Part, wrong: dict[str, WrongAnswers], fresh: set[str]) -> Part:
    """Judge the reference and compare misconceptions with it, as far as that was not done by the same rules before."""
    same_rules = one.kept is not None and one.kept.judged_by == one.judged_by
    if not same_rules:
        fresh = set(wrong)
    if same_rules and not fresh:
        return msgspec.structs.replace(part, wrong=wrong)
    asked = as_asked(one.check, part.trials, part.expected)
    if not same_rules:
        _judge_reference(one.check, part, asked)
    compared = {id: msgspec.structs.replace(wrong[id], differs=_differing(part, asked, wrong[id])) for id in fresh}
    return msgspec.structs.replace(part, wrong=wrong | compared)


def _judge_reference(check: Check, part: Part, asked: Sequence[Asked]) -> None:
    """Judge the reference by its own check; what it returned is then what is expected of everybody."""
    for trial, one, expected in zip(part.trials, asked, part.expected, strict=True):
        rehearse(check, one.expected, one.inputs)
        verdict = judge(check, read_answer(expected), one.expected, one.inputs)
        if verdict.verdict != "passed":
            raise AuthorError(f"the reference fails its own check {trial.told}: {verdict.message}")
        if changed := changed_inputs(check, read_answer(expected)):
            name = changed[0]
            raise AuthorError(
                f"the reference changes the input {name} of {trial.told} in place: let it work on a copy, "
                f'or write mutates = ["{name}"] in question {check.question} of assignment.toml'
            )


def _differing(part: Part, asked: Sequence[Asked], wrong: WrongAnswers) -> tuple[str, ...]:
    """Name the trials on which a misconception differs from the reference, by its answer or by a change in place."""
    return tuple(
        trial.id
        for trial, expected in zip(asked, part.expected, strict=True)
        if (seen := wrong.answers.get(trial.id)) is not None
        and _differs(trial, read_answer(seen), read_answer(expected))
    )


def _differs(trial: Asked, seen: Answer, expected: Answer) -> bool:
    return bool(changed_inputs(trial.check, seen)) or not same(trial.check, seen, expected, trial.inputs)
