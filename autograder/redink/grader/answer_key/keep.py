"""Where answer keys are kept: one file for each assignment and secret, in the course's private folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from redink.assignment.spec import read_spec
from redink.errors import CourseError
from redink.grader.answer_key.key import AnswerKey, decode_key, encode_key
from redink.grader.course import Course
from redink.grader.digests import box_stamp, digest, making_stamp

if TYPE_CHECKING:
    from redink.grader.answer_key.make import Observe

_PARTS = ("{slug}.py", "hidden_checks.py", "misconceptions.py")


def answer_key(course: Course, slug: str, observe: Observe, *, accept_older: bool = False) -> AnswerKey:
    """Return the key of an assignment under the course's secret: the kept one if it is still right, otherwise a new one.

    A kept key is used without running any of the author's files; when something has changed, only its part is made again.
    """
    path = _path(course, slug)
    kept, made_from = _read(path), sources_digest(course, slug)
    if kept is not None and kept.made_from == made_from and (accept_older or _is_of_today(kept)):
        return kept
    from redink.grader.answer_key.make import (
        make_answer_key,  # numpy and the author's files, only where they are needed
    )
    from redink.grader.assignment.assignment import read_assignment

    assignment = read_assignment(course, slug)
    key = make_answer_key(
        assignment, course.secret(), observe, kept=kept, made_from=made_from, accept_older=accept_older
    )
    if key != kept:
        _write(path, encode_key(key))
    return key


def _is_of_today(key: AnswerKey) -> bool:
    return all(part.stamp == box_stamp(key.spec.packages) for part in key.parts)


def sources_digest(course: Course, slug: str) -> str:
    """Return a digest of all files that an answer key is made from, and of our own code that makes it."""
    folder, solution = course.find_assignment(slug), course.solutions / slug
    spec = read_spec(folder)
    names = [folder / "assignment.toml", folder / "checks.py", *(folder / name for name in spec.data)]
    names += [solution / name.format(slug=slug) for name in _PARTS]
    return digest(making_stamp(spec.packages), *(part for path in names for part in (path.name, _content(path))))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # reported, with the file's name, when the assignment is read
        return b""


def _path(course: Course, slug: str) -> Path:
    return course.private_folder() / "keys" / f"{slug}-{course.secret_name()}.key"


def _read(path: Path) -> AnswerKey | None:
    """Read a kept key; one that this version cannot read is as good as none."""
    try:
        return decode_key(path.read_bytes(), str(path))
    except (FileNotFoundError, CourseError):
        return None


def _write(path: Path, data: bytes) -> None:
    """Write a key for its owner alone, whole or not at all."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    for left in path.parent.glob(f"{path.name}.[0-9]*"):  # by somebody who was killed
        if not Path(f"/proc/{left.suffix[1:]}").exists():
            left.unlink(missing_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.touch(mode=0o600)
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
