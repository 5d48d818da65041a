"""Groups: several people, one submission. Whoever of them handed in, the group's last attempt is everybody's.

Who belongs together is noted with each file when it is collected, so a roster that changes later changes no grade.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from redink.grader.rules.course_rules import Counts
from redink.grader.rules.standing import Attempt
from redink.records import Record

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Dispute(Record, frozen=True):
    """People of one group who handed in different files, and what counts for all of them."""

    people: tuple[str, ...]
    told: str


def in_order(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Order what several handed in for each other: by time if every time is known, otherwise as it was collected."""
    if len({one.by for one in attempts}) == 1 or not _timed(attempts):
        return list(attempts)
    return sorted(attempts, key=lambda one: one.handed_in or _LONG_AGO)


def disputes(attempts: Mapping[str, Sequence[Attempt]], counts: Counts) -> tuple[Dispute, ...]:
    """Find where people of one group handed in different files; `attempts` are by student, in order."""
    found: dict[tuple[int, ...], Dispute] = {}
    for own in attempts.values():
        last = {one.by: one for one in own}
        if len({one.sha256 for one in last.values()}) > 1:
            key = tuple(sorted(one.submission for one in last.values()))
            found.setdefault(key, _dispute(own, sorted(last), counts))
    return tuple(found.values())


def group_scores(attempts: Mapping[str, Sequence[Attempt]], counts: Counts) -> dict[str, float]:
    """Return what the checks gave to each student who is in a group, by the graded attempt that counts."""
    scores = {
        student: [one.result.score for one in own if one.result]
        for student, own in attempts.items()
        if any(one.group for one in own)
    }
    return {student: max(own) if counts == "best" else own[-1] for student, own in scores.items() if own}


def _dispute(own: Sequence[Attempt], by: Sequence[str], counts: Counts) -> Dispute:
    people = sorted({name for one in own for name in one.group or (one.by,)})
    last = own[-1].by
    if counts == "best":
        rule = "the best of them counts"
    elif _timed(own):
        rule = f"{last}'s was handed in last and counts"
    else:
        rule = f"no times are known, so {last}'s, which was collected last, counts"
    told = f"{_listed(by)} are in one group and handed in different files: {rule} for {_listed(people)}"
    return Dispute(people=tuple(people), told=told)


def _timed(attempts: Sequence[Attempt]) -> bool:
    return all(one.handed_in is not None for one in attempts)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
