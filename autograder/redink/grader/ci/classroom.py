"""`classroom50/result/v1`: the file from which Classroom 50 takes a score.

Its scores are whole numbers. Points here have two decimals, so they are told in hundredths of a point: 87.5 of 100 is
8750 of 10000. Rounding would change somebody's grade without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from redink.grader.ci.outcome import CiOutcome
from redink.texts import clean

SCHEMA = "classroom50/result/v1"
HUNDREDTHS = 100
_FROM = {
    "classroom": "CLASSROOM", "assignment": "ASSIGNMENT", "submission": "SUBMISSION_TAG", "commit": "COMMIT_URL",
    "release": "RELEASE_URL", "review": "REVIEW_URL",
}  # fmt: skip


def classroom_result(
    outcomes: Sequence[CiOutcome], environment: Mapping[str, str], handed_in: datetime
) -> dict[str, Any]:
    """Return the content of result.json; what the runner says of a submission comes from its environment."""
    tests = [test for outcome in outcomes for test in _tests(outcome)]
    full = sum(_whole(one.result.max_score) for one in outcomes)
    return {
        "schema": SCHEMA,
        **{name: environment.get(variable, "") for name, variable in _FROM.items()},
        "datetime": _written(handed_in),
        "graded_at": _written(datetime.now(UTC)),
        "score": min(full, sum(_whole(one.result.score) for one in outcomes)),
        "max-score": full,
        "tests": tests,
    }


def _tests(outcome: CiOutcome) -> Iterator[dict[str, Any]]:
    result = outcome.result
    if result.state != "graded":
        yield _test(f"{outcome.slug}: {clean(result.reason or 'not graded')}", 0.0, result.max_score)
    for question in result.questions:
        if question.tier == "core":
            yield _test(f"{outcome.slug}: {clean(question.title)}", question.score, question.max_score)


def _test(name: str, score: float, full: float) -> dict[str, Any]:
    return {"test-name": name, "passed": score >= full, "score": _whole(score), "max-score": _whole(full)}


def _whole(points: float) -> int:
    return round(points * HUNDREDTHS)


def _written(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
