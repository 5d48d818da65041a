"""Statistics of a class: pure functions of numbers, careful where a class is tiny or all its scores are equal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from redink.records import Record

FEWEST = 5  # students, below whom a correlation says nothing
WIDTH = 10.0  # points in one bar of the distribution


class Bin(Record, frozen=True):
    """One bar of the distribution: scores from `low` up to `high`, which belongs to the next bar, but full marks to this."""

    low: float
    high: float
    count: int

    @property
    def told(self) -> str:
        """How the bar is named."""
        return f"{self.low:g}–{self.high:g}"


def distribution(scores: Sequence[float], full_marks: float) -> tuple[Bin, ...]:
    """Count scores in bars of ten points; full marks are in the bar below them, and what is above has bars of its own."""
    top = max([full_marks, *scores])
    bars = max(1, math.ceil(top / WIDTH - 1e-9))
    full = max(1, math.ceil(full_marks / WIDTH - 1e-9))
    counts = [0] * bars
    for score in scores:
        last = full if score <= full_marks else bars
        counts[min(last - 1, max(0, int(score // WIDTH)))] += 1
    return tuple(Bin(low=at * WIDTH, high=(at + 1) * WIDTH, count=count) for at, count in enumerate(counts))


def share(score: float, most: float) -> float:
    """Return the share of the points that was earned; of a question without points, none."""
    return min(1.0, max(0.0, score / most)) if most > 0 else 0.0


def difficulty(shares: Sequence[float]) -> float | None:
    """Return the mean share of the points: near 1 is easy, near 0 is hard; None if nobody was graded."""
    return fmean(shares) if shares else None


def discrimination(shares: Sequence[float], rest: Sequence[float]) -> float | None:
    """Return how a question goes with the points in all others: Pearson's correlation, from -1 to 1.

    The question itself is not among the others (a corrected item-total correlation; where a question is all or nothing it
    is the point-biserial one). None where it says nothing: fewer than five students, or one of the two does not vary.
    """
    if len(shares) < FEWEST or len(shares) != len(rest):
        return None
    mean_share, mean_rest = fmean(shares), fmean(rest)
    ours = [one - mean_share for one in shares]
    others = [one - mean_rest for one in rest]
    spread = math.sqrt(math.fsum(one * one for one in ours)) * math.sqrt(math.fsum(one * one for one in others))
    if spread <= 1e-9 * max(1.0, max(map(abs, rest), default=0.0)):
        return None
    together = math.fsum(one * other for one, other in zip(ours, others, strict=True))
    return max(-1.0, min(1.0, together / spread))
