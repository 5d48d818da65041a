"""What is known of a foreign assignment before it is written as one of ours; every reader makes one of these."""

from __future__ import annotations

from typing import Literal

from redink.records import Record

Kind = Literal["code", "markdown"]


def told(points: float) -> str:
    """Write a number of points in words."""
    return f"{points:g} point" if points == 1 else f"{points:g} points"


class DraftCell(Record, frozen=True):
    """One cell of the master to be, with Redink's own marks around solutions."""

    kind: Kind
    source: str
    question: str = ""  # code that answers it


class DraftTest(Record, frozen=True):
    """One unit of points: all of its statements must hold."""

    name: str
    points: float
    where: str  # in the file it came from
    whole: str  # its source, hidden part included
    shown: str  # what students may see of it; empty if it is hidden
    why_not: str = ""  # why it cannot be a check, if that is known already

    @property
    def hidden(self) -> bool:
        """Whether some of it must not be shown."""
        return self.shown != self.whole


class DraftQuestion(Record, frozen=True):
    """One question: its tests, and the place in the notebook where they stood."""

    id: str
    title: str
    tests: tuple[DraftTest, ...]


class ToDo(Record, frozen=True):
    """What a person must finish: the sentence, and what it is about, as it was in the old file."""

    sentence: str
    quoted: str = ""
    public: bool = False  # it may stand where students can read it


class Draft(Record, frozen=True):
    """A whole foreign assignment."""

    title: str
    cells: tuple[DraftCell, ...]
    questions: tuple[DraftQuestion, ...]
    to_do: tuple[ToDo, ...]
    solved: bool = True  # whether it has solutions at all
