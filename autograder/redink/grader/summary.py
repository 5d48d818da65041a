"""A grading run as Markdown: the class in numbers, the scores, and the misconceptions behind them."""

from __future__ import annotations

from collections import Counter
from statistics import mean, median

from redink.grader.pipeline.report import Report
from redink.records import Result
from redink.texts import markdown


def summary(report: Report) -> str:
    """Write a report as Markdown."""
    results = report.results
    if not results:
        return "No submissions.\n"
    graded = [result for result in results if result.state == "graded"]
    lines = [f"# {results[0].assignment}: {len(results)} submissions", "", *_figures(results, graded), ""]
    lines += ["| submission | score | remarks |", "|---|---:|---|"]
    lines += [
        f"| {markdown(result.submission.id)} | {_score(result)} | {markdown(_remark(result))} |" for result in results
    ]
    lines += _misconceptions(graded) + _groups(report)
    return "\n".join(lines) + "\n"


def _figures(results: tuple[Result, ...], graded: list[Result]) -> list[str]:
    scores = [result.score for result in graded]
    states = Counter(result.state for result in results)
    counts = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    if not scores:
        return [counts]
    return [
        f"{counts}. Median {median(scores):g}, mean {mean(scores):.1f}, best {max(scores):g}, lowest {min(scores):g}."
    ]


def _misconceptions(graded: list[Result]) -> list[str]:
    found = Counter(
        (question.id, question.hint.name, question.hint.text)
        for result in graded
        for question in result.questions
        if question.hint
    )
    if not found:
        return []
    rows = [
        f"| {question} | {misconception} | {count} | {markdown(text)} |"
        for (question, misconception, text), count in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    ]
    return [
        "",
        "## Misconceptions seen",
        "",
        "| question | misconception | how many | hint |",
        "|---|---|---:|---|",
        *rows,
    ]


def _groups(report: Report) -> list[str]:
    shared = [group for group in report.groups if len(group.submissions) > 1]
    if not shared:
        return []
    lines = [
        f"- **{group.question}**: {len(group.submissions)} submissions: {', '.join(map(markdown, group.submissions))}"
        for group in shared
    ]
    return ["", "## Unknown mistakes that several share", "", *lines]


def _remark(result: Result) -> str:
    if result.state != "graded":
        return f"{result.state}: {result.reason}"
    lost = [
        f"{q.id} {q.score:g}/{q.max_score:g}" for q in result.questions if q.tier == "core" and q.score < q.max_score
    ]
    return ", ".join(lost)


def _score(result: Result) -> str:
    return "no grade" if result.state == "internal_error" else f"{result.score:g}"
