"""What each student's score is on its way out: points before or after lateness, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from redink.grader.desk.standings import ClassStandings
from redink.grader.export.formats import Order
from redink.grader.rules.standing import Standing
from redink.records import Record
from redink.texts import clean, look_alikes

_WHY = {"missing": "handed in nothing", "not_graded": "not graded yet"}
MOST_NAMED = 12
_STRANGER = ", not in the roster"


class OutgoingScore(Record, frozen=True):
    """One student's points, of `max_score`, or why there are none."""

    student: str
    shown: str  # the student's name and id, for an instructor
    points: float | None
    why: str = ""
    graded: bool = False  # it is a grade, not a zero for nothing
    overridden: bool = False
    max_score: float = 100.0


def outgoing(order: Order) -> dict[str, OutgoingScore]:
    """Work out everybody's score, by student."""
    return {one.student: _score(order, one) for one in order.known.standings}


def shown(known: ClassStandings, student: str) -> str:
    """Write who a student is: name and id, and whether the roster has nobody of that id."""
    name = clean(known.people[student].name)
    stranger = "" if known.enrolled is None or student in known.enrolled else _STRANGER
    return f"{name} ({student}{stranger})" if name and name != student else f"{student}{stranger}"


def listed(names: Iterable[str]) -> str:
    """Write up to a dozen names, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - MOST_NAMED} more" if len(every) > MOST_NAMED else ""
    return ", ".join(every[:MOST_NAMED]) + more


def remarks(order: Order) -> Iterator[str]:
    """List what else an instructor should know of these scores."""
    known = order.known
    by_platform = known.rules.lateness == "platform"
    of = {one.student: shown(known, one.student) for one in known.standings}
    ungradable = [of[one.student] for one in known.standings if one.kind == "ungradable" and one.grade == 0]
    if ungradable:
        yield f"{len(ungradable)} could not be graded and have 0: {listed(ungradable)}"
    taken = [of[one.student] for one in known.standings if one.taken and not one.override]
    if taken:
        yield f"lateness took points from {len(taken)}: {listed(taken)}"
    unknown = [of[one.student] for one in known.standings if one.late.unknown and one.grade is not None]
    if unknown and not by_platform:
        yield f"{len(unknown)} were late by an unknown time, and nothing was taken for it: {listed(unknown)}"
    set_and_late = [of[one.student] for one in known.standings if one.override and one.late.late]
    if set_and_late and by_platform:
        yield f"the platform may deduct for lateness from scores that a person set: {listed(set_and_late)}"
    yield from (one.told for one in known.disputes)
    strangers = [of[one].replace(_STRANGER, "") for one in known.strangers()]
    if strangers:
        yield f"{len(strangers)} handed in and are not in the roster: {listed(strangers)}"
    yield from look_alikes(of)


def _score(order: Order, standing: Standing) -> OutgoingScore:
    zero = order.missing_is_zero and standing.kind == "missing" and standing.grade is None
    return OutgoingScore(
        student=standing.student,
        shown=shown(order.known, standing.student),
        points=0.0 if zero else standing.grade,
        why="" if standing.grade is not None else _WHY.get(standing.kind, "no grade"),
        graded=standing.grade is not None,
        overridden=standing.override is not None or any(one.override for one in standing.questions),
        max_score=standing.max_score,
    )
