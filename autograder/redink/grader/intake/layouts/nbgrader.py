"""nbgrader: `submitted/<student>/<assignment>/`, the exchange's `inbound/`, and files with `_attempt_` in their names.

The time is in `timestamp.txt` beside the notebook, or in the name; it is worth as much as the exchange that wrote it.
"""

from __future__ import annotations

import re
import zoneinfo
from collections import defaultdict
from datetime import UTC, datetime

from redink.errors import SubmissionError
from redink.grader.intake.layouts.choosing import choose, choose_in_folder, ignored_of, take
from redink.grader.intake.layouts.gathered import Gathered, Ignored, Sought, Taken, gathered, number_attempts
from redink.grader.intake.layouts.plain import alone
from redink.grader.intake.layouts.walking import File, hidden, visible
from redink.grader.intake.tree import Entry, Place, Tree
from redink.grader.rules.course_rules import believable
from redink.texts import clean, file_name

TIMESTAMP = "timestamp.txt"
OWN_FOLDERS = ("downloaded", "submitted", "release", "source", "autograded", "feedback")
_INBOUND = re.compile(
    r"(?P<student>[^+]+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-[^+]*)(?:\+(?P<random>.*))?", re.DOTALL
)
_ATTEMPT = re.compile(
    r"(?:(?P<before>.*)_)?(?P<student>[^_]+)_attempt_(?P<time>[\d-]+?)(?:_(?P<file>.+)|(?P<about>\.txt))", re.DOTALL
)
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[ T-](\d\d)[:-](\d\d)[:-](\d\d)(\.\d{1,6})?\s*([\w/+:-]+)?")
_LONGEST = 200  # bytes of a timestamp


class Nbgrader:
    """Folders as nbgrader keeps them, or as its exchange or its collecting of archives leaves them."""

    name = "nbgrader"
    title = "nbgrader folder"

    def recognise(self, tree: Tree, sought: Sought) -> bool:
        """Tell whether most folders hold one that is named after the assignment, or most names are an exchange's."""
        entries = visible(tree)
        named = sum(bool(_INBOUND.fullmatch(one.name) or _ATTEMPT.fullmatch(one.name)) for one in entries)
        folders = [one for one in entries if one.kind == "folder" and one.name not in OWN_FOLDERS]
        inside = sum(_holds(tree, one, sought.slug) for one in folders)
        return bool(entries) and (2 * named > len(entries) or (inside > 0 and 2 * inside >= len(folders)))

    def read(self, tree: Tree, sought: Sought) -> Gathered:
        """Find everybody's folder for the assignment."""
        taken: list[Taken] = []
        ignored: list[Ignored] = []
        collected: dict[tuple[str, str], list[File]] = defaultdict(list)
        for entry in visible(tree):
            if entry.kind == "refused":
                taken.append(alone(sought, tree, (entry.name,)))
            elif entry.kind == "folder":
                one, passed_over = _folder(sought, tree, entry)
                taken += one
                ignored += passed_over
            elif found := _ATTEMPT.fullmatch(entry.name):
                name = found["file"] or "about.txt"
                file = File(tree=tree, place=(entry.name,), name=name, shown=file_name(entry.name), kind=entry.kind)
                collected[found["student"], found["time"]].append(file)
            else:
                ignored.append(Ignored(file=file_name(entry.name), reason="not a student's folder"))
        for (student, time), files in collected.items():
            choice = choose(sought, files, f"the hand-in of {file_name(student)}")
            taken.append(take(choice, _person(tree, student, file_name(student), time)))
            ignored += ignored_of(choice, file_name(student))
        return gathered(self.name, self.title, number_attempts(taken), [*ignored, *hidden(tree)])


def _holds(tree: Tree, folder: Entry, slug: str) -> bool:
    try:
        return any(one.name == slug and one.kind == "folder" for one in tree.entries((folder.name,)))
    except (SubmissionError, OSError):
        return False


def _holds_files(tree: Tree, folder: Entry) -> bool:
    """Tell whether a student's folder holds files, and not only folders of other assignments; or cannot be listed."""
    try:
        return any(one.kind != "folder" for one in visible(tree, (folder.name,)))
    except (SubmissionError, OSError):
        return True


def _folder(sought: Sought, tree: Tree, entry: Entry) -> tuple[list[Taken], list[Ignored]]:
    """Take a student's folder for the assignment, or one of the exchange, if it is for this assignment."""
    shown = file_name(entry.name)
    if found := _INBOUND.fullmatch(entry.name):
        if found["assignment"] != sought.slug:
            return [], [Ignored(file=f"{shown}/", reason=f"handed in for {file_name(found['assignment'])}")]
        student, where = found["student"], shown
        place: Place = (entry.name,)
        time = _timestamp(tree, place) or found["time"]
    elif _holds(tree, entry, sought.slug):
        student, where = entry.name, f"{shown}/{sought.slug}"
        place = (entry.name, sought.slug)
        time = _timestamp(tree, place)
    elif _holds_files(tree, entry):
        student, where, place, time = entry.name, shown, (entry.name,), ""
    else:
        return [], [Ignored(file=f"{shown}/", reason=f"holds no folder {sought.slug}", student=shown)]
    choice = choose_in_folder(sought, tree, place, where)
    ignored = [one for one in ignored_of(choice, file_name(student)) if not one.file.endswith(f"/{TIMESTAMP}")]
    return [take(choice, _person(tree, student, where, time))], ignored


def _person(tree: Tree, student: str, shown: str, time: str) -> Taken:
    handed_in = _time(time)
    flags = () if handed_in or not time else (f"its time cannot be read: {clean(time, 60)}",)
    ids = {"nbgrader": file_name(student)}
    return Taken(student=file_name(student), ids=ids, file=shown, tree=tree, place=(), handed_in=handed_in, flags=flags)


def _timestamp(tree: Tree, folder: tuple[str, ...]) -> str:
    try:
        if not any(one.name == TIMESTAMP and one.kind == "file" for one in tree.entries(folder)):
            return ""
        return tree.read((*folder, TIMESTAMP))[:_LONGEST].decode("utf-8", "replace").strip()
    except (SubmissionError, OSError):
        return ""


def _time(text: str) -> datetime | None:
    """Read a time with its zone; one without is in UTC, as nbgrader keeps them."""
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    day, clock = f"{found[1]}-{found[2]}-{found[3]}", f"{found[4]}:{found[5]}:{found[6]}"
    try:
        plain = datetime.fromisoformat(f"{day}T{clock}{(found[7] or '.0').ljust(7, '0')}")
        if found[8] in (None, "UTC", "Z"):
            return believable(plain.replace(tzinfo=UTC))
        if found[8][0] in "+-":
            return believable(datetime.fromisoformat(f"{plain.isoformat()}{found[8]}"))
        return believable(plain.replace(tzinfo=zoneinfo.ZoneInfo(found[8])))
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return None
