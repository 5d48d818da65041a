"""Which of a student's files is the submission: a notebook, else one in an archive, else a script; and why not others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import msgspec

from redink.errors import RedinkError
from redink.grader.intake.layouts.gathered import Ignored, Sought, Taken
from redink.grader.intake.layouts.walking import File, Form, Walked, as_saved, described, unpacked, walk
from redink.grader.intake.scripts import SCRIPT, read_script
from redink.grader.intake.tree import Place, Tree
from redink.notebook import read_cells
from redink.records import Record

_MOST_READ = 6  # files of one student that are compared by what they hold
_MOST_NAMED = 3  # in a sentence
_MOST_IGNORED = 20  # of one student, one by one
_NOT_A_FILE = {"link": "a link, and links are not followed", "refused": "at a path that is refused"}


class Choice(Record, frozen=True):
    """The file to grade, or the nearest to it; `problem` says why it cannot be graded, `flags` what a person should see."""

    file: File | None = None
    problem: str | None = None
    flags: tuple[str, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    count: int = 0  # files that could be meant
    empty: bool = False  # whether nothing is there that somebody could have handed in


def choose(sought: Sought, files: Sequence[File], where: str) -> Choice:
    """Choose among the files of one attempt; `where` names them in a sentence ("the folder ada")."""
    loose = _of_form(files, "notebook")
    untouched = _untouched(sought, loose) if len(loose) > 1 or _of_form(files, "archive") else ()
    if len(loose) > len(untouched):
        return _chosen(sought, loose, files, where, untouched)
    inner = unpacked(files, sought.allowance.of_a_student())
    packed = _of_form(inner.files, "notebook")
    untouched = (*untouched, *_untouched(sought, packed))
    everything = [*files, *inner.files]
    notebooks = (loose, packed) if all(one in untouched for one in packed) else (packed, loose)
    for found in (*notebooks, _of_form(files, "script"), _of_form(inner.files, "script")):
        if found:
            choice = _chosen(sought, found, [one for one in everything if one.form != "archive"], where, untouched)
            return _with(choice, inner.ignored)
    documents = [one for one in everything if one.form == "document" and one.kind == "file"]
    nearest = documents[0] if documents else None
    instead = _instead(nearest, files, inner)
    ignored = (*_passed_over(everything, nearest), *inner.ignored)
    return Choice(file=nearest, problem=f"{where} holds no notebook{instead}", ignored=ignored, empty=not instead)


def choose_in_folder(sought: Sought, tree: Tree, folder: Place, shown: str) -> Choice:
    """Choose among the files below a student's folder."""
    walked = walk(tree, folder, shown)
    if walked.problem:
        return Choice(problem=f"the folder {shown} cannot be read: {walked.problem}")
    return _with(choose(sought, walked.files, f"the folder {shown}"), walked.ignored)


def take(choice: Choice, person: Taken) -> Taken:
    """Fill in what was chosen for a person, of whom a record without a file is given."""
    flags = (*person.flags, *choice.flags)
    if choice.file is None:
        return msgspec.structs.replace(person, problem=choice.problem, flags=flags)
    file = choice.file
    return msgspec.structs.replace(
        person, file=file.shown, tree=file.tree, place=file.place, problem=choice.problem, flags=flags
    )


def ignored_of(choice: Choice, student: str) -> list[Ignored]:
    """Return what was ignored of one student's files; of many, the first and how many more."""
    listed = [msgspec.structs.replace(one, student=student) for one in choice.ignored]
    if len(listed) <= _MOST_IGNORED:
        return listed
    rest = sum(one.count for one in listed[_MOST_IGNORED:])
    more = Ignored(file=f"{rest} more files of {student}", reason="not graded", student=student, count=rest)
    return [*listed[:_MOST_IGNORED], more]


def why_ignored(file: File, taken: File | None) -> str:
    """Say why a file is not the submission."""
    if file.kind != "file":
        return _NOT_A_FILE.get(file.kind, f"a {file.kind}, not a file")
    if file.form == "handout":
        return "part of the hand-out"
    if file.form == "document":
        return f"{described(file.name)}, not a notebook"
    if file.form in ("notebook", "script", "archive") and taken is not None and taken.form != "document":
        return f"{taken.shown} is taken"
    return "an archive without a notebook" if file.form == "archive" else "not a notebook"


def _of_form(files: Sequence[File], form: Form) -> list[File]:
    return [one for one in files if one.form == form]


def _with(choice: Choice, ignored: Sequence[Ignored]) -> Choice:
    return msgspec.structs.replace(choice, ignored=(*choice.ignored, *ignored))


