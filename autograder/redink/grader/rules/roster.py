"""Who is in the course: a CSV file of the instructor's own, or one that a platform exports, read by its headers.

A person has one id in the gradebook, and others on platforms: `canvas`, `moodle`, `github` … A submission is a person's if
an id of one of these or else the whole name says so, and nobody else could be meant; nobody is ever guessed. A name is
chosen more freely than an id, so it is not believed where an id contradicts it, nor are letters of other alphabets.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from redink.errors import CourseError
from redink.grader.rules.tables import CsvTable, read_table
from redink.records import Record
from redink.texts import clean, file_name, same_letters

# What a column is called: our own word first, then those of the platforms.
_ID = (
    "id", "student id", "username", "login", "sis login id", "sis user id", "sid", "email address", "email",
    "canvas", "canvas id", "moodle", "identifier", "gradescope", "github", "github username", "nbgrader",
)  # fmt: skip
_NAME = ("name", "full name", "student name", "student")
_FIRST = ("first name", "given name")
_LAST = ("last name", "surname", "family name")
_EMAIL = ("email", "email address")
_GROUP = ("group", "team")
_PLATFORMS = {
    "canvas": ("canvas", "canvas id"),
    "sis": ("sis", "sis user id", "sid", "id number", "student id"),
    "login": ("login", "sis login id", "username"),
    "moodle": ("moodle", "identifier"),
    "gradescope": ("gradescope",),
    "github": ("github", "github username"),
    "nbgrader": ("nbgrader",),
}
_FIRM = ("canvas", "sis", "login", "email", "github")  # one person has one; Moodle's numbers change by assignment
FOREIGN = ("canvas", "moodle", "gradescope", "github")  # a platform's own numbers, or chosen names: no id elsewhere
_NOBODY = {
    "points possible",
    "student, test",
    "test student",
}  # in Canvas nobody, without a number of one's own

_ACCENTS = frozenset(map(chr, range(0x300, 0x370)))  # of Latin, Greek and Cyrillic letters
_DIGITS = re.compile(r"\d+")

Token = tuple[str, str]  # a kind ("canvas", "email", "name" …), and what is said of that kind


class Person(Record, frozen=True):
    """Somebody in the course."""

    id: str
    name: str = ""
    email: str = ""
    group: str = ""
    ids: dict[str, str] = msgspec.field(default_factory=dict)  # on platforms


class Roster:
    """Everybody in the course, in the order of the file."""

    def __init__(self, people: tuple[Person, ...] = ()) -> None:
        self.people = people
        self._known: dict[Token, set[str]] = defaultdict(set)
        self._by_id = {one.id: one for one in people}
        for one in people:
            for token in (*_id_tokens(one.id, {**one.ids, "email": one.email}), *name_tokens(one.name)):
                self._known[token].add(one.id)

    def __getitem__(self, id: str) -> Person:
        return self._by_id.get(id, Person(id=id))

    def __contains__(self, id: str) -> bool:
        return id in self._by_id

    def find(self, key: str, name: str = "", ids: Mapping[str, str] = {}) -> Person | None:
        """Find the one person that a platform means; None if that is nobody, or could be several."""
        meant = self.meant(key, name, ids)
        return meant[0] if len(meant) == 1 else None

    def meant(self, key: str, name: str = "", ids: Mapping[str, str] = {}) -> list[Person]:
        """List everybody who could be meant: those whom an id names, otherwise those of a name."""
        of_platform = {id for kind, value in ids.items() for id in self._known.get((kind, plain_id(kind, value)), ())}
        for tokens in (_told_ids(key, ids), name_tokens(name or key)):
            found = set().union(*(self._known.get(token, ()) for token in tokens))
            found = {id for id in found if id in of_platform or not contradict(self._by_id[id], ids)}
            if found:
                return [self._by_id[id] for id in sorted(found)]
        return []

    def grouped(self, groups: bool | None) -> Roster:
        """Return this roster as it is where groups hand in together, and otherwise one of people without groups."""
        return self if groups else Roster(tuple(msgspec.structs.replace(one, group="") for one in self.people))

    def is_sure(self, person: Person, key: str, ids: Mapping[str, str]) -> bool:
        """Tell whether it is by an id that a person was found, not by the name alone."""
        return any(person.id in self._known.get(token, ()) for token in _told_ids(key, ids))

    def group(self, person: Person) -> tuple[Person, ...]:
        """List everybody in a person's group, that person first."""
        others = [one for one in self.people if person.group and one.group == person.group and one.id != person.id]
        return (person, *others)

    def find_group(self, name: str) -> Person | None:
        """Find the first person of the group that is called so: a repository or a folder may have a group's name."""
        return next((one for one in self.people if one.group and one.group.casefold() == name.casefold()), None)


