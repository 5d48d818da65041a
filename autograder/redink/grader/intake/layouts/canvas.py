"""Canvas, "Download Submissions": one flat zip of `name[_LATE]_user_attachment_file`; anonymous: `anon_id_attachment_file`.

The name is the sortable one, in small letters and without anything between them; marks that combine with a letter (of
Hindi, Thai, or a dot above an i) belong to it, and programs that unpack write some letters as they can. A text entry ends
in `_text.html`, a link in `_link.html`. A file that was handed in again under its own name has `-1`, `-2` before its ending.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from redink.grader.intake.layouts.choosing import choose, ignored_of, take
from redink.grader.intake.layouts.gathered import Gathered, Ignored, Sought, Taken, gathered
from redink.grader.intake.layouts.plain import alone
from redink.grader.intake.layouts.walking import File, hidden, visible
from redink.grader.intake.tree import Entry, Tree
from redink.records import Record
from redink.texts import file_name

_WHO = r"(?:(?P<name>(?!LATE_|anon_){}+?)_)?(?P<late>LATE_)?(?P<user>\d+|anon_\w+?)"
_WHAT = r"(?:(?P<attachment>\d+)_(?P<file>.+)|(?P<entry>text|link)\.html)"
_LETTER = r"[\w\u0080-\U0010ffff]"
_NAME = re.compile(rf"{_WHO.format(_LETTER)}_{_WHAT}", re.DOTALL)
_ANY_NAME = re.compile(rf"{_WHO.format('.')}_{_WHAT}", re.DOTALL)  # where it is known that Canvas named the files
_AGAIN = re.compile(r"(?P<stem>.*?)(?:-(?P<number>\d{1,3}))?(?P<suffix>\.[^.]*)?", re.DOTALL)
_TEST_STUDENTS = ("studenttest", "teststudent")
_ENTRIES = {"text": "a text entry, not a file", "link": "a link to somewhere else, not a file"}


class Upload(Record, frozen=True):
    """A file as Canvas names it: whose, whether late, and which upload of the name it was given."""

    student: str
    user: str
    name: str
    late: bool
    file: File
    attachment: int = 0
    attempt: int = 1
    entry: str = ""


class Canvas:
    """A download of all submissions from Canvas."""

    name = "canvas"
    title = "Canvas download"

    def recognise(self, tree: Tree, sought: Sought) -> bool:
        """Tell whether most files are named as Canvas names them."""
        files = [one.name for one in visible(tree) if one.kind == "file"]
        return 2 * sum(_NAME.fullmatch(name) is not None for name in files) > len(visible(tree))

    def read(self, tree: Tree, sought: Sought) -> Gathered:
        """Find everybody's uploads."""
        by_student: dict[str, list[Upload]] = defaultdict(list)
        taken: list[Taken] = []
        ignored: list[Ignored] = []
        for entry in visible(tree):
            if upload := _upload(tree, entry):
                by_student[upload.student].append(upload)
            elif entry.kind == "refused":
                taken.append(alone(sought, tree, (entry.name,)))
            else:
                ignored.append(Ignored(file=file_name(entry.name), reason="not named as Canvas names files"))
        for uploads in by_student.values():
            attempts, passed_over = _attempts(sought, uploads)
            taken += attempts
            ignored += passed_over
        return gathered(self.name, self.title, taken, [*ignored, *hidden(tree)])


def _upload(tree: Tree, entry: Entry) -> Upload | None:
    found = _NAME.fullmatch(entry.name) or _ANY_NAME.fullmatch(entry.name)
    if found is None or entry.kind == "folder":
        return None
    called = found["file"] or f"{found['entry']}.html"
    parts = _AGAIN.fullmatch(called)
    again = int(parts["number"] or 0) if parts else 0
    own = f"{parts['stem']}{parts['suffix'] or ''}" if parts else called
    user = found["user"]
    shown = file_name(entry.name)
    return Upload(
        student=file_name(f"{found['name']}_{user}" if found["name"] else user),
        user=user.removeprefix("anon_"),
        name=found["name"] or "",
        late=found["late"] is not None,
        file=File(tree=tree, place=(entry.name,), name=own, shown=shown, kind=entry.kind),
        attachment=int(found["attachment"] or 0) if len(found["attachment"] or "") < 20 else 0,
        attempt=again + 1,
        entry=found["entry"] or "",
    )


def _attempts(sought: Sought, uploads: Sequence[Upload]) -> tuple[list[Taken], list[Ignored]]:
    """Choose among the newest of each name, and take all uploads of the name that was chosen as attempts."""
    first = uploads[0]
    entries = [one for one in uploads if one.entry]
    ignored = [
        Ignored(file=one.file.shown, reason=_ENTRIES[one.entry], student=one.student) for one in entries
    ]  # fmt: skip
    families: dict[str, list[Upload]] = defaultdict(list)
    for one in sorted((one for one in uploads if not one.entry), key=lambda one: (one.attempt, one.attachment)):
        same = families[one.file.name]
        number = max(one.attempt, same[-1].attempt + 1 if same else 1)
        same.append(msgspec.structs.replace(one, attempt=number))
    ids = {"anonymous" if first.student.startswith("anon_") else "canvas": first.user}
    person = Taken(
        student=first.student,
        name=first.name or None,
        ids=ids,
        file=first.file.shown,
        tree=first.file.tree,
        place=(),
        late=any(one.late for one in uploads),
        flags=("this looks like the test student of Canvas",) if first.name in _TEST_STUDENTS else (),
    )
    if not families:
        what = _ENTRIES[entries[0].entry]
        problem = f"{first.student} handed in {what}"
        return [msgspec.structs.replace(person, place=entries[0].file.place, problem=problem)], ignored[1:]
    last = {same[-1].file.place: same for same in families.values()}
    choice = choose(sought, [same[-1].file for same in families.values()], f"the hand-in of {first.student}")
    family = _family(choice.file, last)
    newest = take(choice, msgspec.structs.replace(person, attempt=family[-1].attempt if family else 1))
    if choice.file is None:
        newest = msgspec.structs.replace(newest, place=uploads[0].file.place)
    older = [
        take(
            choose(sought, [one.file], f"the hand-in of {one.student}"),
            msgspec.structs.replace(person, attempt=one.attempt, late=one.late),
        )
        for one in family[:-1]
    ]
    listed = {one.file for one in (*older, newest)}
    return [*older, newest], [
        *ignored, *(one for one in ignored_of(choice, first.student) if one.file not in listed)
    ]  # fmt: skip


def _family(file: File | None, last: dict[tuple[str, ...], list[Upload]]) -> list[Upload]:
    """Find the uploads of the name that was chosen; for a file in an archive, the archive's."""
    if file is None:
        return []
    for place, same in last.items():
        if file.place == place or file.shown.startswith(f"{same[-1].file.shown}/"):
            return same
    return []
