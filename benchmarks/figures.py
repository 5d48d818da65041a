"""A measured figure: its name in DESIGN and README, its value, and the goal that it is held beside. Nothing is asserted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SCHEMA = "redink/bench/1"


class Figure(NamedTuple):
    """One figure of one run; `of` names what it is measured on, where there are several."""

    name: str
    value: float
    unit: str = "×"
    of: str = ""
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without one."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return None if self.at_least is None else self.value >= self.at_least

    @property
    def goal(self) -> str:
        """The goal in words; empty without one."""
        if self.at_most is not None:
            return f"≤ {_told(self.at_most)}"
        return "" if self.at_least is None else f"≥ {_told(self.at_least)}"

    def line(self) -> str:
        """Return a row of the table."""
        sign = {True: "✓", False: "✗", None: ""}[self.met]
        value = f"{_told(self.value)} {self.unit}"
        return f"{self.name:<24} {self.of:<12} {value:>12}  {self.goal:<9} {sign:<1} {self.note}".rstrip()


def _told(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 10 else f"{value:.2f}"


def show(figures: Iterable[Figure]) -> list[Figure]:
    """Print each figure as soon as it is there, and return them all."""
    print(f"{'figure':<24} {'of':<12} {'value':>12}  goal")
    found = []
    for one in figures:
        print(one.line(), flush=True)
        found.append(one)
    return found


def write(path: Path, figures: Sequence[Figure], about: Mapping[str, Any]) -> None:
    """Write figures and what they were measured on as JSON."""
    rows = [{**one._asdict(), "value": round(one.value, 5), "met": one.met} for one in figures]
    text = json.dumps({"schema": SCHEMA, **about, "figures": rows}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def read(path: Path) -> list[Figure]:
    """Read the figures of a file that `write` wrote."""
    rows = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return [Figure(**{name: value for name, value in row.items() if name != "met"}) for row in rows]
