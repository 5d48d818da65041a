"""An archive: its members by their places, as a tree. Nothing is unpacked but the file that is asked for, in memory.

What a member is called and how large it is are only claims. A path that leads out of the archive, or could elsewhere,
puts the whole member at the top, under its whole path, where reading it says why it is refused. A member's size is an
upper bound: `unpack` reads no more than that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from redink.errors import CourseError, SubmissionError
from redink.files import Kind, refuse_unless_file
from redink.grader.intake.tree import MOST_ENTRIES, Entry, Place
from redink.notebook import MAX_BYTES, too_large
from redink.records import Record

MOST_UNPACKED = 1 << 30  # bytes of all notebooks of an archive, or of all that a compressed tar holds
PIECE = 1 << 16  # bytes that are unpacked at once
UNPACK_IT = "unpack it, and grade the folder"
_DEEPEST, _LONGEST_PATH = 20, 1024
_LONGEST_NAME = 255  # bytes, as on a disk
_DRIVE = re.compile(r"[A-Za-z]:")
_TELLING: tuple[Kind, ...] = ("folder", "link")  # of two that have one name, this is the one that is a student's
_TWICE = "stands in the archive more than once; keep one"


class Packed(Record, frozen=True):
    """One member of an archive as it says of itself; `problem` says why it cannot be read."""

    path: str
    kind: Kind
    size: int = 0
    at: int = 0  # its place in the archive
    problem: str = ""


class Archive:
    """The members of an archive, as a `Tree`; `unpack` reads one of them, not more than its size."""

    def __init__(self, members: Iterable[Packed], unpack: Callable[[Packed], bytes]) -> None:
        self._unpack = unpack
        self._folders: dict[Place, dict[str, Packed]] = {(): {}}
        self._count = 0
        for member in members:
            self._add(member)
        unpacked = sum(one.size for folder in self._folders.values() for one in folder.values() if _is_notebook(one))
        if unpacked > MOST_UNPACKED:
            most = MOST_UNPACKED >> 20
            raise CourseError(f"holds {unpacked >> 20} MB of notebooks; {most} MB are allowed: {UNPACK_IT}")

    def entries(self, folder: Place = ()) -> list[Entry]:
        """List what lies directly in a folder."""
        if folder and (problem := self._member(folder).problem):
            raise SubmissionError(problem)
        members = self._folders.get(folder, {})
        return [Entry(name=name, kind=members[name].kind) for name in sorted(members)]

    def read(self, file: Place) -> bytes:
        """Unpack a file."""
        member = self._member(file)
        if member.problem:
            raise SubmissionError(member.problem)
        refuse_unless_file(member.kind)
        if member.size > MAX_BYTES:
            raise too_large(member.size)
        return self._unpack(member)

    def position(self, file: Place) -> int:
        """Tell where in the archive a file stands."""
        return self._member(file).at

    def _member(self, place: Place) -> Packed:
        return self._folders[place[:-1]][place[-1]]

    def _add(self, member: Packed) -> None:
        if problem := _problem(member.path):
            name = member.path if len(member.path) < 200 else f"{member.path[:100]}…{member.path[-90:]}"
            self._put((), name, Packed(path=name, kind="refused", problem=problem))
            return
        place = _place(member.path)
        for depth in range(1, len(place)):
            self._put(place[: depth - 1], place[depth - 1], Packed(path="", kind="folder"))
        if place:
            self._put(place[:-1], place[-1], member)

    def _put(self, folder: Place, name: str, member: Packed) -> None:
        members = self._folders.setdefault(folder, {})
        before = members.get(name)
        if before is None:
            self._count += 1
            if self._count > MOST_ENTRIES:
                raise CourseError(f"holds more than {MOST_ENTRIES} files and folders: {UNPACK_IT}")
        elif before.kind == member.kind == "folder":
            return
        else:
            kind = next((kind for kind in _TELLING if kind in (before.kind, member.kind)), before.kind)
            member = Packed(path=before.path, kind=kind, at=before.at, problem=before.problem or _TWICE)
        members[name] = member


def _place(path: str) -> Place:
    """Take a path apart; `./ada//perceptron.ipynb` is `ada/perceptron.ipynb`."""
    return tuple(name for name in path.split("/") if name not in ("", "."))


def _problem(path: str) -> str:
    """Say why nothing may stand at this path, if so."""
    if len(path) > _LONGEST_PATH or path.count("/") > _DEEPEST or any(map(_is_long, path.split("/"))):
        return "has a path that is too long"
    if path.startswith("/") or ".." in path.split("/"):
        return "has a path that leads out of the archive"
    if "\\" in path or "\0" in path or _DRIVE.match(path):
        return "has a path that means different things on different machines"
    return ""


def _is_long(name: str) -> bool:
    return len(name.encode("utf-8", "surrogateescape")) > _LONGEST_NAME


def _is_notebook(member: Packed) -> bool:
    return member.path.endswith(".ipynb") and member.kind == "file" and member.size <= MAX_BYTES
