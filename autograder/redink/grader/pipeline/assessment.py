"""The outcome of judging one submission."""

from __future__ import annotations

from redink.records import QuestionResult, Record


class Assessment(Record, frozen=True):
    """What a submission earned, and what that depends on; dicts are by question."""

    score: float
    questions: tuple[QuestionResult, ...]
    bases: dict[str, str]
    mistakes: dict[str, str]  # names of mistakes that no misconception explains
