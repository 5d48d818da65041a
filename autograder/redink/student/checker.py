"""`check`, the one name a notebook imports."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from redink.errors import RedinkError
from redink.student.card import AllCards, Card, Notice
from redink.student.homework import Homework, QuestionReport, Replay, Work
from redink.student.points import last_line


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
                return Card(reports[0], progress=last_line(homework, reports[0], self._checked.values()))
            return AllCards(reports)
        except RedinkError as error:
            return Notice(str(error))

    def replay(self, check: str, trial: int = 0) -> Replay:
        """Run one published trial again, here: inputs, expected, got. Errors come with their traceback for %debug."""
        return self._here().replay(check, trial, sys._getframe(1).f_globals)

    def _here(self) -> Homework:
        if self._homework is None:
            self._homework = Homework.find()
        return self._homework


def _named(question: object) -> str:
    """Return what a student named: a question or, by mistake, a function of theirs."""
    return str(getattr(question, "__name__", question))


def sources_of(names: Mapping[str, Any]) -> list[str]:
    """Return the cells that ran so far, which IPython keeps; in a script, the script."""
    if isinstance(ran := names.get("_ih"), list):
        return [source for source in ran if isinstance(source, str)]
    script = Path(str(names.get("__file__", "")))
    return [script.read_text(encoding="utf-8")] if script.is_file() else []


check = Checker()
