"""The layout of no platform: notebooks named for students, or folders of students with a notebook somewhere in each.

A notebook's stem is its student, or the folder around it if it is named after the assignment. Folders are students' if
any of them holds a submission. Files beside the notebooks that are none (scripts, archives, web pages) are students' too
if the class is a class of files; among folders they are ignored, and it is said.
"""

from __future__ import annotations

from collections.abc import Sequence

from redink.grader.intake.layouts.choosing import Choice, choose, choose_in_folder, ignored_of, take, why_ignored
from redink.grader.intake.layouts.gathered import Gathered, Ignored, Sought, Taken, gathered
from redink.grader.intake.layouts.walking import File, as_saved, described, form_of, hidden, visible
from redink.grader.intake.tree import Entry, Place, Tree
from redink.texts import file_name

NOTEBOOK = ".ipynb"
_NONE = "an archive without a notebook"


class Plain:
    """A folder or an archive of notebooks, or of folders of one student each."""

    name = "folder"
    title = "Folder"

    def recognise(self, tree: Tree, sought: Sought) -> bool:
        """Return True: what no other layout knows is this one."""
        return True

    def read(self, tree: Tree, sought: Sought) -> Gathered:
        """Find loose notebooks, and folders with one somewhere in them."""
        entries = visible(tree)
        loose = [one for one in entries if one.kind == "link" or form_of(one.name) == "notebook"]
        taken = [alone(sought, tree, (one.name,)) for one in loose]
        folders, ignored = _folders(
            sought, tree, [one for one in entries if one.kind == "folder" and one not in loose], loose
        )
        taken += folders
        beside = [_file(tree, one) for one in entries if one.kind != "folder" and one not in loose]
        own = _is_own(sought, loose)
        by_files = not own and (bool(loose) or not folders)
        more, passed_over = _beside(sought, beside, by_files, {one.student for one in taken}, own=own)
        return gathered(self.name, self.title, [*taken, *more], [*ignored, *passed_over, *hidden(tree)])


def alone(sought: Sought, tree: Tree, place: Place) -> Taken:
    """Take a loose file, named by its stem, or by the folder it is in when it is named after the assignment."""
    name = as_saved(place[-1])
    if sought.owner and name in (f"{sought.slug}{NOTEBOOK}", f"{sought.slug}.py"):
        owner = file_name(sought.owner)
        return Taken(student=owner, file=f"{owner}/{name}", tree=tree, place=place)
    id = name.rpartition(".")[0] if form_of(name) != "other" else name
    return Taken(student=file_name(id), file=file_name(place[-1]), tree=tree, place=place)


def _file(tree: Tree, entry: Entry) -> File:
    return File(tree=tree, place=(entry.name,), name=entry.name, shown=file_name(entry.name), kind=entry.kind)


def _folders(
    sought: Sought, tree: Tree, folders: Sequence[Entry], loose: Sequence[Entry]
) -> tuple[list[Taken], list[Ignored]]:
    """Take folders as students' if any of them holds a submission or cannot be listed."""
    names = {file_name(one.name): one.name for one in folders}
    chosen = {shown: choose_in_folder(sought, tree, (name,), shown) for shown, name in names.items()}
    if not any(_is_students(choice, sought, loose) for choice in chosen.values()):
        return [], [Ignored(file=f"{shown}/", reason="a folder without a notebook") for shown in chosen]
    taken = [take(choice, Taken(student=shown, file=shown, tree=tree, place=())) for shown, choice in chosen.items()]
    return taken, [one for shown, choice in chosen.items() for one in ignored_of(choice, shown)]


def _is_students(choice: Choice, sought: Sought, loose: Sequence[Entry]) -> bool:
    """Tell whether a folder shows that folders are students'; beside loose notebooks, a script in one does not."""
    if choice.file is None:
        return not choice.empty
    if choice.file.form != "notebook":
        return not loose
    return choice.file.depth == 0 or not _is_own(sought, loose)


def _is_own(sought: Sought, loose: Sequence[Entry]) -> bool:
    """Tell whether this is one student's own folder: the notebook lies loose under the assignment's name."""
    return any(one.name == f"{sought.slug}{NOTEBOOK}" for one in loose)


def _beside(
    sought: Sought, files: Sequence[File], by_files: bool, known: set[str], *, own: bool
) -> tuple[list[Taken], list[Ignored]]:
    """Take loose files that are no notebooks, where they are somebody's."""
    taken: list[Taken] = []
    ignored: list[Ignored] = []
    for one in sorted(files, key=lambda one: one.form == "document"):  # a script counts, if there is one
        person = alone(sought, one.tree, one.place)
        reason = f"{person.student} is there already" if person.student in known else _why_nobodys(one, by_files, own)
        choice = None if reason else choose(sought, [one], one.shown)
        if choice is None or (one.form == "archive" and (choice.empty or _is_many(choice))):
            several = "holds several notebooks, so it is not one student's"
            ignored.append(Ignored(file=one.shown, reason=reason or (several if choice and choice.count else _NONE)))
            continue
        known.add(person.student)
        taken.append(take(_of_document(one, choice), person))
        ignored += [other for other in ignored_of(choice, person.student) if other.file != one.shown]
    return taken, ignored


def _of_document(file: File, choice: Choice) -> Choice:
    if file.form != "document":
        return choice
    return Choice(file=file, problem=f"{file.shown} is {described(file.name)}, not a notebook")


def _why_nobodys(file: File, by_files: bool, own: bool) -> str:
    """Say why a loose file is nobody's submission, or nothing if it could be somebody's."""
    if file.kind != "file" or file.form in ("handout", "other"):
        return why_ignored(file, None)
    if own:
        return "beside the notebook"
    if file.form != "archive" and not by_files:
        return "a script among folders" if file.form == "script" else f"{described(file.name)} among folders"
    return ""


def _is_many(choice: Choice) -> bool:
    """Tell whether an archive holds what is not one student's."""
    return choice.count > 1 and choice.problem is not None