def _chosen(
    sought: Sought, all_found: Sequence[File], files: Sequence[File], where: str, untouched: Sequence[File]
) -> Choice:
    """Choose among notebooks, or among scripts: the nearest, named after the assignment or the one that is about it.

    One that was handed in as it was handed out is chosen only where there is no other.
    """
    found = [one for one in all_found if one not in untouched] or all_found
    left = [one for one in untouched if one not in found]
    nearest = min(one.depth for one in found)
    level = [one for one in found if one.depth == nearest]
    called = f"{sought.slug}{_suffix(found[0])}"
    named = [one for one in level if as_saved(one.name).casefold() == called.casefold()]
    file = named[0] if len(named) == 1 else level[0] if len(level) == 1 else _by_content(sought, named or level)
    problem = None
    if file is None:
        file, problem = (named or level)[0], _ambiguous(named or level, called, where)
    return Choice(
        file=file,
        problem=problem,
        flags=(*_flags(file, found, called), *_flags_untouched(file, left)) if problem is None else (),
        ignored=tuple(_passed_over(files, file)),
        count=len(level),
    )


def _suffix(file: File) -> str:
    return SCRIPT if file.form == "script" else ".ipynb"


def _ambiguous(files: Sequence[File], called: str, where: str) -> str:
    what = "notebooks" if files[0].form == "notebook" else "scripts"
    names = f" ({', '.join(one.shown for one in files)})" if len(files) <= _MOST_NAMED else ""
    if all(one.name.casefold() == called.casefold() for one in files):
        return f"{where} holds {len(files)} {what} called {called}{names}; keep one"
    return f"{where} holds {len(files)} {what} and none is called {called}{names}; keep one"


def _flags(file: File, found: Sequence[File], called: str) -> tuple[str, ...]:
    """Say of which other files a person should know that they were not taken."""
    others = [one for one in found if one is not file and one.kind == "file"]
    stem = called.rpartition(".")[0].casefold()
    alike = [one.shown for one in others if one.name.casefold().startswith(stem)]
    if not alike:
        return ()
    more = f" and {len(alike) - _MOST_NAMED} more" if len(alike) > _MOST_NAMED else ""
    return (f"{file.shown} is taken, not {', '.join(alike[:_MOST_NAMED])}{more}",)


def _flags_untouched(file: File, untouched: Sequence[File]) -> tuple[str, ...]:
    names = ", ".join(one.shown for one in untouched[:_MOST_NAMED])
    return (f"{file.shown} is taken, not {names}, which nobody has worked on",) if untouched else ()


def _untouched(sought: Sought, files: Sequence[File]) -> tuple[File, ...]:
    """Find the notebooks that are as they were handed out; of many, none is read."""
    if not sought.handed_out or len(files) > _MOST_READ:
        return ()
    return tuple(one for one in files if _is_untouched(sought, one))


def _is_untouched(sought: Sought, file: File) -> bool:
    try:
        cells = read_cells(file.tree.read(file.place))
    except Exception:  # noqa: BLE001 - whatever one file does, it is not as it was handed out
        return False
    return bool(cells) and all(cell.source.strip() in sought.handed_out for cell in cells)


def _by_content(sought: Sought, files: Sequence[File]) -> File | None:
    """Find the one file that is most about the assignment, or any of copies that lie side by side."""
    if len(files) > _MOST_READ:
        return None
    looked = [(one, *_looked_at(sought, one)) for one in files]  # one after the other: each may be large
    side_by_side = len({one.place[:-1] for one in files}) == 1  # or else they may be different people's
    if side_by_side and len({digest for _, digest, _ in looked}) == 1 and looked[0][1]:
        return files[0]
    best = max(score for _, _, score in looked)
    winners = [one for one, _, score in looked if score == best]
    return winners[0] if best and len(winners) == 1 else None


def _looked_at(sought: Sought, file: File) -> tuple[str, int]:
    """Return a digest of a file, and how many names of the assignment's questions and functions stand in its code."""
    try:
        data = file.tree.read(file.place)
    except Exception:  # noqa: BLE001 - whatever one file does, it is not the one that is looked for
        return "", 0
    digest = hashlib.sha256(data).hexdigest()
    try:
        cells = read_script(data) if file.form == "script" else read_cells(data)
    except RedinkError:
        return digest, 0
    return digest, len(sought.names & set(re.findall(r"\w+", "\n".join(cell.source for cell in cells))))


def _passed_over(files: Sequence[File], taken: File | None) -> list[Ignored]:
    return [Ignored(file=one.shown, reason=why_ignored(one, taken)) for one in files if one is not taken]


def _instead(document: File | None, files: Sequence[File], inner: Walked) -> str:
    """Say what lies there instead of a notebook."""
    if document is not None:
        return f", only {document.shown}, which is {described(document.name)}"
    archives = {one.shown for one in files if one.form == "archive"}
    closed = [one for one in inner.ignored if one.file in archives]
    return f", and {closed[0].file} {closed[0].reason}" if closed else ""
