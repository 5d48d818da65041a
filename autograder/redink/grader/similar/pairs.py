"""Which pairs are more alike than their questions explain: a pure function of everybody's code.

What a question explains is left out first: runs of tokens of the hand-out and of the reference, and runs that many of the
class wrote. Two students are compared in a question if both have enough left that is their own. How alike they are is the
share of that which they have in common. A pair stands out if it is at least half, and at least half-way from what is usual
between two others in that question, the median, to all.
"""

from __future__ import annotations

import bisect
import itertools
import statistics
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from redink.grader.similar.tokens import Run, Runs, read_runs
from redink.records import Record

FEWEST = 20  # runs of one's own, below which nothing is compared: about four lines that nobody suggested
LEAST = 0.5  # of these must be common
_MANY, _AT_LEAST = (
    0.05,
    4,
)  # a run that a greater part of the class wrote, and more people than so many, is what one writes


class Author(NamedTuple):
    """Whose code it is; `earlier` is somebody of another year."""

    id: str
    earlier: bool = False


class AlikeQuestion(Record, frozen=True):
    """A question in which two students are alike: how much, what is usual, both codes, and the lines in common."""

    question: str
    alike: float
    usual: float
    code: tuple[str, str]
    lines: tuple[tuple[int, ...], tuple[int, ...]]


class AlikePair(Record, frozen=True):
    """Two students who are more alike than the questions explain, with the questions, the most alike first."""

    first: str
    second: str
    second_is_earlier: bool
    questions: tuple[AlikeQuestion, ...]


Codes = Mapping[Author, Mapping[str, str]]  # by author and question


def find_pairs(codes: Codes, explained: Sequence[str]) -> tuple[AlikePair, ...]:
    """Find the pairs that stand out, those first that do so in most questions; `explained` is code that nobody wrote."""
    known = frozenset(run for text in explained for run in read_runs(text).lines)
    questions = dict.fromkeys(question for of_author in codes.values() for question in of_author)
    found: dict[tuple[Author, Author], list[AlikeQuestion]] = {}
    for question in questions:
        texts = {author: of_author[question] for author, of_author in codes.items() if question in of_author}
        for pair, alike in _of_question(question, texts, known):
            found.setdefault(pair, []).append(alike)
    pairs = [
        AlikePair(
            first=first.id,
            second=second.id,
            second_is_earlier=second.earlier,
            questions=tuple(sorted(alike, key=lambda one: -one.alike)),
        )
        for (first, second), alike in found.items()
    ]
    return tuple(sorted(pairs, key=lambda one: (-len(one.questions), -one.questions[0].alike, one.first, one.second)))


def _of_question(
    question: str, texts: Mapping[Author, str], known: Collection[Run]
) -> Iterator[tuple[tuple[Author, Author], AlikeQuestion]]:
    runs = {author: read_runs(text) for author, text in texts.items()}
    own = _own(runs, known)
    pairs = itertools.combinations(sorted(texts, key=lambda one: (one.earlier, one.id)), 2)
    shares = {
        (first, second): _share(own[first], own[second]) if first in own and second in own else 0.0
        for first, second in pairs
        if not (first.earlier or first.id == second.id)
    }
    ordered = sorted(shares.values())
    for (first, second), share in shares.items():
        if share < LEAST:
            continue
        usual = _usual(ordered, share)
        if usual < share >= (1 + usual) / 2:
            common = own[first] & own[second]
            yield (
                (first, second),
                AlikeQuestion(
                    question=question,
                    alike=round(share, 3),
                    usual=round(usual, 3),
                    code=(texts[first], texts[second]),
                    lines=(tuple(sorted(runs[first].among(common))), tuple(sorted(runs[second].among(common)))),
                ),
            )


def _own(runs: Mapping[Author, Runs], known: Collection[Run]) -> dict[Author, frozenset[Run]]:
    """Leave out what the question explains, and then those who have too little left."""
    written = Counter(run for of_author in runs.values() for run in of_author.lines)
    many = max(_AT_LEAST, _MANY * len(runs))
    own = {
        author: frozenset(run for run in of_author.lines if run not in known and written[run] <= many)
        for author, of_author in runs.items()
    }
    return {author: left for author, left in own.items() if len(left) >= FEWEST}


def _share(first: frozenset[Run], second: frozenset[Run]) -> float:
    """Return how much two have in common: twice the common part over both."""
    return 2 * len(first & second) / (len(first) + len(second))


def _usual(ordered: Sequence[float], share: float) -> float:
    """Return what is usual between two students in a question, apart from this pair; who is not compared counts as 0."""
    place = bisect.bisect_left(ordered, share)
    others = [*ordered[:place], *ordered[place + 1 :]]
    return statistics.median(others) if others else 0.0
