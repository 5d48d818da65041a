"""What lies below a student's folder, a few levels deep, and in the archives there: files, by what their names say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Literal

from redink.errors import SubmissionError, in_one_sentence
from redink.files import Kind
from redink.grader.intake.archive import Archive
from redink.grader.intake.layouts.gathered import SYSTEMS, Ignored
from redink.grader.intake.nested import Nested
from redink.grader.intake.tree import MOST_ENTRIES, Entry, Place, Tree
from redink.grader.intake.unpacking import UnpackingLimit
from redink.records import Record
from redink.texts import clean, file_name

Form = Literal["notebook", "script", "archive", "document", "handout", "other"]

MOST_FILES = 5_000  # of one student
MOST_ARCHIVES = 10  # of one student, that are opened
DEEPEST = 3  # levels below a student's folder, and again in each archive
_DEEPEST_ARCHIVE = 2  # an archive in an archive, and no further
_SAVED_AS = (".ipynb.txt", ".ipynb.json")
_HANDOUT = ("assignment.toml", "checks.py", "published.json", "readme.md")
_FORMS: dict[str, Form] = {
    ".ipynb": "notebook", ".py": "script",
    ".zip": "archive", ".tar": "archive", ".tgz": "archive", ".gz": "archive", ".bz2": "archive", ".xz": "archive",
    ".html": "document", ".htm": "document", ".pdf": "document", ".doc": "document", ".docx": "document",
    ".odt": "document", ".rtf": "document", ".pages": "document", ".rar": "document", ".7z": "document",
}  # fmt: skip
_DOCUMENTS = {
    ".html": "a web page", ".htm": "a web page", ".pdf": "a PDF", ".rar": "an archive that cannot be opened here",
    ".7z": "an archive that cannot be opened here",
}  # fmt: skip


class File(Record, frozen=True):
    """One file of a student: where it is, its own name, how it is shown, and how deep it lies."""

    tree: Tree
    place: Place
    name: str
    shown: str
    kind: Kind = "file"
    depth: int = 0
    packed: int = 0  # archives of the student's that it lies in

    @property
    def form(self) -> Form:
        """Tell what the file is by its name."""
        return form_of(self.name)


class Walked(Record, frozen=True):
    """The files below a folder, what was passed over, and why the folder cannot be listed, if so."""

    files: tuple[File, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    problem: str = ""


def form_of(name: str) -> Form:
    """Tell what a file is by its name."""
    if name.lower() in _HANDOUT:
        return "handout"
    if as_saved(name) != name:
        return "notebook"
    return _FORMS.get(PurePosixPath(name).suffix.lower(), "other")


def as_saved(name: str) -> str:
    """Return the name of a notebook without the second ending that a browser or a system gave it when it was saved."""
    return name.rpartition(".")[0] if name.lower().endswith(_SAVED_AS) else name


def described(name: str) -> str:
    """Say what a document is that is no notebook."""
    return _DOCUMENTS.get(PurePosixPath(name).suffix.lower(), "a text document")


def is_systems(name: str) -> bool:
    """Tell whether a name is one that systems and programs leave behind."""
    return name.startswith(".") or name in ("__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini")


def visible(tree: Tree, folder: Place = (), most: int = MOST_ENTRIES) -> list[Entry]:
    """List a folder without what systems hide in it; a path that is refused may begin with dots."""
    return [one for one in tree.entries(folder, most) if one.kind == "refused" or not is_systems(one.name)]


def hidden(tree: Tree, folder: Place = ()) -> list[Ignored]:
    """List what systems hide in a folder."""
    found = [one for one in tree.entries(folder) if one.kind != "refused" and is_systems(one.name)]
    return [Ignored(file=file_name(one.name), reason=SYSTEMS) for one in found]


def walk(tree: Tree, folder: Place, shown: str) -> Walked:
    """List the files below a folder, nearest first; what cannot be listed further down is passed over."""
    files: list[File] = []
    ignored: list[Ignored] = []
    waiting = [(folder, shown)]
    for place, path in waiting:  # which grows meanwhile
        depth = len(place) - len(folder)
        try:
            entries = tree.entries(place, MOST_FILES if not depth else max(0, MOST_FILES - len(files)))
        except Exception as error:  # noqa: BLE001 - whatever one folder does, it does to itself
            if not depth:
                return Walked(problem=clean(in_one_sentence(error)))
            ignored.append(Ignored(file=path, reason=f"cannot be looked into: {clean(in_one_sentence(error))}"))
            continue
        for one in entries:
            below = f"{path}/{file_name(one.name)}" if path else file_name(one.name)
            if one.kind != "refused" and is_systems(one.name):
                ignored.append(Ignored(file=below, reason=SYSTEMS))
            elif one.kind != "folder" or form_of(one.name) == "notebook":
                kind = one.kind
                files.append(
                    File(tree=tree, place=(*place, one.name), name=one.name, shown=below, kind=kind, depth=depth)
                )
            elif depth < DEEPEST and len(waiting) < MOST_FILES:
                waiting.append(((*place, one.name), below))
            else:
                ignored.append(Ignored(file=below, reason="lies too deep"))
    return Walked(files=tuple(files), ignored=tuple(ignored))


def unpacked(files: Sequence[File], allowance: UnpackingLimit) -> Walked:
    """List what lies in the archives among the files, and in archives in these; each is held no longer than it is listed."""
    found: list[File] = []
    ignored: list[Ignored] = []
    waiting = [one for one in files if one.form == "archive"]
    for opened, one in enumerate(waiting):  # which grows meanwhile
        if opened >= MOST_ARCHIVES:
            ignored.append(Ignored(file=one.shown, reason=f"more than {MOST_ARCHIVES} archives"))
            continue
        nested = Nested(one.tree, one.place, allowance)
        try:
            archive = nested.open()
        except SubmissionError as error:
            ignored.append(Ignored(file=one.shown, reason=str(error)))
            continue
        except Exception as error:  # noqa: BLE001 - whatever one file does, it does to itself
            ignored.append(Ignored(file=one.shown, reason=f"cannot be read: {clean(in_one_sentence(error))}"))
            continue
        walked = walk(archive, (), one.shown)
        inside = list(_inside(nested, one, walked.files))
        found += inside
        ignored += [*walked.ignored, *left_out(archive, one.shown)]
        if one.packed + 1 < _DEEPEST_ARCHIVE:
            waiting += [deeper for deeper in inside if deeper.form == "archive"]
    return Walked(files=tuple(found[:MOST_FILES]), ignored=tuple(ignored))


def left_out(tree: Tree, shown: str = "the archive") -> list[Ignored]:
    """List what an archive holds at paths that are refused, and that is no notebook."""
    count = tree.left_out if isinstance(tree, Archive) else 0
    reason = "at paths that lead out of the archive, or could elsewhere"
    return [Ignored(file=shown, reason=reason, count=count)] if count else []


def _inside(nested: Nested, archive: File, files: Sequence[File]) -> Iterator[File]:
    for one in files:
        yield File(
            tree=nested,
            place=one.place,
            name=one.name,
            shown=one.shown,
            kind=one.kind,
            depth=archive.depth + 1 + one.depth,
            packed=archive.packed + 1,
        )
