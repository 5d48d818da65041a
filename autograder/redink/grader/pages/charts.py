"""Charts as SVG that stands in the page: no script, no font, no colour that carries a meaning alone.

Colours are those of the page (`currentColor` and variables of its style), so a chart follows light, dark and print. Only
numbers and words of ours go into a chart; `escape` is for whatever else may.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup, escape

from redink.grader.pages.figures import Bin

_WIDTH, _HEIGHT, _TOP, _BOTTOM = 440, 210, 24, 34
_MARGIN, _LABEL = 14, 34  # for half a number at each end, and how much room a number needs


def histogram(bins: Sequence[Bin], what: str) -> Markup:
    """Draw how many have how many points; each bar says its number."""
    most = max([one.count for one in bins], default=0) or 1
    step = _WIDTH / max(1, len(bins))
    floor = _HEIGHT - _BOTTOM
    parts = []
    for at, one in enumerate(bins):
        height = (floor - _TOP) * one.count / most
        left, middle = at * step + step * 0.08, at * step + step / 2
        if one.count:
            parts.append(
                Markup('<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2"/>').format(
                    left, floor - height, step * 0.84, height
                )
            )
            parts.append(_text(middle, floor - height - 6, f"{one.count}"))
    every = max(1, math.ceil(_LABEL / step))  # number below the bars, so that none touch
    for at, limit in enumerate([one.low for one in bins] + [one.high for one in bins[-1:]]):
        if at % every == 0:
            parts.append(_text(at * step, floor + 20, f"{limit:g}"))
    line = Markup('<path class="axis" d="M0 {0}H{1}"/>').format(floor + 0.5, _WIDTH)
    told = ", ".join(f"{one.told}: {one.count}" for one in bins)
    return Markup(
        '<svg class="chart" role="img" viewBox="{} 0 {} {}" aria-labelledby="chart-title chart-desc">'
        '<title id="chart-title">{}</title><desc id="chart-desc">{}</desc>{}{}</svg>'
    ).format(-_MARGIN, _WIDTH + 2 * _MARGIN, _HEIGHT, what, f"Points: how many. {told}.", Markup("").join(parts), line)


def bar(part: float | None, kind: str = "bar") -> Markup:
    """Draw a share as a bar beside the number that says the same; a screen reader has the number."""
    width = 0.0 if part is None else 100 * min(1.0, max(0.0, part))
    return Markup(
        '<svg class="line" aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">'
        '<rect class="rail" width="100" height="10"/><rect class="{}" width="{:.1f}" height="10"/></svg>'
    ).format(kind, width)


def _text(x: float, y: float, text: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>').format(x, y, escape(text))
