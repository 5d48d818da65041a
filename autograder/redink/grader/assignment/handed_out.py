"""What students were given: the cells of a notebook that nobody has touched, and of which assignment a notebook is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from redink.assignment.spec import read_spec
from redink.errors import RedinkError
from redink.grader.course import Course
from redink.notebook import read_cells
from redink.records import Cell

_FEWEST = 3  # names, and this share of all of them, and twice the own share, show that it is another assignment's
_SHARE = 0.6


def handed_out(course: Course, slug: str) -> frozenset[str]:
    """Read the cells of the notebook that students were given; without one, none is known."""
    try:
        data = (course.find_assignment(slug) / f"{slug}.ipynb").read_bytes()
    except OSError:
        return frozenset()
    return frozenset(cell.source.strip() for cell in read_cells(data))


def names_by_assignment(course: Course) -> dict[str, frozenset[str]]:
    """Return the names of the questions and functions of all assignments that can be read."""
    found = {}
    for slug in course.slugs():
        try:
            found[slug] = read_spec(course.assignments / slug).all_names()
        except RedinkError:
            continue
    return found


def other_assignment(names: Mapping[str, frozenset[str]], slug: str, cells: Iterable[Cell]) -> str:
    """Return which other assignment's a notebook is, by the questions and functions that stand in its code; '' if none's."""
    words = set(re.findall(r"\w+", "\n".join(cell.source for cell in cells)))
    shares = {one: len(of_it & words) / len(of_it) for one, of_it in names.items() if len(of_it & words) >= _FEWEST}
    best = max(shares, key=lambda one: shares[one], default=slug)
    sure = shares.get(best, 0.0) >= max(_SHARE, 2 * shares.get(slug, 0.0))
    return best if best != slug and sure else ""


def looks_like(other: str) -> str:
    """Say whose notebook it looks like."""
    return f"this looks like {other}'s notebook"