def read_roster(path: Path) -> Roster:
    """Read a roster; `CourseError` says what is wrong with it."""
    table = read_table(path)
    people = tuple(_people(table))
    if table.column(*_ID) is None:
        header = ", ".join(clean(text, 40) for text in table.rows[0].texts())
        raise CourseError(f"{path} has no column that tells people apart (id, email, sis login id); it has: {header}")
    seen: set[str] = set()
    for one in people:
        if one.id in seen:
            raise CourseError(f"{path} has {one.id} twice; an id belongs to one person")
        seen.add(one.id)
    return Roster(people)


def _people(table: CsvTable) -> Iterator[Person]:
    for row in table.rows[1:]:
        texts = [clean(text.strip()) for text in row.texts()]

        def said(*names: str, texts: list[str] = texts) -> str:
            at = table.column(*names)
            return texts[at] if at is not None and at < len(texts) else ""

        name = said(*_NAME) or " ".join(part for part in (said(*_FIRST), said(*_LAST)) if part)
        id = next((text for one in _ID if (text := said(one))), "")
        if id and (name.casefold() not in _NOBODY or said("sis user id")):
            ids = {platform: text for platform, names in _PLATFORMS.items() if (text := said(*names))}
            if table.column("sis user id", "sis login id") is not None and said("id"):  # a gradebook of Canvas
                ids["canvas"] = said("id")
            yield Person(id=file_name(id), name=name, email=said(*_EMAIL), group=said(*_GROUP), ids=ids)


def _id_tokens(id: str, ids: Mapping[str, str]) -> Iterator[Token]:
    """List what tells a person of the roster by an id: those of platforms, and whatever the gradebook may call them."""
    yield "id", same_letters(id)
    for platform, value in ids.items():
        if value:
            yield platform, plain_id(platform, value)
            yield "id", same_letters(value)


def _told_ids(key: str, ids: Mapping[str, str]) -> Iterator[Token]:
    """List the ids under which a file came, each of its kind: a platform's own is nobody's id elsewhere."""
    foreign = {same_letters(value) for kind, value in ids.items() if kind in FOREIGN}
    if same_letters(key) not in foreign:
        yield "id", same_letters(key)
    for kind, value in ids.items():
        if value:
            yield kind, plain_id(kind, value)
            if kind not in FOREIGN:
                yield "id", same_letters(value)


def contradict(person: Person, ids: Mapping[str, str]) -> bool:
    """Tell whether a person has another id than these, of a kind of which everybody has one."""
    mine = {**person.ids, "email": person.email or person.ids.get("email", "")}
    both = [(mine[kind], ids[kind]) for kind in _FIRM if mine.get(kind) and ids.get(kind)]
    return any(same_letters(one.strip()) != same_letters(other.strip()) for one, other in both)


def plain_id(platform: str, value: str) -> str:
    """Return an id as it is compared; of Moodle's `Participant 123`, in any language, the number."""
    if platform == "moodle" and (numbers := _DIGITS.findall(value)):
        return str(int(numbers[-1]))
    return same_letters(value.strip())


def name_tokens(name: str) -> Iterator[Token]:
    """List the ways of writing a name as one word: given name first or family name first, with and without accents."""
    for text in (name, _without_accents(name)):
        letters = unicodedata.normalize("NFD", same_letters(text))  # one way to write a letter and its marks
        words = ["".join(filter(_is_of_a_word, word)) for word in letters.replace(",", " ").split()]
        words = [word for word in words if word]
        for at in range(len(words)):
            yield "name", "".join(words[at:] + words[:at])


def _is_of_a_word(letter: str) -> bool:
    """Tell whether a name is another one without it; so are the vowels of Hindi, which are marks."""
    return letter.isalnum() or unicodedata.category(letter).startswith("M")


def _without_accents(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", text) if one not in _ACCENTS).replace("ß", "ss")
