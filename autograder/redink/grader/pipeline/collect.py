"""Stage 1: find the submissions in whatever an instructor has: a notebook, a folder, an archive, a platform's download.

`grader/intake/layouts/` knows the platforms; here everybody's last attempt becomes what the next stages read.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from redink.errors import CourseError
from redink.grader.intake.archive import MOST_UNPACKED, UNPACK_IT
from redink.grader.intake.layouts.gathered import Gathered, Sought, Taken, newest
from redink.grader.intake.layouts.recognising import gather
from redink.grader.intake.tree import Place, Tree
from redink.records import Record


class Found(Record, frozen=True):
    """A file that was handed in, and whose; `problem` says why it cannot be used."""

    id: str
    file: str
    tree: Tree
    place: Place
    problem: str | None = None


class Collected(Record, frozen=True):
    """The last attempt of everybody, and all that was gathered."""

    found: tuple[Found, ...]
    gathered: Gathered


def collect(
    slug: str,
    source: Path,
    *,
    names_asked: Iterable[str] = (),
    insist: str | None = None,
    names: str | None = None,
    before: datetime | None = None,
) -> Collected:
    """List the submissions in a source, each student once, as they are read fastest; a `problem` stops nobody else.

    `insist` names a layout, `names` is a pattern for one that has no name, `before` chooses commits of repositories, and
    `names_asked` are those of questions and functions, by which a notebook is told from another.
    """
    sought = Sought(slug=slug, names=frozenset(names_asked))
    gathered = gather(sought, source, insist=insist, names=names, before=before)
    found = [_found(same) for same in newest(gathered.taken).values()]
    if not found:
        ignored = "".join(f"; {line}" for line in gathered.lines()[1:])
        what = "no notebook (.ipynb) or script (.py), and no folder with one in it"
        raise CourseError(f"{source} holds no submission: {what}{ignored}")
    _refuse_if_too_large(source, found)
    ordered = sorted(found, key=lambda one: (one.tree.position(one.place) if one.place else 0, one.id))
    return Collected(found=tuple(ordered), gathered=gathered)


def _found(same: list[Taken]) -> Found:
    """Make one submission of a student's last attempt; of several that cannot be told apart, one that says so."""
    first = same[0]
    problem = first.problem
    if len(same) > 1:
        files = " and ".join(one.file for one in same)
        problem = f"{first.student} was handed in more than once, as {files}; keep one of them"
    return Found(id=first.student, file=first.file, tree=first.tree, place=first.place, problem=problem)


def _refuse_if_too_large(source: Path, found: Iterable[Found]) -> None:
    """Raise `CourseError` if what is unpacked for all of these together is too much."""
    size = sum(one.tree.size(one.place) for one in found if one.problem is None)
    if size > MOST_UNPACKED:
        most = MOST_UNPACKED >> 20
        raise CourseError(f"{source} holds {size >> 20} MB of notebooks; {most} MB are allowed: {UNPACK_IT}")
