"""What became of one notebook in a CI job, and what that means for the job: the facts that all formats tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from redink.records import CheckResult, QuestionResult, Record, Result

Told = Literal["passed", "failed", "skipped"]
ABOVE, BELOW, UNGRADABLE, OURS = 0, 1, 2, 3  # exit codes


class CiOutcome(Record, frozen=True):
    """The result of a notebook; its score and questions are those of the checks that ran."""

    title: str
    file: str  # below the repository's top
    result: Result
    only_public: str = ""  # why hidden checks did not run
    told: tuple[str, ...] = ()
    lines: dict[str, int] = msgspec.field(default_factory=dict)  # of the file: where each question is answered
    cell_lines: dict[int, int] = msgspec.field(default_factory=dict)  # and where each cell begins

    @property
    def slug(self) -> str:
        """The assignment."""
        return self.result.assignment

    @property
    def percent(self) -> float:
        """How much of what could be earned was earned."""
        return 100 * self.result.score / self.result.max_score if self.result.max_score else 0.0


def exit_code(outcomes: Iterable[CiOutcome], bar: float | None) -> int:
    """Return the worst: 3 ours, 2 ungradable, 1 below the bar (a percentage), 0 otherwise."""
    return max((_code(one, bar) for one in outcomes), default=UNGRADABLE)


def _code(outcome: CiOutcome, bar: float | None) -> int:
    if outcome.result.state == "internal_error":
        return OURS
    if outcome.result.state == "ungradable":
        return UNGRADABLE
    return BELOW if bar is not None and outcome.percent < bar - 1e-9 else ABOVE


def told(check: CheckResult) -> Told:
    """Say how a check is told: what did not run is neither right nor wrong."""
    if check.verdict == "not_run":
        return "skipped"
    return "passed" if check.verdict == "passed" else "failed"


def is_untouched(question: QuestionResult) -> bool:
    """Tell whether nobody began an extra question: that is no failure."""
    return question.tier == "extra" and all(check.verdict == "not_run" for check in question.checks)


def heading(outcome: CiOutcome) -> str:
    """Say in one line what a notebook has."""
    result = outcome.result
    if result.state == "graded":
        kind = " by public checks" if outcome.only_public else ""
        return f"{outcome.slug}: {points(result.score)} of {points(result.max_score)} points{kind}"
    return f"{outcome.slug}: not graded" + (", through no fault of the student" if result.state != "ungradable" else "")


def points(value: float) -> str:
    """Write points as a person does."""
    return f"{round(value, 2):g}"


def lost(questions: Sequence[QuestionResult]) -> list[QuestionResult]:
    """List the questions that lack points, those that count and cost most first; untouched extras are not among them."""
    lacking = [one for one in questions if one.score < one.max_score and one.checks and not is_untouched(one)]
    return sorted(lacking, key=lambda one: (one.tier == "extra", one.score - one.max_score))
