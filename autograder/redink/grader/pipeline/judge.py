"""Stage 4: judge every check from what was seen. Pure, and remembered under its key."""

from __future__ import annotations

from collections.abc import Sequence

from redink.checks import forbidding, judging
from redink.checks.feedback import Feedback, forbidden_feedback, give_feedback
from redink.checks.language import Check
from redink.grader.answer_key.digests import judgement_key
from redink.grader.answer_key.make import Paper
from redink.grader.pipeline.observe import Seen
from redink.grader.store.gradebook import Gradebook
from redink.records import Cell, CellRun, Record, Verdict


class Judged(Record, frozen=True):
    """A check's outcome, and which of its trials passed."""

    told: Feedback
    passed: dict[str, bool]  # by trial id


def judge(paper: Paper, cells: Sequence[Cell], seen: Seen, book: Gradebook) -> dict[str, Judged]:
    """Judge all checks of the paper, by check id."""
    failed = tuple(cell for cell in seen.run.cells if cell.status in ("error", "timeout"))
    sources = [forbidding.Source(cell.source) for cell in cells]
    breaches = {one.id: forbidding.breaches(sources, one.asks, one.forbids) for one in paper.assignment.spec.questions}
    return {
        check.id: _forbidden(paper, check, breach)
        if (breach := check.first_of(breaches[check.question]))
        else _judge_check(paper, check, seen, failed, book)
        for check in paper.assignment.checks
    }


def _forbidden(paper: Paper, check: Check, breach: str) -> Judged:
    return Judged(told=forbidden_feedback(check, breach), passed={trial.id: False for trial in paper.of_check(check)})


def _judge_check(paper: Paper, check: Check, seen: Seen, failed: tuple[CellRun, ...], book: Gradebook) -> Judged:
    trials = paper.of_check(check)
    key = judgement_key(
        check,
        paper.assignment.visibility(check),
        failed,
        [(seen.keys[t.id], paper.expected_keys[t.id]) for t in trials],
    )
    if known := book.judgement(key, Judged):
        return known
    rows = []
    for trial in trials:
        asked, observation = paper.asked[trial.id], seen.observations[trial.id]
        verdict = judging.judge(check, observation, asked.expected, asked.inputs)
        rows.append((trial, observation, paper.expected[trial.id], _explained(verdict, failed)))
    told = give_feedback(check, paper.assignment.visibility(check), rows)
    judged = Judged(told=told, passed={row[0].id: row[3].verdict == "passed" for row in rows})
    book.keep_judgement(key, judged)
    return judged


def _explained(verdict: Verdict, failed: tuple[CellRun, ...]) -> Verdict:
    """Where a function is missing, name the cells that may have been meant to define it."""
    if verdict.verdict != "not_run" or verdict.message == judging.NOT_WRITTEN or not failed:
        return verdict
    cells = ", ".join(f"cell {cell.index} ({_short(cell.error)})" for cell in failed[:3])
    return Verdict(verdict="not_run", message=f"{verdict.message}; these cells did not run through: {cells}")


def _short(error: str) -> str:
    """Keep the kind of an error: its text is the student's own and may say anything."""
    return error.split(":")[0].split(" (")[0][:60] or "stopped"
