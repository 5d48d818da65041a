"""A repository on disk, copied before git sees it: objects and names of commits in its own folder, and nothing else.

Git goes where a repository says: `commondir`, `gitdir` and `objects/info/alternates` name other repositories, `include.path`
other settings, and a link anything. So what git reads is a copy that we have made, file by file and through no link, of what
is listed here, with settings of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from redink.errors import SubmissionError
from redink.files import refuse_unless_file
from redink.grader.intake.folder import Folder
from redink.grader.intake.tree import MOST_ENTRIES, Entry, Place, too_many
from redink.texts import file_name

_KEPT = re.compile(
    r"HEAD|packed-refs|shallow|refs/.+|reftable/[^/]+|objects/[0-9a-f]{2}/[0-9a-f]{38,62}|objects/pack/[^/]+\.(pack|idx)",
    re.DOTALL,
)
_LOOKED_INTO = re.compile(r"refs(/.+)?|reftable|objects(/([0-9a-f]{2}|pack|info))?", re.DOTALL)
_DEEPEST = 20  # folders that the name of a branch may lie in
_ELSEWHERE = {
    "commondir": "is a part of another repository (commondir); hand in that one's clone",
    "gitdir": "is a part of another repository (gitdir); hand in that one's clone",
    "objects/info/alternates": "has its objects in another one (alternates); clone it without --shared or --reference",
    "objects/info/http-alternates": "has its objects in another one (http-alternates); clone it again",
}
_SETTINGS = """[core]
repositoryformatversion = 1
bare = true
bigFileThreshold = 16m
[pack]
threads = 1
windowMemory = 64m
"""


def copy_repository(source: Path, target: Path, most: int) -> None:
    """Copy a repository of at most so many bytes; `SubmissionError` says what in it is not its own."""
    try:
        _copy(source, target, most)
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}") from error


def _copy(source: Path, target: Path, most: int) -> None:
    if source.is_symlink():
        raise SubmissionError("is a link, and links are not followed")
    tree = Folder(source)
    top = _top(tree)
    left = most
    for place in _own_files(tree, top):
        path = target.joinpath(*place)
        path.parent.mkdir(parents=True, exist_ok=True)
        left -= tree.copy((*top, *place), path, left)
    for name in ("objects", "refs"):
        (target / name).mkdir(parents=True, exist_ok=True)
    extensions = [
        "objectFormat = sha256" if _is_sha256(tree, top) else "",
        "refStorage = reftable" if (target / "reftable").exists() else "",
    ]
    (target / "config").write_text("\n".join([_SETTINGS, "[extensions]", *extensions, ""]), encoding="ascii")


def _top(tree: Folder) -> Place:
    """Find where in a folder the repository itself is."""
    inner = {one.name: one.kind for one in tree.entries()}.get(".git")
    if inner is None:
        return ()
    if inner != "folder":
        raise SubmissionError("has a .git that leads elsewhere, to another folder; hand in a repository of its own")
    return (".git",)


def _own_files(tree: Folder, top: Place) -> Iterator[Place]:
    """List what is copied; whatever leads elsewhere is refused."""
    waiting: list[Place] = [()]
    count = 0
    for folder in waiting:  # which grows meanwhile
        for one in tree.entries((*top, *folder)):
            place = (*folder, one.name)
            path = "/".join(place)
            count += 1
            if count > MOST_ENTRIES:
                raise too_many(MOST_ENTRIES)
            if path in _ELSEWHERE:
                raise SubmissionError(_ELSEWHERE[path])
            if one.kind == "folder" and _LOOKED_INTO.fullmatch(path) and len(place) < _DEEPEST:
                waiting.append(place)
            elif one.kind != "folder" and (_KEPT.fullmatch(path) or _LOOKED_INTO.fullmatch(path)):
                _refuse_unless_file(one, path)
                if _KEPT.fullmatch(path):
                    yield place


def _refuse_unless_file(one: Entry, path: str) -> None:
    try:
        refuse_unless_file(one.kind)
    except SubmissionError as error:
        raise SubmissionError(f"cannot be read: its {file_name(path)} {error}") from error


def _is_sha256(tree: Folder, top: Place) -> bool:
    """Tell whether names of objects are of the longer kind: the one setting that says how to read a repository."""
    try:
        settings = tree.read((*top, "config"))
    except SubmissionError:
        return False
    return re.search(rb"(?im)^\s*objectformat\s*=\s*sha256\s*$", settings) is not None
