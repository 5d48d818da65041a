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
    """`check("question")` runs its public checks, `check()` all of them; `check.replay("check", 0)` one trial again."""

    def __init__(self) -> None:
        self._homework: Homework | None = None
        self._checked: dict[str, QuestionReport] = {}  # in this session, the newest of each question

    def __call__(self, question: str | None = None) -> Card | AllCards | Notice:
        """Run the public checks of a question, or of all of them, on what this notebook defines."""
        names = sys._getframe(1).f_globals
        try:
            work, homework = Work(names, sources_of(names)), self._here()
            if question is None:
                self._checked = {one.id: homework.report(one.id, work) for one in homework.spec.questions}
                return AllCards(list(self._checked.values()))
            report = self._checked[question] = homework.report(question, work)
            return Card(report, progress=last_line(homework, report, self._checked.values()))
        except RedinkError as error:
            return Notice(str(error))

    def replay(self, check: str, trial: int = 0) -> Replay:
        """Run one published trial again, here: inputs, expected, got. Errors come with their traceback for %debug."""
        return self._here().replay(check, trial, sys._getframe(1).f_globals)

    def _here(self) -> Homework:
        if self._homework is None:
            self._homework = Homework.find()
        return self._homework


def sources_of(names: Mapping[str, Any]) -> list[str]:
    """Return the cells that ran so far, which IPython keeps; in a script, the script."""
    if isinstance(ran := names.get("_ih"), list):
        return [source for source in ran if isinstance(source, str)]
    script = Path(str(names.get("__file__", "")))
    return [script.read_text(encoding="utf-8")] if script.is_file() else []


check = Checker()
