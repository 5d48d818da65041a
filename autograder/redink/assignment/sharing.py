"""How the checks of a question share its points: by weight, exactly, and rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def share_points(points: float, weights: Sequence[float]) -> list[Fraction]:
    """Return the share of each check; none has one where none has a weight."""
    exact = [Fraction(weight).limit_denominator(1000) for weight in weights]
    whole = sum(exact) or 1
    return [Fraction(points) * weight / whole for weight in exact]


def rounded_points(exact: Fraction) -> float:
    """Return points as a result has them: to a hundredth."""
    return round(float(exact), 2)
