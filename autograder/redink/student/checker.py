"""`check`, the one name a notebook imports."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from redink.assignment.spec import Question
from redink.errors import RedinkError
from redink.source import is_written, syntax_error
from redink.student.card import AllCards, Card, Notice
from redink.student.homework import Homework, QuestionReport, Replay, Work
from redink.student.points import last_line


class NotReplayed(RedinkError):  # noqa: N818 - a sentence, not a failure
    """What was to be replayed does not exist; a notebook shows the sentence alone, without our source."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Checker:
    """`check("question")` runs its public checks, also of several, `check()` all; `check.replay("check", 0)` one trial."""

    def __init__(self) -> None:
        self._homework: Homework | None = None
        self._checked: dict[str, QuestionReport] = {}  # in this session, the newest of each question

    def __call__(self, *questions: object) -> Card | AllCards | Notice:
        """Run the public checks of these questions, or of all of them, on what this notebook defines."""
        names = sys._getframe(1).f_globals
        try:
            work, homework = Work(names, sources_of(names)), self._here()
            asked = [_named(one) for one in questions] or [one.id for one in homework.spec.questions]
            reports = [homework.report(one, work) for one in asked]
            self._checked |= {one.question.id: one for one in reports}
            if len(questions) == 1:
                (report,) = reports
                progress = last_line(homework, report, self._checked.values())
                return Card(report, progress=progress, warning=_outdated(report.question, work.sources))
            return AllCards(reports, {one.question.id: _outdated(one.question, work.sources) for one in reports})
        except RedinkError as error:
            return Notice(str(error))

    def replay(self, check: str, trial: int = 0) -> Replay:
        """Run one published trial again, here: inputs, expected, got. Errors come with their traceback for %debug."""
        names = sys._getframe(1).f_globals
        try:
            return self._here().replay(check, trial, names)
        except RedinkError as error:
            raise NotReplayed(str(error)) from None

    def _here(self) -> Homework:
        if self._homework is None:
            self._homework = Homework.find()
        return self._homework


def _named(question: object) -> str:
    """Return what a student named: a question or, by mistake, a function of theirs."""
    return str(getattr(question, "__name__", question))


def _outdated(question: Question, sources: Sequence[str]) -> str:
    """Say when the newest cell with a function of this question could not run, so that an older one is checked."""
    for name in question.asks:
        newest = next((source for source in reversed(sources) if is_written(name, source)), "")
        if error := syntax_error(newest):
            what = f"has a syntax error ({error.msg}) and did not run"
            return f"Your newest cell with {name} {what}: this is about the one before."
    return ""


def sources_of(names: Mapping[str, Any]) -> list[str]:
    """Return the cells that ran so far, which IPython keeps; in a script, the script."""
    if isinstance(ran := names.get("_ih"), list):
        return [source for source in ran if isinstance(source, str)]
    script = Path(str(names.get("__file__", "")))
    return [script.read_text(encoding="utf-8")] if script.is_file() else []


check = Checker()
