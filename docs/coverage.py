"""Write docs/coverage.md: which check holds which topic of the course, from the `covers` marks of the assignments.

Run `python docs/coverage.py`. docs/topics.csv lists the topics, each with the assignment it belongs to.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from redink.grader.assignment.assignment import read_assignment
from redink.grader.course import Course

DOCS = Path(__file__).parent


class Topic(NamedTuple):
    """One row of the inventory."""

    row: str
    name: str
    assignment: str


class Place(NamedTuple):
    """A check that holds a topic."""

    assignment: str
    question: str
    check: str


def topics() -> list[Topic]:
    """Read the inventory."""
    with (DOCS / "topics.csv").open(encoding="utf-8", newline="") as file:
        return [Topic(one["row"], one["topic"], one["assignment"]) for one in csv.DictReader(file)]


def places() -> tuple[list[str], dict[str, list[Place]]]:
    """Find which checks name which row; give the assignments there are, too."""
    course = Course.find(DOCS)
    found: dict[str, list[Place]] = defaultdict(list)
    slugs = course.slugs()
    for slug in slugs:
        for check in read_assignment(course, slug).checks:
            for row in check.covers:
                found[row].append(Place(slug, check.question, check.id))
    return slugs, found


def table() -> str:
    """Write the page."""
    slugs, found = places()
    known = topics()
    covered = sum(topic.row in found for topic in known)
    lines = [
        "# Coverage",
        "",
        f"Of the {len(known)} topics of the course, {covered} are held by a check. Written by `python docs/coverage.py`.",
        "",
        "| row | topic | assignment | question: checks |",
        "|---|---|---|---|",
    ]
    for topic in known:
        where = "; ".join(_listed(found[topic.row])) if topic.row in found else _later(topic, slugs)
        lines.append(f"| {topic.row} | {topic.name.replace('|', chr(92) + '|')} | {topic.assignment} | {where} |")
    return "\n".join(lines) + "\n"


def _listed(held: list[Place]) -> list[str]:
    questions: dict[tuple[str, str], list[str]] = defaultdict(list)
    for place in held:
        questions[place.assignment, place.question].append(place.check)
    return [f"{slug} {question}: {', '.join(checks)}" for (slug, question), checks in questions.items()]


def _later(topic: Topic, slugs: list[str]) -> str:
    return "**nothing**" if topic.assignment in slugs else "(not written yet)"


if __name__ == "__main__":
    (DOCS / "coverage.md").write_text(table(), encoding="utf-8")
