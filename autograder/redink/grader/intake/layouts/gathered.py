"""What the layouts find: every file is taken, or ignored with a reason; a person without a usable file is still there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from redink.grader.intake.tree import Place, Tree
from redink.grader.intake.unpacking import UnpackingLimit, of_a_source
from redink.records import Record
from redink.texts import clean

SYSTEMS = "left behind by a system"  # why hidden files are ignored; of these an instructor need not hear
_SHOWN = 5  # ignored files that are named in one line
_LONGEST = 100  # characters of a name there


class Sought(Record, frozen=True):
    """What is looked for: an assignment, and the names by which its notebook can be told from another one."""

    slug: str
    names: frozenset[str] = frozenset()  # of questions and of what they ask for
    handed_out: frozenset[str] = frozenset()  # the cells of the notebook that students were given
    owner: str = ""  # the name of the folder or archive itself
    allowance: UnpackingLimit = msgspec.field(default_factory=of_a_source)  # for archives of students


class Partner(Record, frozen=True):
    """One of a group that handed in together."""

    name: str | None = None
    ids: dict[str, str] = msgspec.field(default_factory=dict)


class Taken(Record, frozen=True):
    """One file of one student, or of one group; `problem` says why it cannot be graded.

    `student` is the key under which the platform knows the person, and is printable. `handed_in` is a time that a student
    cannot choose, `claimed` one that the student's own files give. Without a file, `place` is empty.
    """

    student: str
    file: str
    tree: Tree
    place: Place
    name: str | None = None
    ids: dict[str, str] = msgspec.field(default_factory=dict)
    handed_in: datetime | None = None
    claimed: datetime | None = None
    late: bool | None = None
    attempt: int | None = None
    members: tuple[Partner, ...] = ()
    flags: tuple[str, ...] = ()
    problem: str | None = None


class Ignored(Record, frozen=True):
    """A file that is nobody's submission, and why; `count` stands for as many like it."""

    file: str
    reason: str
    student: str = ""
    count: int = 1


class Gathered(Record, frozen=True):
    """All that was found in one source; `told` is one line about it."""

    layout: str
    taken: tuple[Taken, ...]
    ignored: tuple[Ignored, ...] = ()
    told: str = ""

    def lines(self) -> tuple[str, ...]:
        """Return what an instructor is told: what was recognised, and what was ignored."""
        return tuple(line for line in (self.told, *nobodys(self.ignored), _told_ignored(self.ignored)) if line)


def nobodys(ignored: Iterable[Ignored]) -> tuple[str, ...]:
    """Say which notebooks lie where those of the class do and are nobody's: somebody may be without a grade."""
    found = [
        one for one in ignored if not one.student and one.file.lower().endswith(".ipynb") and one.reason != SYSTEMS
    ]
    if not found:
        return ()
    names = ", ".join(f"{clean(one.file, _LONGEST)} ({clean(one.reason, _LONGEST)})" for one in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    many = "1 notebook is" if len(found) == 1 else f"{len(found)} notebooks are"
    return (f"{many} nobody's, and not taken: {names}{more}; --names says whose a file is by its name",)


class Layout(Protocol):
    """How one platform lays out a class. A package adds one by an entry point of the group `redink.intake`."""

    name: str  # by which it can be insisted on
    title: str  # as it is told: "Canvas download"

    def recognise(self, tree: Tree, sought: Sought) -> bool:
        """Tell whether a tree is laid out like this."""

    def read(self, tree: Tree, sought: Sought) -> Gathered:
        """Find everybody's files."""


def gathered(layout: str, title: str, taken: Sequence[Taken], ignored: Sequence[Ignored]) -> Gathered:
    """Put together what was found, and say it in one line."""
    return Gathered(
        layout=layout, taken=tuple(taken), ignored=tuple(ignored), told=f"{title}: {_counts(taken, ignored)}"
    )


def newest(taken: Iterable[Taken]) -> dict[str, list[Taken]]:
    """Return the last attempt of each student; more than one file of it cannot be told apart."""
    found: dict[str, list[Taken]] = {}
    for one in taken:
        before = found.get(one.student)
        if before is None or (one.attempt or 0) > (before[0].attempt or 0):
            found[one.student] = [one]
        elif (one.attempt or 0) == (before[0].attempt or 0):
            before.append(one)
    return found


def number_attempts(taken: Iterable[Taken]) -> list[Taken]:
    """Number what each student handed in more than once, by time; without times nobody can tell."""
    by_student: dict[str, list[Taken]] = {}
    for one in taken:
        by_student.setdefault(one.student, []).append(one)
    numbered: list[Taken] = []
    for same in by_student.values():
        timed = sorted((one.handed_in, place) for place, one in enumerate(same) if one.handed_in is not None)
        if len(same) == 1 or len({time for time, _ in timed}) < len(same):
            numbered += same
        else:
            ordered = [same[place] for _, place in timed]
            numbered += [msgspec.structs.replace(one, attempt=number) for number, one in enumerate(ordered, start=1)]
    return numbered


def _counts(taken: Sequence[Taken], ignored: Sequence[Ignored]) -> str:
    last = newest(taken)
    files = sum(bool(one.place) for one in taken) + sum(one.count for one in ignored if one.reason != SYSTEMS)
    counts = [(files, "file", "files"), (len(last), "student", "students")]
    late = sum(any(one.late for one in same) for same in last.values())
    again = sum(any((one.attempt or 0) > 1 for one in same) for same in last.values())
    ungradable = sum(len(same) > 1 or same[0].problem is not None for same in last.values())
    look = sum(any(one.flags for one in same) for same in last.values())
    counts += [(late, "late", "late"), (again, "resubmitted", "resubmitted")]
    counts += [(ungradable, "without a usable notebook", "without a usable notebook")]
    counts += [(look, "to look at", "to look at")]
    return ", ".join(
        f"{count} {one if count == 1 else many}"
        for place, (count, one, many) in enumerate(counts)
        if count or place < 2
    )


def _told_ignored(ignored: Sequence[Ignored]) -> str:
    shown = [one for one in ignored if one.reason != SYSTEMS]
    count = sum(one.count for one in shown)
    if not count:
        return ""
    names = [f"{clean(one.file, _LONGEST)} ({clean(one.reason, _LONGEST)})" for one in shown[:_SHOWN]]
    more = count - sum(one.count for one in shown[:_SHOWN])
    return f"{count} file{'s' if count > 1 else ''} ignored: {', '.join(names)}" + (f" and {more} more" if more else "")
