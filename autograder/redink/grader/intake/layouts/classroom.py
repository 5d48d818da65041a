"""GitHub Classroom: a folder of clones, `<assignment>-<user>` each (Classroom 50: `<classroom>-<assignment>-<user>`).

The clones' own `.git` is not read: when a student pushed is not in it, and a commit's dates are the student's to choose.
"""

from __future__ import annotations

import re

from redink.grader.intake.layouts.choosing import choose_in_folder, ignored_of, take
from redink.grader.intake.layouts.gathered import Gathered, Ignored, Sought, Taken, gathered
from redink.grader.intake.layouts.plain import alone
from redink.grader.intake.layouts.walking import hidden, visible
from redink.grader.intake.tree import Tree
from redink.texts import file_name


class Classroom:
    """A folder of clones, named for the assignment and the user."""

    name = "classroom"
    title = "GitHub Classroom clones"

    def recognise(self, tree: Tree, sought: Sought) -> bool:
        """Tell whether most folders, and two at least, are named for the assignment and somebody."""
        folders = [one.name for one in visible(tree) if one.kind == "folder"]
        named = sum(user_of(name, sought.slug) is not None for name in folders)
        return named >= 2 and 2 * named > len(visible(tree))

    def read(self, tree: Tree, sought: Sought) -> Gathered:
        """Find the notebook in each clone."""
        taken: list[Taken] = []
        ignored: list[Ignored] = []
        for entry in visible(tree):
            user = user_of(entry.name, sought.slug)
            if entry.kind == "refused":
                taken.append(alone(sought, tree, (entry.name,)))
            elif user is None or entry.kind != "folder":
                ignored.append(Ignored(file=file_name(entry.name), reason=f"not a clone named {sought.slug}-…"))
            else:
                shown, student = file_name(entry.name), file_name(user)
                choice = choose_in_folder(sought, tree, (entry.name,), shown)
                person = Taken(student=student, ids={"github": student}, file=shown, tree=tree, place=())
                taken.append(take(choice, person))
                ignored += ignored_of(choice, student)
        return gathered(self.name, self.title, taken, [*ignored, *hidden(tree)])


def user_of(name: str, slug: str) -> str | None:
    """Return the user in the name of a clone, if it is named for this assignment."""
    wanted = re.escape(slug).replace("_", "[-_]")
    found = re.fullmatch(rf"(?:[\w.-]+?-)??{wanted}-(?P<user>.+)", name, re.DOTALL | re.IGNORECASE)
    return found["user"] if found else None
