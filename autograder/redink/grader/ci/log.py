"""The log of a CI job: for each notebook what it has, then each question, folded where the platform can fold.

A log is read by programs too: GitHub obeys lines that begin with `::`, GitLab and terminals obey escape sequences. What a
student can choose therefore passes through `inert`, and on GitHub stands besides between a pair of lines with a word that
nobody could know, within which nothing is obeyed.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count

from redink.grader.ci.outcome import CiOutcome, heading, is_untouched, points, told
from redink.records import QuestionResult
from redink.texts import clean, clean_lines

_COMMAND = re.compile(r"::|##(?=\[)|(?<=##)\[")
_MARKS = {"passed": "✓", "failed": "✗", "skipped": "·"}
_LONGEST = 6000
Fold = Callable[[str, Sequence[str]], Iterator[str]]


def log(outcomes: Sequence[CiOutcome], environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the log for the platform that this environment belongs to."""
    fold = _folding(environment)
    for outcome in outcomes:
        yield _shown(heading(outcome))
        if outcome.result.reason:
            yield f"  {_shown(outcome.result.reason)}"
        if outcome.only_public:
            yield f"  only public checks were run: {_shown(outcome.only_public)}"
        for line in outcome.told:
            yield f"  {_shown(line)}"
        failed = [cell for cell in outcome.result.cells if cell.status in ("error", "timeout")]
        for cell in failed:
            yield f"  cell {cell.index} failed: {_shown(cell.error or 'it took too long')}"
        for question in outcome.result.questions:
            yield from fold(_title(question), [inert(line) for line in _body(question)])


def inert(text: str) -> str:
    """Write a text so that no platform takes it, or a line that begins with it, for a command."""
    return _COMMAND.sub(lambda found: " ".join(found[0]) if found[0] == "::" else f"{found[0]} ", text)


def _shown(text: str) -> str:
    return inert(clean(text, 1000))


def _title(question: QuestionResult) -> str:
    mark = "·" if is_untouched(question) else "✓" if question.score >= question.max_score else "✗"
    extra = " (extra)" if question.tier == "extra" else ""
    return _shown(f"{mark} {question.title}{extra}: {points(question.score)} of {points(question.max_score)}")


def _body(question: QuestionResult) -> Iterator[str]:
    if question.hint and question.score < question.max_score:
        yield f"  hint: {clean(question.hint.text, 1000)}"
    for check in question.checks:
        hidden = " (hidden)" if check.visibility == "hidden" else ""
        yield f"  {_MARKS[told(check)]} {check.id}{hidden}: {points(check.score)} of {points(check.max_score)}"
        if check.message:
            yield from (f"      {line}" for line in clean_lines(check.message, _LONGEST, 40).split("\n"))
        for note in check.notes:
            yield f"      note: {clean(note, 500)}"


def _folding(environment: Mapping[str, str]) -> Fold:
    if environment.get("GITHUB_ACTIONS") == "true":
        return _github
    if environment.get("GITLAB_CI") == "true":
        numbers = count(1)
        return lambda title, body: _gitlab(title, body, next(numbers))
    return _plain


def _plain(title: str, body: Iterable[str]) -> Iterator[str]:
    yield title
    yield from body


def _github(title: str, body: Iterable[str]) -> Iterator[str]:
    word = secrets.token_hex(16)
    yield f"::group::{title}"
    yield f"::stop-commands::{word}"
    yield from body
    yield f"::{word}::"
    yield "::endgroup::"


def _gitlab(title: str, body: Iterable[str], number: int) -> Iterator[str]:
    now = int(time.time())
    yield f"\x1b[0Ksection_start:{now}:redink_{number}[collapsed=true]\r\x1b[0K{title}"
    yield from body
    yield f"\x1b[0Ksection_end:{now}:redink_{number}\r\x1b[0K"
