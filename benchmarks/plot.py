"""Draws docs/pictures/bench.svg from benchmarks/results.json: `plot.py [RESULTS [SVG]]`. No library, a few kilobytes.

Left, one more submission to the perceptron in Redink, nbgrader and otter-grader. Right, what
grading costs in each assignment as a multiple of the bare cost, the same cells and calls in one warm process.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from figures import Figure, read

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "pictures" / "bench.svg"
WIDTH, TOP, ROW, LABEL, BAR = 400, 64, 26, 96, 210
INK, PALE, RED, GREY, DARK = "#24292f", "#d0d7de", "#d9534a", "#8c959f", "#7d1a14"
TOOLS = (("redink_s", "Redink"), ("nbgrader_s", "nbgrader"), ("otter_s", "otter run"))


class Bar(NamedTuple):
    """One bar: its share of the longest one, and what stands behind it."""

    label: str
    share: float
    told: str
    colour: str = GREY
    dark: float = 0.0  # the share of it that is drawn darker


def draw(results: Path, picture: Path = PICTURE) -> Path:
    """Draw the figures of a file, and return the path of the picture."""
    figures = read(results)
    left, right = _tools(figures), _assignments(figures)
    height = TOP + ROW * max(len(left), len(right)) + 20
    panels = [
        _panel(0, "One more submission, perceptron", "CPU seconds, all processes", left),
        _panel(
            WIDTH, "Grading beside the bare cost", "CPU; dark: the same cells and calls, warm, without a box", right
        ),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">'
        f"<title>{escape(_in_words(left, right))}</title>"
        f'<rect width="{2 * WIDTH}" height="{height}" rx="8" fill="#ffffff"/>'
    )
    picture.write_text("\n".join([head, *panels, "</svg>\n"]), encoding="utf-8")
    return picture


def _tools(figures: Sequence[Figure]) -> list[Bar]:
    value = {one.name: one.value for one in figures}
    found = [(label, value[name]) for name, label in TOOLS if name in value]
    if not found:
        return []
    most = max(seconds for _, seconds in found)
    return [
        Bar(label, seconds / most, f"{seconds:.2g} s", RED if label == "Redink" else GREY) for label, seconds in found
    ]


def _assignments(figures: Sequence[Figure]) -> list[Bar]:
    ratios = {one.of: one for one in figures if one.name == "cpu_vs_bare"}
    most = max((one.value for one in ratios.values()), default=1.0)
    return [Bar(slug, one.value / most, f"{one.value:.2f}×", RED, 1 / most) for slug, one in ratios.items()]


def _panel(left: int, title: str, told: str, bars: Sequence[Bar]) -> str:
    lines = [
        f'<text x="{left + 16}" y="26" fill="{INK}" font-weight="600">{escape(title)}</text>',
        f'<text x="{left + 16}" y="44" fill="{GREY}" font-size="11">{escape(told)}</text>',
    ]
    for number, bar in enumerate(bars):
        y, x = TOP + ROW * number, left + 16 + LABEL
        lines += [
            f'<text x="{x - 8}" y="{y + 13}" fill="{INK}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{x}" y="{y}" width="{BAR}" height="18" rx="3" fill="{PALE}" opacity="0.35"/>',
            f'<rect x="{x}" y="{y}" width="{max(2.0, BAR * bar.share):.1f}" height="18" rx="3" fill="{bar.colour}"/>',
            f'<rect x="{x}" y="{y}" width="{BAR * min(bar.dark, bar.share):.1f}" height="18" rx="3" fill="{DARK}"/>',
            f'<text x="{x + BAR + 8}" y="{y + 13}" fill="{INK}">{escape(bar.told)}</text>',
        ]
    return "\n".join(lines)


def _in_words(*panels: Sequence[Bar]) -> str:
    return "; ".join(f"{bar.label} {bar.told}" for bars in panels for bar in bars)


if __name__ == "__main__":
    given = [Path(one) for one in sys.argv[1:]]
    print(draw(*(given or [Path(__file__).with_name("results.json")])))
