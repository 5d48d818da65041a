"""What `check(…)` shows: a card in a notebook (card_html.py), elsewhere text of 80 columns, or as wide as a terminal."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from redink.judging.feedback import Feedback
from redink.student import card_html
from redink.student.homework import NOT_RUN, QuestionReport
from redink.student.points import score_report, total_line

WIDTH = 80
MARKS = {"passed": "✓", "failed": "✗", "error": "✗", "timeout": "✗", "not_run": "·"}


class Notice:
    """One sentence instead of a card: the check could not be run."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return card_html.notice(self.sentence)


class CardRow(NamedTuple):
    """One check on a card: a fault that several have in common is told once."""

    mark: str
    feedback: Feedback
    fault: str
    notes: tuple[str, ...]


class Card:
    """The outcome of a question's public checks; in another tool's tests, of all its checks."""

    def __init__(
        self, report: QuestionReport, kind: str = "public checks", progress: str = "", warning: str = ""
    ) -> None:
        self.report = report
        self.kind = kind
        self.progress = progress  # how far the whole assignment is
        self.warning = warning  # why this may not be about what the notebook says now

    @property
    def passed(self) -> bool:
        """Whether all public checks passed."""
        return self.report.passed

    @property
    def headline(self) -> str:
        """The title, whether it is extra, how many checks pass, and the points."""
        question = self.report.question
        title = f"{question.title} (extra)" if question.tier == "extra" else question.title
        if not self.report.feedback:
            return f"{title}: nothing to check here; it is graded after you hand in"
        if self.report.waits:
            return f"{title}: {self.report.waits}; {question.points:g} points"
        result, count = score_report(self.report), len(self.report.informing)
        notes = f", {count} note{'' if count == 1 else 's'}" if count else ""
        passing = f"{self.report.done} of {len(self.report.counted)} {self.kind} pass"
        if self.report.graded_later:
            return f"{title}: {passing}; {question.points:g} points, after the deadline"
        return f"{title}: {passing}{notes}; {result.score:g} of {result.max_score:g} points"

    def rows(self) -> Iterator[CardRow]:
        """List the checks; of a question that nobody began there is nothing to say."""
        if self.report.waits:
            return
        for id, feedback in zip(self.report.checks, self.report.feedback, strict=True):
            informs = id in self.report.informing and not feedback.passed
            notes = (*feedback.notes, "for your information only: it carries no points") if informs else feedback.notes
            yield CardRow(MARKS[feedback.outcome], feedback, feedback.fault, notes)

    def advice(self) -> list[str]:
        """Say what to do next: what is not defined, which earlier questions to fix first, then the hint."""
        lines: list[str] = []
        if self.report.waits == NOT_RUN:
            lines += dict.fromkeys(one.fault for one in self.report.feedback)
        if self.report.fix_first and not self.report.waits:
            *others, last = self.report.fix_first
            names = f"{', '.join(others)} and {last}" if others else last
            lines.append(f"Fix {names} first: this question calls {'them' if others else 'it'}.")
        if self.report.hint:
            lines.append(f"Hint: {self.report.hint.text}")
        return lines

    @property
    def colour(self) -> str:
        """Whether all is right, something is wrong, or something is only not written or not run yet."""
        if any(one.outcome not in ("passed", "not_run") for one in self.report.counted):
            return "bad"
        return "good" if self.report.feedback and self.passed else "quiet"

    def text(self, width: int = WIDTH) -> str:
        """Write the card as lines of at most so many columns."""
        fold = functools.partial(wrapped, width=width)
        lines = [fold(self.headline, "", "  ")]
        lines += [fold(self.warning, "  ", " " * 4)] if self.warning else []
        for row in self.rows():
            lines.append(fold(row.feedback.sentence, f"  {row.mark} ", " " * 6))
            lines += [fold(row.fault, " " * 6, " " * 8)] if row.fault else []
            details = row.feedback.details
            lines += [fold(line.strip(), " " * 8, " " * 18) for line in details]
            lines += [fold(f"note: {note}", " " * 6, " " * 12) for note in row.notes]
        lines += [fold(line, "  ", " " * 4) for line in self.advice()]
        lines += [fold(self.progress, "  ", " " * 4)] if self.progress else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return card_html.card(self.headline, self.colour, list(self.rows()), self.advice(), self.progress, self.warning)


class AllCards:
    """All questions of an assignment, and at the end one line with the total."""

    def __init__(self, reports: Sequence[QuestionReport], warnings: Mapping[str, str] = MappingProxyType({})) -> None:
        self.cards = [Card(report, warning=warnings.get(report.question.id, "")) for report in reports]
        self.total = total_line(reports)

    @property
    def passed(self) -> bool:
        """Whether all public checks of core questions passed."""
        return all(card.passed for card in self.cards if card.report.question.tier == "core")

    def text(self, width: int = WIDTH) -> str:
        """Write the cards and the total as lines of at most so many columns."""
        return "\n".join([*(card.text(width) for card in self.cards), wrapped(self.total, "", "  ", width)])

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return "".join([*(card._repr_html_() for card in self.cards), card_html.total(self.total)])


def wrapped(text: str, first: str, rest: str, width: int) -> str:
    """Break a text into lines that fit a terminal; no word is split."""
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
