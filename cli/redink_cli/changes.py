"""What judging again changes, in 80 columns: who loses and who gains how much; totals that stay are summed up in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from redink_cli.screen import console
from redink_cli.tables import first_names

if TYPE_CHECKING:
    from redink.grader.rejudge import Change, Rejudged

_WIDTH = 80


def show_rejudged(rejudged: Rejudged) -> None:
    """Show who gains or loses what, and at the end how many."""
    out = console()
    out.width = min(out.width, _WIDTH)
    apart = [one for one in rejudged.changes if one.submission in rejudged.overridden]
    plain = [one for one in rejudged.changes if one.submission not in rejudged.overridden]
    moved = [one for one in plain if one.new != one.old]
    same = [one for one in plain if one.new == one.old]
    if moved:
        out.print(_table(moved))
    if same:
        out.print(Text(_summed_up(same)))
    if apart:
        out.print(Text("A person set scores of these, which stand whatever the checks give:", style="bold"))
        out.print(_table(apart, {name: _what_is_set(which) for name, which in rejudged.overridden.items()}))
    if rejudged.kept:
        out.print(Text("These would lose points, and keep what they have:", style="bold"))
        out.print(_table(rejudged.kept))
    _show_the_rest(out, rejudged)
    out.print(Text(_counted(rejudged)))


def _table(changes: Sequence[Change], also: dict[str, str] | None = None) -> Table:
    """Align changes, the greatest loss first and the greatest gain last."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("submission", overflow="fold", max_width=30)
    for name in ("old", "new", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("questions", overflow="fold")
    for one in sorted(changes, key=lambda one: (one.new - one.old, one.submission)):
        style = "green" if one.new > one.old else "red" if one.new < one.old else ""
        parts = [f"{id} {old:g} → {new:g}" for id, (old, new) in one.questions.items()]
        parts += [f"another hint in {id}" for id in one.hints]
        parts += [also[one.submission]] if also else []
        table.add_row(
            Text(", ".join((one.submission, *one.group))),
            f"{one.old:g}",
            f"{one.new:g}",
            Text(f"{one.new - one.old:+g}" if one.new != one.old else "0", style=style),
            Text(", ".join(parts)),
        )
    return table


def _summed_up(changes: Sequence[Change]) -> str:
    """Say in a line what changes for those whose total stays."""
    found = Counter(
        " and ".join(
            ([f"other points in {', '.join(one.questions)}"] if one.questions else [])
            + ([f"another hint in {', '.join(one.hints)}"] if one.hints else [])
        )
        for one in changes
    )
    parts = [f"{count} with {what}" for what, count in found.most_common()]
    return f"{len(changes)} keep{'' if len(changes) > 1 else 's'} the total: {'; '.join(parts)}"


def _what_is_set(questions: tuple[str, ...]) -> str:
    return "set: " + ", ".join(one or "the whole" for one in questions)


def _show_the_rest(out: Console, rejudged: Rejudged) -> None:
    """Show who must be graded again or could not be judged, and what else is worth knowing."""
    for questions, names in _by_questions(rejudged.unseen).items():
        what = f"{', '.join(questions)} must be graded again: a check was never reached, or its inputs or calls have changed"
        out.print(Text(f"{first_names(names)}: {what}", style="yellow"))
    if rejudged.purged:
        what = "cannot be judged again and keep their grades: their notebooks were purged"
        out.print(Text(f"{len(rejudged.purged)} {what}: {first_names(rejudged.purged)}", style="yellow"))
    for name, why in rejudged.failed.items():
        out.print(Text(f"{name} could not be judged again and keeps its grade: {why}", style="red"))
    if rejudged.older:
        count = len(rejudged.older)
        out.print(Text(f"{count} of them were observed under older code or libraries; grade observes them again"))
    for line in rejudged.told:
        out.print(Text(line))


def _counted(rejudged: Rejudged) -> str:
    changes = rejudged.changes
    gain, lose = sum(one.new > one.old for one in changes), sum(one.new < one.old for one in changes)
    verb = "changed" if rejudged.applied else "would change"
    counts = f": {gain} gain, {lose} lose, {len(changes) - gain - lose} keep the total" if changes else ""
    kept = f"; {len(rejudged.kept)} kept, who would lose" if rejudged.kept else ""
    done = "applied" if rejudged.applied else "not applied; add --apply to write the new grades"
    what = ("brought back" if rejudged.applied else "to be brought back") if rejudged.undone else "re-judged"
    return f"{rejudged.judged} {what}, {len(changes)} {verb}{counts}{kept}; {done}"


def _by_questions(unseen: dict[str, tuple[str, ...]]) -> dict[tuple[str, ...], list[str]]:
    """Gather submissions of which the same questions must be graded again."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, questions in unseen.items():
        found.setdefault(questions, []).append(name)
    return found
