"""A CSV file of our own: one row a student, how the grade came about, then a column for each question or topic.

It is UTF-8 with a byte order mark, so that spreadsheets read every name. A text that somebody else chose and that a
spreadsheet would run as a formula has an apostrophe before it.
"""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping

from redink.assignment.load import load_checks, read_source
from redink.assignment.spec import read_spec
from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.export.formats import Export, ExportAccount, FilledCell, LeftCell, Order
from redink.grader.export.scores import OutgoingScore, outgoing, remarks
from redink.grader.rules.standing import Standing
from redink.grader.rules.tables import harmless, read_table

COLUMNS = (
    "id", "name", "email", "attempt", "handed_in", "days_late", "checked", "earned", "taken", "override", "grade",
    "state", "reason", "group",
)  # fmt: skip


class OwnCsv:
    """Writes a class as a CSV file."""

    name = "csv"

    def export(self, order: Order) -> Export:
        """Write everybody's row."""
        if order.into is not None or order.column or order.above_maximum:
            raise CourseError("--into, --column and --above-maximum are for files of a platform: --as canvas, moodle …")
        scores = outgoing(order)
        by_topic = order.by == "topic"
        parts = _by_topic(order) if by_topic else _by_question(order)
        names = _topics_in(parts) if by_topic else _questions_in(order, parts)
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow([*COLUMNS, *map(harmless, names)])
        for standing in order.known.standings:
            row = _row(order, standing, scores[standing.student])
            writer.writerow([*row, *(_points(parts[standing.student].get(name)) for name in names)])
        return Export(
            data=text.getvalue().encode("utf-8-sig", "replace"),
            name=f"{order.known.assignment}{'.topics' if by_topic else ''}.csv",
            account=_account(order, list(scores.values())),
        )


def _row(order: Order, standing: Standing, score: OutgoingScore) -> Iterator[str]:
    person, attempt = order.known.people[standing.student], standing.attempt
    has = standing.kind in ("graded", "ungradable")
    yield from (harmless(text) for text in (standing.student, person.name, person.email))
    yield str(attempt.number) if attempt else ""
    when = attempt.handed_in if attempt else None
    yield when.astimezone(order.known.rules.zone).isoformat(timespec="seconds") if when else ""
    yield "" if attempt is None or when is None else str(standing.late.days)
    yield from (_points(value if has else None) for value in (standing.checked, standing.earned, standing.taken))
    yield _points(standing.override.score if standing.override else None)
    yield _points(score.points)
    yield standing.kind
    yield harmless(standing.reason or "")
    yield harmless("; ".join(one for one in (attempt.group if attempt else ()) if one != standing.student))


def _points(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")


def _questions_in(order: Order, parts: Mapping[str, Mapping[str, float]]) -> list[str]:
    """List the questions in the order of the assignment, then those that it had when somebody was graded."""
    spec = read_spec(order.course.find_assignment(order.known.assignment))
    today = [f"q:{one.id}" for one in spec.questions]
    return list(dict.fromkeys([*today, *(name for of_one in parts.values() for name in of_one)]))


def _topics_in(parts: Mapping[str, Mapping[str, float]]) -> list[str]:
    return sorted({name for of_one in parts.values() for name in of_one})


def _by_question(order: Order) -> dict[str, dict[str, float]]:
    return {
        standing.student: {f"q:{one.id}": one.score for one in standing.questions} for standing in order.known.standings
    }


def _by_topic(order: Order) -> dict[str, dict[str, float]]:
    """Work out everybody's share of the points of the checks that cover a topic; voided checks count as passed."""
    covers = _covers(order.course, order.known.assignment)
    void = {one.check for one in order.known.voids}
    found = {}
    for standing in order.known.standings:
        got: dict[str, list[float]] = defaultdict(list)
        most: dict[str, list[float]] = defaultdict(list)
        result = standing.attempt.result if standing.attempt else None
        for check in (check for one in (result.questions if result else ()) for check in one.checks):
            for topic in covers.get(check.id, ()):
                got[topic].append(check.max_score if check.id in void else check.score)
                most[topic].append(check.max_score)
        found[standing.student] = {
            topic: math.fsum(got[topic]) / whole for topic in most if (whole := math.fsum(most[topic])) > 0
        }
    return found


def _covers(course: Course, slug: str) -> Mapping[str, tuple[str, ...]]:
    """Read which check covers which topics, called as docs/topics.csv of the course calls them."""
    folder = course.find_assignment(slug)
    spec = read_spec(folder)
    files = [folder / "checks.py", course.solutions / slug / "hidden_checks.py"]
    checks = [one for path in files if path.exists() for one in load_checks(spec, read_source(path), str(path))]
    if not any(one.covers for one in checks):
        raise CourseError(f"no check of {slug} says which topics it covers (covers=…, docs/authors.md)")
    names = _topic_names(course)
    return {one.id: tuple(f"t:{row} {names.get(row, '')}".strip() for row in one.covers) for one in checks}


def _topic_names(course: Course) -> dict[str, str]:
    path = course.root / "docs" / "topics.csv"
    if not path.exists():
        return {}
    table = read_table(path)
    row, topic = table.column("row"), table.column("topic")
    if row is None or topic is None:
        raise CourseError(f"{path} has no columns row and topic")
    texts = [one.texts() for one in table.rows[1:]]
    return {one[row].strip(): one[topic].strip() for one in texts if len(one) > max(row, topic)}


def _account(order: Order, scores: list[OutgoingScore]) -> ExportAccount:
    has = [one for one in scores if one.points is not None]
    return ExportAccount(
        assignment=order.known.assignment,
        format=OwnCsv.name,
        lateness="before" if order.known.rules.lateness == "platform" else "after",
        filled=tuple(FilledCell(student=one.student, old="", new=_points(one.points)) for one in has),
        blank=tuple(LeftCell(student=one.student, why=one.why) for one in scores if one.points is None),
        overridden=tuple(one.student for one in has if one.overridden),
        told=tuple(remarks(order)),
        names={one.student: one.shown for one in scores},
    )
