"""Numbers as a file writes them: which decimal mark it has, how many places, and a score on the platform's scale.

The mark is that of the file's own numbers. `1,5` shows a comma and `1.5` a point; `1,000` shows nothing, since it may be a
thousand. If nothing shows it, a file that is separated by semicolons has a comma (the comma is taken), any other a point.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from redink.records import Record

PLACES = 2  # what Canvas compares and Moodle keeps
_NUMBER = re.compile(r"[+-]?\d+(?:([.,])(\d+))?")
_BLANKS = "\u00a0\u202f '’"  # between thousands


class NumberStyle(Record, frozen=True):
    """How a file writes numbers."""

    mark: str = "."
    fixed: bool = False  # always two places

    def read(self, text: str) -> Decimal | None:
        """Read a number, or None if it is none."""
        plain = "".join(one for one in text.strip() if one not in _BLANKS)
        other = "," if self.mark == "." else "."
        if re.fullmatch(rf"[+-]?\d{{1,3}}(\{other}\d{{3}})+(\{self.mark}\d+)?", plain):
            plain = plain.replace(other, "")
        plain = plain.replace(",", ".")  # a mark that separates no thousands is a decimal one, whichever it is
        return Decimal(plain) if re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?", plain) else None

    def write(self, value: Decimal) -> str:
        """Write a number, with no more places than it needs unless the file has two everywhere."""
        text = f"{value:.{PLACES}f}"
        return (text if self.fixed else text.rstrip("0").rstrip(".")).replace(".", self.mark)


def style_of(own: Sequence[str], separator: str, others: Sequence[str] = ()) -> NumberStyle:
    """Find out how a file writes numbers: from the cells of its own column, and for the mark from others too."""
    seen = Counter[str]()
    places = set()
    for at, text in enumerate((*own, *others)):
        match = _NUMBER.fullmatch(text.strip())
        if match and match[1] and len(match[2]) != 3:
            seen[match[1]] += 1
            if at < len(own):
                places.add(len(match[2]))
    mark = seen.most_common(1)[0][0] if seen else "," if separator == ";" else "."
    return NumberStyle(mark=mark, fixed=places == {PLACES})


def scaled(points: float, most: float, maximum: Decimal) -> Decimal:
    """Return points of so many on a scale up to `maximum`, rounded half up to a hundredth."""
    exact = Decimal(repr(points)) * maximum / Decimal(repr(most))
    return exact.quantize(Decimal(1).scaleb(-PLACES), ROUND_HALF_UP)
