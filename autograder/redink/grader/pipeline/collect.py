"""Stage 1: find the submissions: a notebook, or in a folder or an archive, notebooks and folders of one each."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from redink.errors import CourseError, SubmissionError, in_one_sentence
from redink.grader.intake.archive import Archive
from redink.grader.intake.folder import Folder
from redink.grader.intake.opening import open_tree
from redink.grader.intake.tree import MOST_ENTRIES, Entry, Place, Tree
from redink.records import Record
from redink.texts import clean, file_name

_NOTEBOOK = ".ipynb"
_MOST_FILES = 5_000  # directly in a student's folder
_ARCHIVE = re.compile(r"(\.tar)?\.\w+$")  # what follows the name of an archive


class Found(Record, frozen=True):
    """A file that was handed in, and whose (folder's name or file's stem); `problem` says why it cannot be used."""

    id: str
    file: str
    tree: Tree
    place: Place
    problem: str | None = None


class Notebooks(Record, frozen=True):
    """The notebooks of a folder: how many, and the one to read; `problem` says why they cannot be listed."""

    count: int = 0
    name: str = ""
    problem: str = ""


def collect(slug: str, path: Path) -> list[Found]:
    """List the submissions at `path`, each id once, as they are read fastest; a `problem` with one stops nobody else."""
    if not path.exists():
        raise CourseError(f"there is no {path}")
    if path.name.endswith(_NOTEBOOK) and not path.is_dir():
        real = path.resolve()
        return [_alone(slug, path.name, path.parent.resolve().name, Folder(real.parent), (real.name,))]
    tree = open_tree(path)
    owner = _ARCHIVE.sub("", path.name) if isinstance(tree, Archive) else path.resolve().name
    try:
        top = _top(slug, tree)
        found = _each_once(_students(slug, tree, top, top[-1] if top else owner))
        if isinstance(tree, Archive):
            tree.refuse_if_too_large(one.place for one in found if one.problem is None)
    except (CourseError, SubmissionError, OSError) as error:
        raise CourseError(f"{path} {in_one_sentence(error)}") from error
    if not found:
        raise CourseError(f"{path} holds no submission: no {_NOTEBOOK} file, and no folder with one in it")
    return sorted(found, key=lambda one: (tree.position(one.place), one.id))


def _students(slug: str, tree: Tree, top: Place, owner: str) -> list[Found]:
    """Find notebooks, links, which could be anything, and folders, which are students' if any of them holds a notebook."""
    entries = _visible(tree, top)
    alone = [(*top, one.name) for one in entries if one.name.endswith(_NOTEBOOK) or one.kind == "link"]
    if top:
        alone += [(one.name,) for one in tree.entries() if one.kind == "refused" and one.name.endswith(_NOTEBOOK)]
    folders = {
        one.name: _notebooks(slug, tree, (*top, one.name))
        for one in entries
        if one.kind == "folder" and not one.name.endswith(_NOTEBOOK)
    }
    handed_in = folders if any(one.count or one.problem for one in folders.values()) else {}
    return [
        *(_alone(slug, place[-1], owner, tree, place) for place in alone),
        *(_in_folder(slug, tree, (*top, name), notebooks) for name, notebooks in handed_in.items()),
    ]


def _visible(tree: Tree, folder: Place, most: int = MOST_ENTRIES) -> list[Entry]:
    """List a folder without what systems hide in it; a path that is refused may begin with dots."""
    return [
        one
        for one in tree.entries(folder, most)
        if one.kind == "refused" or not (one.name.startswith(".") or one.name == "__MACOSX")
    ]


def _notebooks(slug: str, tree: Tree, folder: Place) -> Notebooks:
    """Choose the notebook of a student's folder, the one named after the assignment if there are several."""
    try:
        entries = _visible(tree, folder, _MOST_FILES)
    except Exception as error:  # noqa: BLE001 - whatever one folder does, it does to itself
        return Notebooks(problem=clean(in_one_sentence(error)))
    names = [one.name for one in entries if one.name.endswith(_NOTEBOOK)]
    wanted = f"{slug}{_NOTEBOOK}"
    return Notebooks(count=len(names), name=wanted if wanted in names else names[0] if names else "")


def _top(slug: str, tree: Tree) -> Place:
    """Find where the class is: archives often have one folder around everything, which is not a student's.

    It is one only if it holds a single notebook, itself: whatever more there is may be somebody else's, and is listed.
    """
    entries = [one for one in _visible(tree, ()) if one.kind != "refused"]
    if isinstance(tree, Folder) or [one.kind for one in entries] != ["folder"]:
        return ()
    around = (entries[0].name,)
    try:
        inside = [one for one in _visible(tree, around) if one.kind != "refused"]
    except SubmissionError:
        return ()
    count = sum(one.name.endswith(_NOTEBOOK) for one in inside)
    folders = (one.name for one in inside if one.kind == "folder" and not one.name.endswith(_NOTEBOOK))
    alone = count == 1 and not any(_notebooks(slug, tree, (*around, name)).count for name in folders)
    return () if alone else around


def _alone(slug: str, name: str, owner: str, tree: Tree, place: Place) -> Found:
    """Name a notebook by its stem, or by the folder it is in when it is named after the assignment."""
    if name == f"{slug}{_NOTEBOOK}" and owner:
        return Found(id=file_name(owner), file=f"{file_name(owner)}/{name}", tree=tree, place=place)
    return Found(id=file_name(name.removesuffix(_NOTEBOOK)), file=file_name(name), tree=tree, place=place)


def _in_folder(slug: str, tree: Tree, folder: Place, notebooks: Notebooks) -> Found:
    """Name a student by a folder, and say what is wrong with its notebooks."""
    id, wanted = file_name(folder[-1]), f"{slug}{_NOTEBOOK}"
    problem = None
    if notebooks.problem:
        problem = f"the folder {id} cannot be read: {notebooks.problem}"
    elif not notebooks.count:
        problem = f"the folder {id} holds no notebook"
    elif notebooks.count > 1 and notebooks.name != wanted:
        problem = f"the folder {id} holds {notebooks.count} notebooks and none is called {wanted}; keep one"
    if not notebooks.count:
        return Found(id=id, file=id, tree=tree, place=folder, problem=problem)
    name = notebooks.name
    return Found(id=id, file=f"{id}/{file_name(name)}", tree=tree, place=(*folder, name), problem=problem)


def _each_once(found: list[Found]) -> list[Found]:
    """Make one submission, which cannot be graded, of those that have the same id."""
    by_id: dict[str, list[Found]] = defaultdict(list)
    for one in found:
        by_id[one.id].append(one)
    return [same[0] if len(same) == 1 else _twice(same) for same in by_id.values()]


def _twice(same: list[Found]) -> Found:
    first = same[0]
    files = " and ".join(one.file for one in same)
    problem = f"{first.id} was handed in more than once, as {files}; keep one of them"
    return Found(id=first.id, file=first.file, tree=first.tree, place=first.place, problem=problem)
