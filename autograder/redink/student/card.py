"""What `check(…)` shows: a card in a notebook, lines of text elsewhere."""

from __future__ import annotations

from html import escape

from redink.judging.feedback import Feedback
from redink.student.homework import QuestionReport

_MARKS = {"passed": "✓", "failed": "✗", "error": "✗", "timeout": "✗", "not_run": "·"}
_COLOURS = {"passed": "#1a7f37", "failed": "#b42318", "error": "#b42318", "timeout": "#b42318", "not_run": "#6b7280"}


class Notice:
    """One sentence instead of a card: the check could not be run."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return _frame("#b45309", f"<p style='margin:0'>{escape(self.sentence)}</p>")


class Card:
    """The outcome of a question's public checks; in another tool's tests, of all its checks."""

    def __init__(self, report: QuestionReport, kind: str = "public checks") -> None:
        self.report = report
        self.kind = kind

    @property
    def passed(self) -> bool:
        """Whether all public checks passed."""
        return self.report.passed

    def __repr__(self) -> str:
        lines = [self._headline()]
        for id, feedback in zip(self.report.checks, self.report.feedback, strict=True):
            mark, notes = _MARKS[feedback.outcome], self._notes(id, feedback)
            lines.append(f"  {mark} {feedback.sentence}")
            lines += [f"      {line}" for line in _details(feedback)]
            lines += [f"      note: {note}" for note in notes]
        lines += [f"  {line}" for line in self._advice()]
        return "\n".join(lines)

    def _advice(self) -> list[str]:
        """Say what to do next: which earlier questions to fix first, then the hint."""
        lines = []
        if self.report.fix_first:
            names = ", ".join(self.report.fix_first)
            lines.append(
                f"Fix {names} first: this question calls {'it' if len(self.report.fix_first) == 1 else 'them'}."
            )
        if self.report.hint:
            lines.append(f"Hint: {self.report.hint.text}")
        return lines

    def _headline(self) -> str:
        question = self.report.question
        if not self.report.feedback:
            return f"{question.title}: nothing to check here; it is graded after you hand in"
        return f"{question.title}: {self.report.done} of {len(self.report.counted)} {self.kind} pass"

    def _notes(self, id: str, feedback: Feedback) -> tuple[str, ...]:
        informs = id in self.report.informing and not feedback.passed
        return (*feedback.notes, "for your information only: it carries no points") if informs else feedback.notes

    def _repr_html_(self) -> str:
        rows = "".join(
            _row(feedback, self._notes(id, feedback))
            for id, feedback in zip(self.report.checks, self.report.feedback, strict=True)
        )
        hint = "".join(
            "<p style='margin:.6em 0 0;padding:.5em .8em;border-left:3px solid #b45309;background:rgba(180,83,9,.08)'>"
            f"{escape(line)}</p>"
            for line in self._advice()
        )
        colour = "#1a7f37" if self.passed else "#b42318"
        return _frame(colour, f"<p style='margin:0 0 .3em'><b>{escape(self._headline())}</b></p>{rows}{hint}")


def _row(feedback: Feedback, notes: tuple[str, ...]) -> str:
    word = feedback.outcome
    mark = f"<span style='color:{_COLOURS[word]};font-weight:bold'>{_MARKS[word]}</span>"
    parts = [f"<div style='margin:.25em 0'>{mark} {escape(feedback.sentence)}"]
    details = _details(feedback)
    if details:
        parts.append(
            "<pre style='margin:.3em 0 .3em 1.4em;padding:.5em .8em;white-space:pre-wrap;"
            "background:rgba(127,127,127,.1);font-size:.9em'>" + escape("\n".join(details)) + "</pre>"
        )
    parts += [f"<div style='margin-left:1.4em;opacity:.75'>note: {escape(note)}</div>" for note in notes]
    return "".join(parts) + "</div>"


def _details(feedback: Feedback) -> list[str]:
    return [line for line in feedback.text.splitlines()[1:] if line.strip()]


def _frame(colour: str, body: str) -> str:
    return (
        f"<div style='border:1px solid rgba(127,127,127,.35);border-left:4px solid {colour};"
        f"border-radius:4px;padding:.7em 1em;margin:.4em 0;max-width:60em;line-height:1.5'>{body}</div>"
    )
