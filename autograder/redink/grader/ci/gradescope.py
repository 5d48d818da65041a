"""Gradescope's results.json, from what was graded; of no use to it is what belongs to CI alone, so a result is enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from redink.grader.ci.outcome import told
from redink.records import CheckResult, QuestionResult, Result
from redink.texts import clean, clean_lines

_LONGEST = 8000


def gradescope_results(result: Result, *, hidden: str = "after_published") -> dict[str, Any]:
    """Return the content of results.json; `hidden` is the visibility of hidden checks.

    A submission that could not be graded through our fault has no score, so Gradescope shows an error and not a zero.
    """
    told: dict[str, Any] = {
        "output": clean(result.reason or "", 1000),
        "output_format": "text",
        "test_output_format": "text",
        "stdout_visibility": "hidden",
        "execution_time": result.wall_seconds,
        "tests": list(_tests(result, hidden)),
    }
    return told if result.state == "internal_error" else {"score": result.score, **told}


def _tests(result: Result, hidden: str) -> Iterator[dict[str, Any]]:
    for at, question in enumerate(result.questions, start=1):
        for place, check in enumerate(question.checks, start=1):
            visibility = "visible" if check.visibility == "public" else hidden
            yield _test(question, check, f"{at}.{place}", visibility)


def _test(question: QuestionResult, check: CheckResult, number: str, visibility: str) -> dict[str, Any]:
    hint = f"\nHint: {question.hint.text}" if question.hint and check.verdict != "passed" else ""
    made: dict[str, Any] = {
        "number": number,
        "name": f"{clean(question.title)}: {check.id}",
        "score": check.score,
        "max_score": check.max_score,
        "output": clean_lines(f"{check.message}{hint}", _LONGEST),
        "visibility": visibility,
    }
    state = told(check)
    return made if state == "skipped" else {**made, "status": state}
