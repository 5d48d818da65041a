"""What a person decided: more time, another score, a check that does not count. Each says who, why and when."""

from __future__ import annotations

from datetime import datetime

from redink.records import Record


class Extension(Record, frozen=True):
    """More time for one student in one assignment."""

    until: datetime
    reason: str
    who: str
    made_at: str


class Override(Record, frozen=True):
    """A score set by a person, for a question or (without one) for the whole assignment."""

    question: str
    score: float
    reason: str
    who: str
    made_at: str


class Void(Record, frozen=True):
    """A check that turned out to be wrong: everybody who was graded has its points."""

    check: str
    reason: str
    who: str
    made_at: str
