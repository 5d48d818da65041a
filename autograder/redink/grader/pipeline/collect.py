"""Stage 1: find the submissions in whatever an instructor has: a notebook, a folder, an archive, a platform's download.

`grader/intake/layouts/` knows the platforms, and the roster who is meant; here attempts become what the next stages read.
What `redink collect` kept is read from the gradebook.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from redink.errors import CourseError, SubmissionError
from redink.grader.intake.archive import MOST_UNPACKED, UNPACK_IT
from redink.grader.intake.layouts.gathered import Gathered, Partner, Sought, Taken
from redink.grader.intake.layouts.recognising import gather
from redink.grader.intake.tree import MOST_ENTRIES, Entry, Place, Tree
from redink.grader.rules.roster import Person, Roster
from redink.grader.store.collected import HandIn
from redink.grader.store.gradebook import Gradebook
from redink.records import Record
from redink.texts import file_name


class Found(Record, frozen=True):
    """A file that was handed in, and whose; `problem` says why it cannot be used.

    `handed` is what else the source told of it; `submission` is its id in the gradebook, if it was collected before.
    """

    id: str
    file: str
    tree: Tree
    place: Place
    problem: str | None = None
    handed: HandIn | None = None
    submission: int = 0


class Owner(NamedTuple):
    """One of those whose a file is: the person, if the roster knows who is meant, and what the platform says."""

    id: str
    person: Person | None
    name: str = ""
    ids: Mapping[str, str] = {}


class Collected(Record, frozen=True):
    """The last attempt of everybody, all attempts in their order, and all that was gathered."""

    found: tuple[Found, ...]
    attempts: tuple[Found, ...]
    gathered: Gathered
    unmatched: tuple[str, ...] = ()  # whom the roster does not know


def collect(
    slug: str,
    source: Path,
    names_asked: Iterable[str] = (),
    handed_out: Collection[str] = (),
    *,
    insist: str | None = None,
    names: str | None = None,
    before: datetime | None = None,
    roster: Roster | None = None,
) -> Collected:
    """List the submissions in a source, each student once, as they are read fastest; a `problem` stops nobody else.

    `insist` names a layout, `names` is a pattern for one that has no name, `before` chooses commits of repositories,
    `names_asked` are those of questions and functions, by which a notebook is told from another, `handed_out` the cells that
    everybody was given, and what one of a group of the roster handed in is everybody's in it.
    """
    sought = Sought(slug=slug, names=frozenset(names_asked), handed_out=frozenset(handed_out))
    gathered = gather(sought, source, insist=insist, names=names, before=before)
    sure = _found_by_id(gathered.taken, roster)
    owners = {one.student: _owners(one, roster, sure) for one in gathered.taken}
    attempts = [
        _found(same if before is None else _as_claimed(same), gathered.layout, owners)
        for _, same in sorted(_by_attempt(gathered.taken, owners).items(), key=lambda one: one[0])
    ]
    last = {one.id: one for one in attempts}
    if not last:
        ignored = "".join(f"; {line}" for line in gathered.lines()[1:])
        what = "no notebook (.ipynb) or script (.py), and no folder with one in it"
        raise CourseError(f"{source} holds no submission: {what}{ignored}")
    _refuse_if_too_large(source, last.values())
    ordered = sorted(last.values(), key=lambda one: (one.tree.position(one.place) if one.place else 0, one.id))
    unmatched = sorted({one.id for all in owners.values() for one in all if one.person is None}) if roster else []
    return Collected(found=tuple(ordered), attempts=tuple(attempts), gathered=gathered, unmatched=tuple(unmatched))


def collected_before(book: Gradebook, slug: str, every: bool) -> list[Found]:
    """List what `redink collect` kept in the gradebook: every attempt, or the last of each student."""
    kept = FilesOfGradebook(book)
    found = [
        Found(
            id=one.student,
            file=one.file,
            tree=kept,
            place=(str(one.submission),),
            problem=one.problem,
            submission=one.submission,
        )
        for one in book.collected.waiting(slug, every=every)
    ]
    if not found:
        raise CourseError(f"nothing was collected for {slug}: `redink collect {slug} SOURCE`, or grade a path")
    return found


class FilesOfGradebook:
    """What was collected, as a `Tree`: the names are the ids of submissions."""

    def __init__(self, book: Gradebook) -> None:
        self._book = book

    def entries(self, folder: Place = (), most: int = MOST_ENTRIES) -> list[Entry]:
        """Return nothing: the gradebook itself lists them."""
        return []

    def read(self, file: Place) -> bytes:
        """Read what was handed in."""
        content = self._book.collected.content(int(file[0]))
        if content is None:
            raise SubmissionError("is no longer in the gradebook")
        return content

    def position(self, file: Place) -> int:
        """Tell where it stands in the gradebook."""
        return int(file[0])

    def size(self, file: Place) -> int:
        """Return 0: it is read one at a time."""
        return 0


def _owners(one: Taken, roster: Roster | None, sure: Collection[str]) -> tuple[Owner, ...]:
    """Say whose a file is: one person under whose id it is kept, and who else has it, by the platform or the roster."""
    named = sorted(
        (_owner(roster, sure, file_name(key), each.name, each.ids) for each in one.members if (key := _key(each))),
        key=lambda owner: owner.id,
    ) or [_owner(roster, sure, one.student, one.name, one.ids)]
    if roster is not None:
        if named[0].person is None and (first := roster.find_group(one.student)) is not None:
            named = [Owner(first.id, first)]
        known = [each.person for each in named if each.person is not None]
        named += [Owner(other.id, other) for person in known for other in roster.group(person)]
    return tuple({owner.id: owner for owner in reversed(named)}.values())[::-1]


def _found_by_id(taken: Iterable[Taken], roster: Roster | None) -> frozenset[str]:
    """List who is meant by an id of somebody: nobody else is this person, whatever the name."""
    meant = [(roster.find(one.student, one.name or "", one.ids), one) for one in taken] if roster else []
    return frozenset(
        person.id for person, one in meant if person and roster and roster.is_sure(person, one.student, one.ids)
    )


def _owner(roster: Roster | None, sure: Collection[str], key: str, name: str | None, ids: Mapping[str, str]) -> Owner:
    """Say who is meant; an id is believed before a name."""
    person = roster.find(key, name or "", ids) if roster else None
    if person and roster and person.id in sure and not roster.is_sure(person, key, ids):
        person = None
    return Owner(person.id if person else key, person, name or "", ids)


def _key(partner: Partner) -> str:
    return partner.ids.get("email") or partner.ids.get("sis") or partner.name or ""


def _by_attempt(taken: Iterable[Taken], owners: Mapping[str, tuple[Owner, ...]]) -> dict[tuple[str, int], list[Taken]]:
    found: dict[tuple[str, int], list[Taken]] = defaultdict(list)
    for one in taken:
        found[owners[one.student][0].id, one.attempt or 0].append(one)
    return found


def _found(same: list[Taken], layout: str, owners: Mapping[str, tuple[Owner, ...]]) -> Found:
    """Make one submission of a student's attempt; of several that cannot be told apart, one that says so."""
    first = same[0]
    owner, *others = owners[first.student]
    problem = first.problem
    if len(same) > 1:
        files = " and ".join(one.file for one in same)
        problem = f"{owner.id} was handed in more than once, as {files}; keep one of them"
    person = owner.person or Person(id=owner.id)
    handed = HandIn(
        student=owner.id,
        file=first.file,
        sha256="",
        source="path" if layout in ("folder", "file") else layout,
        handed_in=first.handed_in,
        late=first.late,
        name=person.name or owner.name,
        email=person.email or owner.ids.get("email", ""),
        ids={**person.ids, **owner.ids, **first.ids},
        members=tuple(one.id for one in others),
        flags=first.flags,
        problem=problem,
    )
    return Found(id=owner.id, file=first.file, tree=first.tree, place=first.place, problem=problem, handed=handed)


def _as_claimed(same: list[Taken]) -> list[Taken]:
    """Return commits with the times that they claim: who asks for those before a time believes them."""
    return [msgspec.structs.replace(one, handed_in=one.claimed or one.handed_in) for one in same]


def _refuse_if_too_large(source: Path, found: Iterable[Found]) -> None:
    """Raise `CourseError` if what is unpacked for all of these together is too much."""
    size = sum(one.tree.size(one.place) for one in found if one.problem is None)
    if size > MOST_UNPACKED:
        most = MOST_UNPACKED >> 20
        raise CourseError(f"{source} holds {size >> 20} MB of notebooks; {most} MB are allowed: {UNPACK_IT}")
