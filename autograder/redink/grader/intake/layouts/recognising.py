"""Choosing the layout: recognised by what a source holds, most specific first, the plain folder last, or insisted on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from redink.errors import CourseError, SubmissionError, in_one_sentence
from redink.grader.intake.archive import Archive
from redink.grader.intake.folder import Folder
from redink.grader.intake.layouts import repositories
from redink.grader.intake.layouts.canvas import Canvas
from redink.grader.intake.layouts.classroom import Classroom
from redink.grader.intake.layouts.gathered import Gathered, Ignored, Layout, Sought, gathered
from redink.grader.intake.layouts.gradescope import Gradescope
from redink.grader.intake.layouts.moodle import Moodle
from redink.grader.intake.layouts.nbgrader import Nbgrader
from redink.grader.intake.layouts.pattern import Pattern
from redink.grader.intake.layouts.plain import Plain, alone
from redink.grader.intake.layouts.walking import form_of, left_out, visible
from redink.grader.intake.nested import Below, Nested
from redink.grader.intake.opening import open_tree
from redink.grader.intake.tree import Place, Tree
from redink.grader.plug_ins import plug_ins
from redink.texts import file_name

GROUP = "redink.intake"  # entry points of other packages, each a layout or a class of one
_BUILT_IN: tuple[Layout, ...] = (Gradescope(), Moodle(), Canvas(), Nbgrader(), Classroom())
_PLAIN = Plain()
_AROUND = 4  # folders around a class at most
_KEPT = ("extracted", "archive", "downloaded", "submitted")  # folders of nbgrader's, best first
_ARCHIVE = re.compile(r"(\.tar)?\.\w+$")  # what follows the name of an archive


def gather(
    sought: Sought, source: Path, *, insist: str | None = None, names: str | None = None, before: datetime | None = None
) -> Gathered:
    """Find everybody's files in a source; `CourseError` says why nothing can be found in it."""
    layout = Pattern(names) if names is not None else _insisted(insist)
    if not source.exists():
        raise CourseError(f"there is no {source}")
    if insist == repositories.NAME or (insist is None and names is None and source.is_file() and _is_list(source)):
        lines = repositories.read_list(source)
        if not lines:
            raise CourseError(f"{source} names no repository")
        return repositories.read_repositories(lines, sought, before, source)
    if before is not None:
        raise CourseError(f"{source} is no list of repositories: only of these can an earlier state be taken")
    if form_of(source.name) in ("notebook", "script", "handout") and not source.is_dir():
        return _one_file(sought, source)
    source = _only_archive(source)
    tree = open_tree(source)
    owner = _ARCHIVE.sub("", source.name) if isinstance(tree, Archive) else source.resolve().name
    try:
        return _read(msgspec.structs.replace(sought, owner=owner), tree, layout)
    except (CourseError, SubmissionError, OSError) as error:
        raise CourseError(f"{source} {in_one_sentence(error)}") from error


def layouts() -> dict[str, Layout]:
    """Return the layouts that can be insisted on, by name: ours, and those of other packages."""
    ours: dict[str, Layout] = {one.name: one for one in _BUILT_IN}
    others = {name: one for name, one in plug_ins(GROUP, "layout").items() if name not in ours}
    return {**ours, **others, _PLAIN.name: _PLAIN}


def _insisted(insist: str | None) -> Layout | None:
    if insist is None or insist == repositories.NAME:
        return None
    known = layouts()
    if insist not in known:
        raise CourseError(f"there is no layout {insist!r}; there are {', '.join([*known, repositories.NAME])}")
    return known[insist]


def _is_list(source: Path) -> bool:
    return form_of(source.name) == "other" and repositories.is_list(source)


def _one_file(sought: Sought, source: Path) -> Gathered:
    """Take the one file that was named; its path may be a link, for whoever typed it meant that."""
    real = source.resolve()
    sought = msgspec.structs.replace(sought, owner=source.parent.resolve().name)
    one = alone(sought, Folder(real.parent), (source.name,))
    return gathered("file", "One file", [msgspec.structs.replace(one, place=(real.name,))], [])


def _only_archive(source: Path) -> Path:
    """Return the archive in a folder that holds nothing else: a download in a folder of its own."""
    if not source.is_dir():
        return source
    try:
        found = [one for one in visible(Folder(source)) if form_of(one.name) != "handout"]
    except (SubmissionError, OSError):
        return source
    if len(found) == 1 and found[0].kind == "file" and form_of(found[0].name) == "archive":
        return source / found[0].name
    return source


