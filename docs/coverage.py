"""Write docs/coverage.md: what each topic of the course can cost, from the `covers` marks of the assignments.

Run `python docs/coverage.py`. docs/topics.csv lists the topics, each with the assignment it belongs to. A topic is held as
firmly as by its firmest check: code in the core, then a short question in the core, then an extra question.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path
from typing import Literal, NamedTuple

from redink.checks.language import Check
from redink.grader.assignment.assignment import read_assignment
from redink.grader.course import Course

DOCS = Path(__file__).parent
Tier = Literal["core code", "core choice", "extra", "not yet"]
TIERS: dict[Tier, str] = {
    "core code": "can cost a core point by code",
    "core choice": "can cost a core point by a short question",
    "extra": "is checked only in extra questions, whose points count where a course says so",
    "not yet": "is checked by nothing yet",
}


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
    tier: Tier


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
        assignment = read_assignment(course, slug)
        core = {question.id for question in assignment.spec.questions if question.tier == "core" and question.points}
        for check in assignment.checks:
            for row in check.covers:
                found[row].append(Place(slug, check.question, check.id, _tier(check, check.question in core)))
    return slugs, found


def _tier(check: Check, core: bool) -> Tier:
    """Tell what a check can cost; one without weight only informs."""
    if not check.weight:
        return "not yet"
    if not core:
        return "extra"
    return "core choice" if check.kind == "item" else "core code"


def tier_of(held: list[Place]) -> Tier:
    """Return the firmest tier of the checks of a topic."""
    return next((tier for tier in TIERS if any(place.tier == tier for place in held)), "not yet")


def table() -> str:
    """Write the page."""
    _, found = places()
    known = topics()
    tiers = {topic.row: tier_of(found.get(topic.row, [])) for topic in known}
    counts = Counter(tiers.values())
    lines = [
        "# Coverage",
        "",
        f"What each of the {len(known)} topics of the course can cost. Written by `python docs/coverage.py`.",
        "",
        "| tier | topics | a topic of it |",
        "|---|---|---|",
        *(f"| {tier} | {counts[tier]} | {meaning} |" for tier, meaning in TIERS.items()),
        "",
        "| row | topic | assignment | tier | question: checks |",
        "|---|---|---|---|---|",
    ]
    for topic in known:
        where = "; ".join(_listed(found.get(topic.row, [])))
        name = topic.name.replace("|", chr(92) + "|")
        lines.append(f"| {topic.row} | {name} | {topic.assignment} | {tiers[topic.row]} | {where} |")
    return "\n".join(lines) + "\n"


def _listed(held: list[Place]) -> list[str]:
    questions: dict[tuple[str, str], list[str]] = defaultdict(list)
    for place in held:
        questions[place.assignment, place.question].append(place.check)
    return [f"{slug} {question}: {', '.join(checks)}" for (slug, question), checks in questions.items()]


if __name__ == "__main__":
    (DOCS / "coverage.md").write_text(table(), encoding="utf-8")
