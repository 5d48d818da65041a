"""Gradescope, "Download Submissions": `submission_123/` folders, and submission_metadata.yml that says whose they are.

The file is read as a stream of events, of which only texts are kept: no type is guessed, nothing is built from a tag, and
a reference to another part (`*1`) stands for nothing, so that no few lines become a large tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
import yaml

from redink.errors import SubmissionError, in_one_sentence
from redink.grader.intake.layouts.choosing import choose_in_folder, ignored_of, take
from redink.grader.intake.layouts.gathered import Gathered, Ignored, Partner, Sought, Taken, gathered, number_attempts
from redink.grader.intake.layouts.plain import alone
from redink.grader.intake.layouts.walking import hidden, visible
from redink.grader.intake.tree import Tree
from redink.grader.rules.course_rules import believable
from redink.records import Record
from redink.texts import clean, file_name

METADATA = "submission_metadata.yml"
_FOLDER = re.compile(r"submission_\d+")
_LARGEST = 20 << 20  # bytes of the file
_DEEPEST, _MOST_EVENTS = 50, 2_000_000
_MOST_IN_A_GROUP = 20
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,6})?\d*\s*(Z|UTC|[+-]\d\d:?\d\d)?")


class Group(Record, frozen=True):
    """Who handed in a folder, and when."""

    people: tuple[Partner, ...] = ()
    handed_in: datetime | None = None


class Gradescope:
    """An export of all submissions from Gradescope."""

    name = "gradescope"
    title = "Gradescope export"

    def recognise(self, tree: Tree, sought: Sought) -> bool:
        """Tell whether the file of metadata is there, and most else is a folder of a submission."""
        names = [one.name for one in visible(tree)]
        return METADATA in names and 2 * sum(bool(_FOLDER.fullmatch(name)) for name in names) >= len(names) - 1

    def read(self, tree: Tree, sought: Sought) -> Gathered:
        """Find every folder's people, and everybody's folder."""
        told, problem = _metadata(tree)
        ignored: list[Ignored] = [Ignored(file=METADATA, reason=problem)] if problem else []
        taken: list[Taken] = []
        for entry in visible(tree):
            if entry.kind == "folder" and (entry.name in told or _FOLDER.fullmatch(entry.name)):
                choice = choose_in_folder(sought, tree, (entry.name,), file_name(entry.name))
                person = _person(tree, file_name(entry.name), told.pop(entry.name, None))
                taken.append(take(choice, person))
                ignored += ignored_of(choice, person.student)
            elif entry.kind == "refused":
                taken.append(alone(sought, tree, (entry.name,)))
            elif entry.name != METADATA:
                ignored.append(Ignored(file=file_name(entry.name), reason="not a folder of a submission"))
        for name, group in told.items():
            shown = file_name(name)
            missing = f"{METADATA} names {shown}, and there is no such folder"
            taken.append(msgspec.structs.replace(_person(tree, shown, group), problem=missing))
        return gathered(self.name, self.title, number_attempts(taken), [*ignored, *hidden(tree)])


def _person(tree: Tree, folder: str, group: Group | None) -> Taken:
    """Return a record without a file of whoever handed in a folder; of several, with all their names."""
    if group is None or not group.people:
        flag = f"{METADATA} does not say whose {folder} is"
        return Taken(student=folder, file=folder, tree=tree, place=(), flags=(flag,))
    people = group.people
    number = folder.removeprefix("submission_")
    first = people[0] if len(people) == 1 else Partner()
    return Taken(
        student=file_name("+".join(_key(one, folder) for one in people)),
        name=first.name,
        ids={**first.ids, "gradescope": number},
        file=folder,
        tree=tree,
        place=(),
        handed_in=group.handed_in,
        members=people if len(people) > 1 else (),
    )


def _key(person: Partner, folder: str) -> str:
    return person.ids.get("email") or person.ids.get("sis") or person.name or folder


def _metadata(tree: Tree) -> tuple[dict[str, Group], str]:
    """Read who handed in which folder, and why that cannot be known."""
    try:
        data = tree.read((METADATA,))
        if len(data) > _LARGEST:
            raise SubmissionError(f"is {len(data) >> 20} MB; {_LARGEST >> 20} MB are allowed")
        found = _built(data)
    except (SubmissionError, yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        return {}, f"cannot be read: {clean(in_one_sentence(error))}"
    except OSError as error:
        return {}, f"cannot be read: {error.strerror}"
    if not isinstance(found, dict):
        return {}, "cannot be read: it is no list of submissions"
    return {str(name): _group(about) for name, about in found.items() if isinstance(name, str)}, ""


def _group(about: Any) -> Group:
    fields = _fields(about)
    listed = fields.get("submitters")
    people = [_submitter(_fields(one)) for one in listed[:_MOST_IN_A_GROUP]] if isinstance(listed, list) else []
    return Group(people=tuple(people), handed_in=_time(fields.get("created_at")))


def _fields(about: Any) -> dict[str, Any]:
    """Return the fields of a record; their names begin with a colon, as Ruby writes them."""
    return {str(name).removeprefix(":"): value for name, value in about.items()} if isinstance(about, dict) else {}


def _submitter(fields: dict[str, Any]) -> Partner:
    texts = {name: clean(value, 200) for name, value in fields.items() if isinstance(value, str) and value.strip()}
    ids = {ours: texts[theirs] for theirs, ours in (("email", "email"), ("sid", "sis")) if theirs in texts}
    return Partner(name=texts.get("name"), ids=ids)


def _time(text: Any) -> datetime | None:
    found = _TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or not found[4]:
        return None
    zone = "+00:00" if found[4] in ("Z", "UTC") else found[4]
    try:
        return believable(datetime.fromisoformat(f"{found[1]}T{found[2]}{(found[3] or '.0').ljust(7, '0')}{zone}"))
    except ValueError:
        return None


def _built(data: bytes) -> Any:
    """Build the first document of texts, lists and mappings alone."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    top: list[Any] = []
    open_parts: list[list[Any]] = [top]
    for count, event in enumerate(_events(data, loader)):
        if count > _MOST_EVENTS or len(open_parts) > _DEEPEST:
            raise SubmissionError("holds too much, or is nested too deeply")
        if isinstance(event, yaml.ScalarEvent):
            open_parts[-1].append(event.value)
        elif isinstance(event, yaml.AliasEvent):
            open_parts[-1].append(None)
        elif isinstance(event, yaml.CollectionStartEvent):
            open_parts.append([])
        elif isinstance(event, yaml.CollectionEndEvent):
            part = open_parts.pop()
            open_parts[-1].append(_mapping(part) if isinstance(event, yaml.MappingEndEvent) else part)
        elif isinstance(event, yaml.DocumentEndEvent):
            break
    return top[0] if top else None


def _events(data: bytes, loader: Any) -> Iterator[Any]:
    yield from yaml.parse(data, Loader=loader)


def _mapping(part: list[Any]) -> dict[str, Any]:
    """Pair names and values; a name that is no text is left out."""
    return {name: value for name, value in zip(part[::2], part[1::2], strict=False) if isinstance(name, str)}
