"""A platform that we do not know, by a pattern of its names: `{name}_{id}_{file}`, or `{id}/{file}` where it makes folders.

A name is read in every way in which the pattern fits. Only `{name}` and `{file}` may hold what stands between two fields,
and an `{id}` is a number wherever it can be one; what then still fits in two ways is told, and not guessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from redink.errors import CourseError
from redink.grader.intake.layouts.choosing import choose, ignored_of, take
from redink.grader.intake.layouts.gathered import Gathered, Ignored, Sought, Taken, gathered
from redink.grader.intake.layouts.walking import File, walk
from redink.grader.intake.tree import Tree
from redink.texts import clean, file_name

_FIELDS = ("name", "id", "email", "attempt", "file", "skip")
_ANY = ("name", "file", "skip")  # fields that may hold what stands after them
_PART = re.compile(r"\{(?P<field>[^{}]*)\}|(?P<text>[^{}]+)|(?P<odd>[{}])")
_MOST_WAYS = 50
Fields = dict[str, str]


class Pattern:
    """The layout that a pattern describes."""

    name = "names"

    def __init__(self, pattern: str) -> None:
        self.title = f"Files named {clean(pattern, 60)}"
        self._parts = _parsed(pattern)

    def recognise(self, tree: Tree, sought: Sought) -> bool:
        """Return False: a pattern is never guessed."""
        return False

    def read(self, tree: Tree, sought: Sought) -> Gathered:
        """Find everybody whose files' names fit."""
        walked = walk(tree, (), "")
        if walked.problem:
            raise CourseError(f"cannot be read: {walked.problem}")
        ignored = list(walked.ignored)
        taken: list[Taken] = []
        attempts: dict[tuple[str, int | None], list[tuple[Fields, File]]] = defaultdict(list)
        for file in walked.files:
            path = "/".join(file.place)
            ways = self._ways(path)
            if not ways:
                ignored.append(Ignored(file=file.shown, reason="does not fit the pattern"))
            elif len(ways) > 1:
                taken.append(_ambiguous(file, ways))
            else:
                attempts[_student(ways[0]), _attempt(ways[0])].append((ways[0], file))
        for (student, attempt), found in attempts.items():
            choice = choose(sought, [_renamed(*one) for one in found], f"the hand-in of {student}")
            taken.append(take(choice, _person(tree, student, attempt, found[0][0])))
            ignored += ignored_of(choice, student)
        return gathered(self.name, self.title, taken, ignored)

    def _ways(self, path: str) -> list[Fields]:
        """Read a path in every way that fits, the best kind of them."""
        ways = []
        for fields in _readings(self._parts, path):
            if fields not in ways:
                ways.append(fields)
            if len(ways) >= _MOST_WAYS:
                break
        for better in (lambda way: way.get("id", "0").isdigit(), lambda way: "@" in way.get("email", "@")):
            ways = [way for way in ways if better(way)] or ways
        return [way for way in ways if way.get("attempt", "1").isdigit()]


def _parsed(pattern: str) -> list[tuple[str, str]]:
    """Take a pattern apart into (field, "") and ("", text); `CourseError` says what is wrong with it."""
    parts: list[tuple[str, str]] = []
    for found in _PART.finditer(pattern):
        field, text = found["field"], found["text"]
        if found["odd"] or (field is not None and field not in _FIELDS):
            known = ", ".join(f"{{{one}}}" for one in _FIELDS)
            odd = "a brace lacks its other half" if found["odd"] else f"{{{clean(field, 40)}}} is no field"
            raise _wrong(pattern, f"{odd}; the fields are {known}")
        if field and parts and parts[-1][0]:
            raise _wrong(pattern, f"nothing stands between {{{parts[-1][0]}}} and {{{field}}}")
        parts.append((field or "", text or ""))
    fields = [field for field, _ in parts if field]
    if twice := [field for field in fields if field != "skip" and fields.count(field) > 1]:
        raise _wrong(pattern, f"{{{twice[0]}}} stands in it twice")
    if "file" not in fields or not {"name", "id", "email"} & set(fields):
        raise _wrong(pattern, "it must have {file}, and {name}, {id} or {email}")
    return parts


def _wrong(pattern: str, why: str) -> CourseError:
    return CourseError(
        f"the pattern {clean(pattern, 100)!r} cannot be used: {why}; for example {{name}}_{{id}}_{{file}}"
    )


def _readings(parts: Sequence[tuple[str, str]], rest: str) -> Iterator[Fields]:
    """Fit the parts to a text, one after the other, shortest first."""
    if not parts:
        yield from [] if rest else [{}]
        return
    (field, text), further = parts[0], parts[1:]
    if not field:
        yield from _readings(further, rest[len(text) :]) if rest.startswith(text) else []
        return
    for end in _ends(field, further, rest):
        for more in _readings(further, rest[end:]):
            yield {**more, field: rest[:end]}


def _ends(field: str, further: Sequence[tuple[str, str]], rest: str) -> Iterator[int]:
    """List where a field may end: before what stands after it; only a file's name may go through folders."""
    most = len(rest) if field == "file" or "/" not in rest else rest.index("/")
    if not further:
        yield from [len(rest)] if 0 < len(rest) <= most else []
        return
    at = rest.find(further[0][1], 1)
    while 0 < at <= most:
        yield at
        at = rest.find(further[0][1], at + 1) if field in _ANY else 0


def _student(fields: Fields) -> str:
    return file_name("_".join(fields[one] for one in ("name", "id") if one in fields) or fields["email"])


def _attempt(fields: Fields) -> int | None:
    return int(fields["attempt"][:9]) if "attempt" in fields else None


def _renamed(fields: Fields, file: File) -> File:
    return msgspec.structs.replace(file, name=fields["file"].rpartition("/")[2], depth=fields["file"].count("/"))


def _person(tree: Tree, student: str, attempt: int | None, fields: Fields) -> Taken:
    ids = {one: file_name(told) for one, told in fields.items() if one in ("id", "email")}
    name = file_name(fields["name"]) if "name" in fields else None
    return Taken(student=student, name=name, ids=ids, file=student, tree=tree, place=(), attempt=attempt)


def _ambiguous(file: File, ways: Sequence[Fields]) -> Taken:
    shown = " or ".join(
        ", ".join(f"{field} {clean(way[field], 40)}" for field in _FIELDS if field in way) for way in ways[:2]
    )
    problem = f"{file.shown} fits the pattern in {len(ways)} ways: {shown}"
    return Taken(student=file.shown, file=file.shown, tree=file.tree, place=file.place, problem=problem)
