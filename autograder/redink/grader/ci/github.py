"""What GitHub Actions shows of a job: annotations at the cells of a notebook, and a summary in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from redink.grader.ci.outcome import CiOutcome, heading, is_untouched, lost, points, told
from redink.records import CheckResult, QuestionResult
from redink.texts import clean, markdown

MOST_ANNOTATIONS = 10  # GitHub shows so many of a kind in a step, and drops the rest without a word
MOST_SUMMARY = 900_000  # bytes; above 1,048,576 GitHub refuses all of it
_LONGEST = 1000  # characters of one line
_CUT = "\n\n*The rest is cut: a summary may not be longer. All of it is in the log and in the JUnit file.*\n"
_MARKS = {"passed": "✅", "failed": "❌", "skipped": "➖"}


def remarks(outcomes: Sequence[CiOutcome]) -> list[str]:
    """Write the most useful remarks as workflow commands: what stopped a notebook, failed cells, then what cost most."""
    found = [remark for pick in (_stopped, _cells, _questions) for one in outcomes for remark in pick(one)]
    return list(islice(found, MOST_ANNOTATIONS))


def summary(outcomes: Sequence[CiOutcome]) -> str:
    """Write what a student reads first, below the size at which GitHub would refuse it."""
    text = "\n".join(line for outcome in outcomes for line in _section(outcome)) + "\n"
    data = text.encode()
    if len(data) <= MOST_SUMMARY:
        return text
    kept = data[: MOST_SUMMARY - len(_CUT.encode())].decode(errors="ignore")
    return kept.rpartition("\n")[0] + _CUT


def _stopped(outcome: CiOutcome) -> Iterator[str]:
    if outcome.result.state != "graded":
        title = "not graded" if outcome.result.state == "ungradable" else "Redink failed, not the student"
        yield _command("error", outcome.file, 1, title, outcome.result.reason or "")


def _cells(outcome: CiOutcome) -> Iterator[str]:
    for cell in outcome.result.cells:
        if cell.status in ("error", "timeout"):
            line = outcome.cell_lines.get(cell.index, 1)
            yield _command("error", outcome.file, line, f"cell {cell.index}", cell.error or "took too long")


def _questions(outcome: CiOutcome) -> Iterator[str]:
    for question in lost(outcome.result.questions):
        failing = next((one for one in question.checks if told(one) == "failed"), None)
        if failing is None:
            continue
        kind = "warning" if question.tier == "extra" else "error"
        title = f"{question.title}: {points(question.score)} of {points(question.max_score)} points"
        yield _command(kind, outcome.file, outcome.lines.get(question.id, 1), title, _remark(question, failing))


def _remark(question: QuestionResult, check: CheckResult) -> str:
    said = [clean(line) for line in check.message.split("\n")[:2]]
    return "\n".join([*said, *([f"Hint: {clean(question.hint.text, 600)}"] if question.hint else [])])


def _command(kind: str, file: str, line: int, title: str, message: str) -> str:
    shown = "\n".join(clean(part, 600) for part in message.split("\n")[:6])
    return f"::{kind} file={_property(clean(file))},line={line},title={_property(clean(title, 120))}::{_data(shown)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _section(outcome: CiOutcome) -> Iterator[str]:
    result = outcome.result
    yield f"## {_shown(heading(outcome))}\n"
    if result.reason:
        yield f"{_shown(result.reason)}\n"
    if outcome.only_public:
        yield f"Only public checks were run: {_shown(outcome.only_public)}. This is no grade.\n"
    for line in outcome.told:
        yield f"{_shown(line)}\n"
    for cell in result.cells:
        if cell.status in ("error", "timeout"):
            yield f"- cell {cell.index} failed: {_shown(cell.error or 'it took too long')}"
    if result.questions:
        yield "\n| | question | points | |\n|---|---|---:|---|"
        yield from map(_row, result.questions)
        yield ""
    for question in lost(result.questions):
        yield from _details(question)


def _row(question: QuestionResult) -> str:
    full = question.score >= question.max_score
    mark = "➖" if is_untouched(question) else _MARKS["passed" if full else "failed"]
    extra = " (extra)" if question.tier == "extra" else ""
    hint = "" if full or question.hint is None else _shown(question.hint.text)
    said = f"{points(question.score)} / {points(question.max_score)}"
    return f"| {mark} | {_shown(question.title)}{extra} | {said} | {hint} |"


def _details(question: QuestionResult) -> Iterator[str]:
    yield f"\n### {_shown(question.title)}\n"
    for check in question.checks:
        if check.verdict == "passed":
            continue
        hidden = " (hidden)" if check.visibility == "hidden" else ""
        first, *rest = check.message.split("\n")
        yield f"- {_MARKS[told(check)]} **{_shown(check.id)}**{hidden}: {_shown(first)}"
        yield from (f"  - {_shown(line)}" for line in rest if line.strip())


def _shown(text: str) -> str:
    """Write a text that anybody may have chosen."""
    return markdown(clean(text, _LONGEST))
