"""Moodle, "Download all submissions": `Full name_id_assignsubmission_file` folders, or the same as a prefix of flat files.

Older releases end the folder's name in one more underscore. What a student typed in the browser is `…_onlinetext`. Under
blind marking the name is `Participant`, in the language of the site; a group without a number has none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from redink.files import Kind
from redink.grader.intake.layouts.choosing import Choice, choose, ignored_of, take
from redink.grader.intake.layouts.gathered import Gathered, Ignored, Sought, Taken, gathered
from redink.grader.intake.layouts.plain import alone
from redink.grader.intake.layouts.walking import File, hidden, visible, walk
from redink.grader.intake.tree import Tree
from redink.records import Record
from redink.texts import file_name

_NAME = re.compile(r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL)
_BLIND = "Participant"
_TYPED = "typed in the browser, not a file"


class Handing(Record, frozen=True):
    """What Moodle keeps of one person: the files, and what was ignored or typed in the browser."""

    student: str
    name: str
    id: str
    files: tuple[File, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    problem: str = ""


class Moodle:
    """A download of all submissions from Moodle."""

    name = "moodle"
    title = "Moodle download"

    def recognise(self, tree: Tree, sought: Sought) -> bool:
        """Tell whether most folders or files are named as Moodle names them."""
        names = [one.name for one in visible(tree)]
        return 2 * sum(_NAME.fullmatch(name) is not None for name in names) > len(names)

    def read(self, tree: Tree, sought: Sought) -> Gathered:
        """Find everybody's files; what was typed in the browser makes nobody a second time."""
        taken: list[Taken] = []
        ignored: list[Ignored] = []
        by_student: dict[str, list[Handing]] = defaultdict(list)
        for entry in visible(tree):
            found = _NAME.fullmatch(entry.name)
            if found is not None:
                handing = _handing(tree, found, entry.kind)
                by_student[handing.student].append(handing)
            elif entry.kind == "refused":
                taken.append(alone(sought, tree, (entry.name,)))
            else:
                ignored.append(Ignored(file=file_name(entry.name), reason="not named as Moodle names submissions"))
        for parts in by_student.values():
            choice = _choice(sought, parts)
            taken.append(take(choice, _person(tree, parts[0])))
            ignored += ignored_of(choice, parts[0].student)
        return gathered(self.name, self.title, taken, [*ignored, *hidden(tree)])


def _handing(tree: Tree, found: re.Match[str], kind: Kind) -> Handing:
    """Read one folder or one flat file of the download."""
    whole = found.string
    shown = file_name(whole)
    student = file_name(f"{found['name']}_{found['id']}" if found["id"] else found["name"])
    name, id = file_name(found["name"]), found["id"] or ""
    if found["kind"] != "file":
        return Handing(student=student, name=name, id=id, ignored=(Ignored(file=shown, reason=_TYPED),))
    if kind == "folder":
        walked = walk(tree, (whole,), shown)
        return Handing(
            student=student, name=name, id=id, files=walked.files, ignored=walked.ignored, problem=walked.problem
        )
    file = File(tree=tree, place=(whole,), name=found["file"] or whole, shown=shown, kind=kind)
    return Handing(student=student, name=name, id=id, files=(file,))


def _choice(sought: Sought, parts: Sequence[Handing]) -> Choice:
    who = parts[0].student
    files = [file for one in parts for file in one.files]
    ignored = tuple(passed for one in parts for passed in one.ignored)
    if problem := next((one.problem for one in parts if one.problem), ""):
        return Choice(problem=f"the folder of {who} cannot be read: {problem}", ignored=ignored)
    if not files and any(one.reason == _TYPED for one in ignored):
        return Choice(problem=f"{who} typed a text in the browser and handed in no file", ignored=ignored)
    choice = choose(sought, files, f"the hand-in of {who}")
    return msgspec.structs.replace(choice, ignored=(*choice.ignored, *ignored))


def _person(tree: Tree, handing: Handing) -> Taken:
    ids = {"moodle": handing.id} if handing.id else {}
    name = None if handing.name == _BLIND else handing.name
    return Taken(student=handing.student, name=name, ids=ids, file=handing.student, tree=tree, place=())
