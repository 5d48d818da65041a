"""One person in all of a course: who is meant, what they are called, and everything that is held about them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import msgspec

from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.desk.standings import find_called, people_of
from redink.grader.evidence.packing import decode_sources
from redink.grader.rules.reading import read_course
from redink.grader.rules.roster import Person
from redink.grader.store.gradebook import Gradebook
from redink.records import Result


def find_person(course: Course, book: Gradebook, told: str) -> Person:
    """Find whom an instructor means, by an id, an address or a whole name, in the gradebook or the roster."""
    roster = read_course(course)[1]
    known = book.collected.identities()
    people = people_of(
        book, roster, [*known, *(one.id for one in (roster.people if roster else ()) if one.id not in known)]
    )
    return find_called(people, told, "this course")


def names_of(person: Person) -> frozenset[str]:
    """Return everything that a person is called."""
    return frozenset(filter(None, (person.id, person.name, person.email, *person.ids.values())))


def everything_about(course: Course, book: Gradebook, told: str) -> bytes:
    """Return all that a gradebook holds about a person as a zip: person.json, and the files that were collected.

    What checks saw is counted and not shown: it holds the hidden inputs, which belong to the course.
    """
    person = find_person(course, book, told)
    if person.id not in book.collected.identities():
        raise CourseError(f"the gradebook holds nothing about {person.id}")
    rows = book.purging.held(person.id)
    files = {row["submission"] for row in rows.pop("files")}
    seen = {"observations": len(rows.pop("observed"))}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in rows["submissions"]:
            if one["id"] in files:
                name = f"{one['assignment']}-{one['attempt']}-{one['id']}.ipynb"
                archive.writestr(name, book.collected.content(one["id"]) or b"")
        readable = {table: [_readable(row) for row in found] for table, found in rows.items()}
        text = json.dumps({"person": msgspec.to_builtins(person), **readable, **seen}, indent=1, ensure_ascii=False)
        archive.writestr("person.json", text)
    return packed.getvalue()


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its packed columns taken apart."""
    unpacked: dict[str, Callable[[bytes], Any]] = {
        "record": lambda data: msgspec.to_builtins(msgspec.msgpack.decode(data, type=Result)),
        "sources": lambda data: [cell.source for cell in decode_sources(data)],
        "cells": msgspec.msgpack.decode,
    }
    return {name: unpacked[name](value) if isinstance(value, bytes) else value for name, value in row.items()}
