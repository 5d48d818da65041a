"""Which row is whose: by a platform's own ids, then by ids of any kind, then by whole names; nobody is ever guessed.

Rows are matched in three passes, and whoever was found in one is not looked for in the next. A row that could be several
people, several rows that are one person, and ids that contradict each other are trouble, and stop the export.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from redink.grader.rules.roster import FOREIGN, Person, Token, contradict, name_tokens, plain_id
from redink.records import Record
from redink.texts import clean, same_letters


class SheetRow(Record, frozen=True):
    """A row of a teacher's file: where it is, and what it says of a person."""

    at: int  # from 0
    name: str
    ids: dict[str, str]
    locked: str = ""  # why its cell may not be written
    test: bool = False  # it has the name of the platform's test student, whom nobody misses; but so may a student

    @property
    def shown(self) -> str:
        """Who it is and where, for an instructor."""
        who = clean(self.name, 60) or next((clean(one, 60) for one in self.ids.values() if one), "no name")
        return f"{who} (row {self.at + 1})"


class Matches(Record, frozen=True):
    """The rows of students, rows of nobody, and what cannot be decided: a sentence, and whom it concerns."""

    rows: dict[str, SheetRow]
    nobodys: tuple[SheetRow, ...]
    trouble: tuple[tuple[str, frozenset[str]], ...]


def match_rows(rows: Sequence[SheetRow], people: Mapping[str, Person]) -> Matches:
    """Find out whose rows these are."""
    found: dict[str, list[SheetRow]] = defaultdict(list)
    trouble: list[tuple[str, frozenset[str]]] = []
    left = list(rows)
    for of_row, of_person in _PASSES:
        index = _index([one for one in people.values() if one.id not in found], of_person)
        still = []
        for row in left:
            meant = {id for token in of_row(row) for id in index.get(token, ())}
            if of_row is not _own_ids:
                meant = {id for id in meant if not contradict(people[id], row.ids)}
            if len(meant) == 1:
                found[meant.pop()].append(row)
            elif meant:
                trouble.append((f"{row.shown} could be {' or '.join(sorted(meant))}", frozenset(meant)))
            else:
                still.append(row)
        left = still
    for student, several in found.items():
        if len(several) > 1:
            where = ", ".join(one.shown for one in several)
            trouble.append((f"{student} has several rows: {where}", frozenset({student})))
    once = {student: several[0] for student, several in found.items() if len(several) == 1}
    return Matches(rows=once, nobodys=tuple(left), trouble=tuple(trouble))


def _index(people: Sequence[Person], of_person: Callable[[Person], Iterable[Token]]) -> Mapping[Token, set[str]]:
    index: dict[Token, set[str]] = defaultdict(set)
    for person in people:
        for token in of_person(person):
            index[token].add(person.id)
    return index


def _ids(person: Person) -> dict[str, str]:
    told = {**person.ids, "email": person.email or person.ids.get("email", "")}
    return {kind: plain_id(kind, value) for kind, value in told.items() if value.strip()}


def _own_ids(row: SheetRow) -> Iterable[Token]:
    return [(kind, plain_id(kind, value)) for kind, value in row.ids.items() if value.strip()]


def _any_ids(row: SheetRow) -> Iterable[Token]:
    told = [(kind, same_letters(value.strip())) for kind, value in row.ids.items() if value.strip()]
    return [("a platform's" if kind in FOREIGN else "", value) for kind, value in told]


def _names(row: SheetRow) -> Iterable[Token]:
    return name_tokens(row.name)


def _ids_of_person(person: Person) -> Iterable[Token]:
    return _ids(person).items()


def _any_ids_of_person(person: Person) -> Iterable[Token]:
    """List the id in the gradebook, and addresses and logins, which are each other's on many sites.

    A platform's own number is believed to be that id only where nothing else is known of somebody.
    """
    of = _ids(person)
    known = [("", same_letters(person.id)), *(("", of[kind]) for kind in ("login", "email") if kind in of)]
    return known if person.name or of else [*known, ("a platform's", same_letters(person.id))]


def _names_of_person(person: Person) -> Iterable[Token]:
    return name_tokens(person.name or person.id)


_PASSES: tuple[tuple[Callable[[SheetRow], Iterable[Token]], Callable[[Person], Iterable[Token]]], ...] = (
    (_own_ids, _ids_of_person),
    (_any_ids, _any_ids_of_person),
    (_names, _names_of_person),
)