def _read(sought: Sought, tree: Tree, layout: Layout | None) -> Gathered:
    """Read a tree by the layout that was insisted on, else by the first that knows it at some depth."""
    tree = _unwrapped(tree)
    for top, below in _tops(tree, sought):
        chosen = layout or _recognised(below, sought)
        if chosen is not None and (layout is None or layout.recognise(below, sought)):
            return _finished(sought, tree, top, chosen.read(below, sought))
    top = _plain_top(tree, sought)
    owned = msgspec.structs.replace(sought, owner=top[-1]) if top else sought
    return _finished(sought, tree, top, (layout or _PLAIN).read(Below(tree, top) if top else tree, owned))


def _unwrapped(tree: Tree) -> Tree:
    """Return the archive in an archive that holds nothing else."""
    found = visible(tree)
    if isinstance(tree, Archive) and [(one.kind, form_of(one.name)) for one in found] == [("file", "archive")]:
        return Nested(tree, (found[0].name,)).open()
    return tree


def _recognised(tree: Tree, sought: Sought) -> Layout | None:
    return next((one for one in layouts().values() if one is not _PLAIN and one.recognise(tree, sought)), None)


def _tops(tree: Tree, sought: Sought) -> Iterator[tuple[Place, Tree]]:
    """List where a class may begin: at the top, or below folders that stand alone or are known to be around one."""
    top: Place = ()
    for _ in range(_AROUND):
        below = Below(tree, top) if top else tree
        yield top, below
        try:
            entries = [one for one in visible(tree, top) if one.kind != "refused"]
        except (SubmissionError, OSError):
            return
        folders = {one.name for one in entries if one.kind == "folder"}
        kept = next(
            (name for name in (*_KEPT, sought.slug) if name in folders and _is_around(name, folders, top)), None
        )
        if kept is None and not (len(entries) == 1 and folders):
            return
        top = (*top, kept or entries[0].name)


def _is_around(name: str, folders: set[str], top: Place) -> bool:
    """Tell whether a folder is one of nbgrader's, and not a student's who is called like that."""
    if name == "submitted":
        return bool(folders & {"release", "source", "autograded", "feedback"}) or len(folders) == 1
    if name in ("extracted", "archive"):
        return folders <= {"extracted", "archive"}
    return name == "downloaded" or "downloaded" in top


def _plain_top(tree: Tree, sought: Sought) -> Place:
    """Find where a plain class begins: archives often have one folder around everything, which is not a student's.

    It is one only if it holds a single notebook, itself: whatever more there is may be somebody else's, and is listed.
    """
    entries = [one for one in visible(tree) if one.kind != "refused"]
    tops = [one.name for one in entries if one.kind == "folder" and form_of(one.name) != "notebook"]
    if len(tops) != 1:
        return ()
    around = (tops[0],)
    try:
        inside = [one for one in visible(tree, around) if one.kind != "refused"]
    except (SubmissionError, OSError):
        return ()
    notebooks = [one.name for one in inside if form_of(one.name) == "notebook"]
    folders = [one.name for one in inside if one.kind == "folder" and one.name not in notebooks]
    written = sum(_holds_a_notebook(tree, (*around, name)) for name in folders)
    if len(entries) > 1:  # something beside it: then it must be a class beyond doubt
        return around if len(notebooks) + written > 1 else ()
    if (len(notebooks) == 1 and not written) or (not notebooks and folders == [sought.slug]):
        return ()
    if isinstance(tree, Archive):
        return around if notebooks or folders else ()
    return around if not notebooks and len(folders) > 1 else ()


def _holds_a_notebook(tree: Tree, folder: Place) -> bool:
    try:
        return any(form_of(one.name) == "notebook" for one in visible(tree, folder))
    except (SubmissionError, OSError):
        return True  # it is somebody's, and that cannot be read


def _finished(sought: Sought, tree: Tree, top: Place, found: Gathered) -> Gathered:
    """Add what lies beside the folder around a class: notebooks, refused paths, other files, and what has no name."""
    beside = [one for one in visible(tree) if one.name != top[0]] if top else []
    if not beside and not left_out(tree):
        return found
    loose = [one for one in beside if one.kind in ("refused", "link") or form_of(one.name) == "notebook"]
    strays = [alone(sought, tree, (one.name,)) for one in loose]
    others = [
        Ignored(file=file_name(one.name), reason="beside the folder of the class") for one in beside if one not in loose
    ]
    return msgspec.structs.replace(
        found, taken=(*found.taken, *strays), ignored=(*found.ignored, *others, *left_out(tree))
    )
