"""Which notebooks of a repository are submissions, and of which assignment each is.

A repository may say so itself, in `.redink.toml`::

    [notebooks]
    perceptron = "work/perceptron.ipynb"

That file is the student's. Where a course grades with its own key it may say where a notebook lies, and nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from redink.assignment.spec import Spec
from redink.errors import RedinkError, SubmissionError
from redink.grader.intake.folder import Folder
from redink.grader.intake.layouts.choosing import choose
from redink.grader.intake.layouts.gathered import Sought
from redink.grader.intake.layouts.walking import File, walk
from redink.grader.intake.tree import Tree
from redink.notebook import read_cells
from redink.records import Record
from redink.texts import clean, file_name

FILE = ".redink.toml"
_WHERE = "the repository"
_MOST_BYTES = 5000  # of .redink.toml: Python reads TOML in quadratic time
_MOST_READ = 40  # notebooks that are told apart by what they hold
_FEWEST_NAMES = 3  # of an assignment, in a notebook that is not called after it


class Located(Record, frozen=True):
    """A notebook and its assignment; `problem` says why it cannot be read."""

    slug: str
    file: str
    data: bytes = b""
    problem: str | None = None
    told: tuple[str, ...] = ()


class RepositoryFile(Record, frozen=True):
    """What `.redink.toml` says."""

    notebooks: dict[str, str] = msgspec.field(default_factory=dict)  # by assignment


def locate(path: Path, specs: Sequence[Spec], *, of_the_course: bool) -> list[Located]:
    """Find the notebooks of these assignments; `of_the_course` where the course chose them, not the repository.

    `SubmissionError` says that there is none. An assignment that the course chose alone takes the one notebook there is.
    """
    if not path.is_dir():
        return [_named_alone(path, specs)]
    tree = Folder(path)
    told, named = _read_file(tree, specs, of_the_course)
    files = walk(tree, (), "").files
    found = []
    for spec in specs:
        if spec.slug in named:
            found.append(_at(tree, spec.slug, named[spec.slug]))
    if not named or of_the_course:
        left = [spec for spec in specs if spec.slug not in named]
        found += _search(files, left, alone=of_the_course and len(specs) == 1)
    if not found:
        wanted = f" of {', '.join(spec.slug for spec in specs)}" if of_the_course else " of an assignment"
        raise SubmissionError(f"{_WHERE} holds no notebook{wanted}; {FILE} may say where it is")
    return [msgspec.structs.replace(one, told=(*told, *one.told)) for one in found]


def _named_alone(path: Path, specs: Sequence[Spec]) -> Located:
    tree = Folder(path.parent)
    file = File(tree=tree, place=(path.name,), name=path.name, shown=file_name(path.name))
    slug = specs[0].slug if len(specs) == 1 else _assignment_of(file, specs)
    if slug is None:
        known = ", ".join(spec.slug for spec in specs)
        raise SubmissionError(f"{file.shown} is of no assignment that is known here ({known})")
    return _read(slug, tree, file.place, file.shown)


def _read_file(tree: Tree, specs: Sequence[Spec], of_the_course: bool) -> tuple[list[str], Mapping[str, str]]:
    """Return what is worth telling of `.redink.toml`, and the notebooks that it names."""
    try:
        data = tree.read((FILE,))
    except SubmissionError:
        return [], {}
    try:
        if len(data) > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES} bytes")
        said = msgspec.toml.decode(data, type=RepositoryFile).notebooks
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError) as error:
        sentence = f"{FILE} cannot be read ({clean(str(error), 120)})"
        if of_the_course:
            return [f"{sentence}: notebooks are looked for by their names"], {}
        raise SubmissionError(
            f'{sentence}; it has a table [notebooks] with lines such as perceptron = "p.ipynb"'
        ) from error
    known = {spec.slug for spec in specs}
    unknown = sorted(set(said) - known)
    if unknown and not of_the_course:
        raise SubmissionError(f"{FILE} names the assignment {clean(unknown[0], 60)!r}, which is not known here")
    return [], {slug: file for slug, file in said.items() if slug in known}


def _at(tree: Tree, slug: str, told: str) -> Located:
    """Read the notebook that `.redink.toml` names."""
    place = PurePosixPath(told)
    shown = clean(told, 120)
    if place.is_absolute() or ".." in place.parts or not place.parts:
        return Located(slug=slug, file=FILE, problem=f"{FILE} names {shown}, which is not in the repository")
    return _read(slug, tree, place.parts, file_name(told))


def _read(slug: str, tree: Tree, place: tuple[str, ...], shown: str) -> Located:
    try:
        return Located(slug=slug, file=shown, data=tree.read(place))
    except (SubmissionError, OSError) as error:
        reason = str(error) if isinstance(error, SubmissionError) else f"cannot be read: {error.strerror}"
        return Located(slug=slug, file=shown, problem=f"{shown} {reason}")


def _search(files: Sequence[File], specs: Sequence[Spec], *, alone: bool) -> list[Located]:
    """Find the notebooks of assignments: each file belongs to the one it is called after, or is most about."""
    if alone:
        return [_chosen(spec, files) for spec in specs if files]
    groups: dict[str, list[File]] = defaultdict(list)
    for file in [one for one in files if one.form == "notebook"][:_MOST_READ]:
        slug = _assignment_of(file, specs)
        if slug is not None:
            groups[slug].append(file)
    return [_chosen(spec, groups[spec.slug]) for spec in specs if spec.slug in groups]


def _chosen(spec: Spec, files: Sequence[File]) -> Located:
    choice = choose(Sought(slug=spec.slug, names=spec.all_names()), files, _WHERE)
    if choice.file is None or choice.problem:
        return Located(slug=spec.slug, file=choice.file.shown if choice.file else spec.slug, problem=choice.problem)
    read = _read(spec.slug, choice.file.tree, choice.file.place, choice.file.shown)
    return msgspec.structs.replace(read, told=choice.flags)


def _assignment_of(file: File, specs: Sequence[Spec]) -> str | None:
    """Tell which assignment a notebook is: by its name, else by the names in its code, if one assignment has the most."""
    stem = file.name.rpartition(".")[0].casefold()
    for spec in specs:
        if stem == spec.slug.casefold():
            return spec.slug
    try:
        cells = read_cells(file.tree.read(file.place))
    except (RedinkError, OSError):
        return None
    words = set(re.findall(r"\w+", "\n".join(cell.source for cell in cells)))
    counts = sorted(((len(spec.all_names() & words), spec.slug) for spec in specs), reverse=True)
    clear = len(counts) == 1 or counts[0][0] > counts[1][0]
    return counts[0][1] if counts and counts[0][0] >= _FEWEST_NAMES and clear else None
