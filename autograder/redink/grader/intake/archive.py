"""An archive: its members by their places, as a tree. Nothing is unpacked but the file that is asked for, in memory.

What a member is called and how large it is are only claims. A notebook whose path leads out of the archive, or could
elsewhere, is refused in the folder where its path is still harmless, at the top if nowhere; reading it says why. A folder
holds one that is refused and the count of the others, so that they are nobody's but its own. A member's size is an upper
bound: `unpack` reads no more than that.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable

from redink.errors import CourseError, SubmissionError
from redink.files import Kind, refuse_unless_file
from redink.grader.intake.tree import MOST_ENTRIES, Entry, Place, too_many
from redink.notebook import MAX_BYTES, too_large
from redink.records import Record

MOST_UNPACKED = 1 << 30  # bytes of all notebooks that are read, or of all that a compressed tar holds
PIECE = 1 << 16  # bytes that are unpacked at once
UNPACK_IT = "unpack it, and grade the folder"
_DEEPEST, _LONGEST_PATH = 20, 1024
_LONGEST_NAME = 255  # bytes, as on a disk
_STUDENT = 2  # a student's folder is no deeper: there may be one around all of them
_DRIVE = re.compile(r"[A-Za-z]:")
_TELLING: tuple[Kind, ...] = ("folder", "link")  # of two that have one name, this is the one that is a student's
_REFUSED = "/"  # the path of those that have none
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
        self.left_out = 0  # files that are no notebooks and have paths that are refused
        self._refused: Counter[Place] = Counter()
        for member in members:
            self._add(member)

    def entries(self, folder: Place = (), most: int = MOST_ENTRIES) -> list[Entry]:
        """List what lies directly in a folder."""
        if folder and (problem := self._member(folder).problem):
            raise SubmissionError(problem)
        members = self._folders.get(folder, {})
        if len(members) > most:
            raise too_many(most)
        return [Entry(name=name, kind=members[name].kind) for name in sorted(members)]

    def read(self, file: Place) -> bytes:
        """Unpack a file."""
        member = self._member(file)
        if member.problem:
            others = self._refused[file[:-1]] - 1 if member.path == _REFUSED else 0
            raise SubmissionError(member.problem + (f" (and {others} more like it)" if others else ""))
        refuse_unless_file(member.kind)
        if member.size > MAX_BYTES:
            raise too_large(member.size)
        return self._unpack(member)

    def position(self, file: Place) -> int:
        """Tell where in the archive a file stands."""
        return self._member(file).at

    def size(self, file: Place) -> int:
        """Return what a file claims to unpack to; one that is refused, or too large alone, is not unpacked at all."""
        member = self._member(file)
        return member.size if member.kind == "file" and not member.problem and member.size <= MAX_BYTES else 0

    def _member(self, place: Place) -> Packed:
        return self._folders[place[:-1]][place[-1]]

    def _add(self, member: Packed) -> None:
        if problem := _problem(member.path):
            self._refuse(member.path, problem)
            return
        place = _place(member.path)
        if place:
            self._put_folders(place[:-1])
            self._put(place[:-1], place[-1], member)

    def _refuse(self, path: str, problem: str) -> None:
        """Note a notebook that may not stand where its path says; other files are only counted."""
        if not path.endswith(".ipynb"):
            self.left_out += 1
            return
        folder = _harmless(path)
        self._refused[folder] += 1
        if self._refused[folder] > 1:
            self._count_one()
            return
        name = "/".join(_place(path)[len(folder) :]) if folder else path
        shown = name if len(name) < 200 else f"{name[:100]}…{name[-90:]}"
        self._put_folders(folder)
        self._put(folder, shown, Packed(path=_REFUSED, kind="refused", problem=problem))

    def _count_one(self) -> None:
        self._count += 1
        if self._count > MOST_ENTRIES:
            raise CourseError(f"holds more than {MOST_ENTRIES} files and folders: {UNPACK_IT}")

    def _put_folders(self, place: Place) -> None:
        for depth in range(len(place)):
            self._put(place[:depth], place[depth], Packed(path="", kind="folder"))

    def _put(self, folder: Place, name: str, member: Packed) -> None:
        members = self._folders.setdefault(folder, {})
        before = members.get(name)
        if before is None:
            self._count_one()
        elif before.kind == member.kind == "folder":
            return
        else:
            kind = next((kind for kind in _TELLING if kind in (before.kind, member.kind)), before.kind)
            member = Packed(path=before.path, kind=kind, at=before.at, problem=before.problem or _TWICE)
        members[name] = member


def _place(path: str) -> Place:
    """Take a path apart; `./ada//perceptron.ipynb` is `ada/perceptron.ipynb`."""
    return tuple(name for name in path.split("/") if name not in ("", "."))


def _harmless(path: str) -> Place:
    """Find the folder, a student's at the deepest, up to which a path that is refused could be followed."""
    folders = _place(path)[:-1]
    if path.startswith("/") or ".." in path.split("/") or len(path) > _LONGEST_PATH or path.count("/") > _DEEPEST:
        return ()
    return tuple(itertools.takewhile(lambda name: not _problem(name), folders))[:_STUDENT]


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
