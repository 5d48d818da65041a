"""A class after collecting and after grading: the whole at a glance, whom to look at first, and what to do next.

What fits on a screen is listed in full; of more, the first and how many there are besides.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.columns import Columns
from rich.console import Console
from rich.table import Table
from rich.text import Text

from redink.records import RUN_AGAIN
from redink.texts import clean
from redink_cli.screen import console
from redink_cli.tables import first_names

if TYPE_CHECKING:
    from redink.grader.desk.collecting import CollectedClass, Receipt
    from redink.grader.pages.facts import ClassFacts
    from redink.grader.pipeline.report import GradeChange, MistakeGroup, Report
    from redink.records import Result

_LISTED = 30  # submissions that are shown one by one: a screen
_FIRST = 5  # people of one kind, questions and mistakes that are named in a class at a glance
_MOST_CELLS = 3  # that failed, in the line of one submission
_LATE = "late by an unknown time, which costs nothing unless --times says when"
_WHO = 30  # columns of an 80-column screen for who it is
_BAR = 40  # characters of the longest bar


def show_collected(collected: CollectedClass) -> None:
    """Show what was taken, what a person should look at, and who is missing."""
    out = console()
    for line in collected.told:
        out.print(Text(line, style="bold"))
    receipts = collected.receipts
    kinds: dict[str, list[tuple[str, str | None]]] = {
        "without a usable notebook": [(_called(one), one.problem) for one in receipts if one.problem],
        "to look at": [(_called(one), flag) for one in receipts for flag in one.flags],
    }
    _show_people(out, kinds)
    late = [one for one in receipts if one.late]
    out_of = [f"{name} (of {_called(one)})" for one in receipts for name in one.taken_out]
    for title, count, names in (
        ("ignored", len(collected.ignored), _by_reason(collected.ignored)),
        ("not in the roster, and taken all the same", len(collected.unmatched), collected.unmatched),
        ("taken out of a group, whose grade they no longer have", len(out_of), out_of),
        ("have a time and no file", len(collected.untimed), collected.untimed),
        (_LATE, len(late), [_called(one) for one in late]),
        ("missing", len(collected.missing), [_with_id(one, collected.names) for one in collected.missing]),
    ):
        if count:
            out.print(Text(f"{count} {title}: {first_names(names)}", style="yellow"))
    for line in (*collected.nobodys, *collected.disputes, *filter(None, [collected.mixed_up])):
        out.print(Text(line, style="yellow"))
    out.print(Text(_taken(collected), style="bold"))
    if not collected.dry:
        out.print(f"next: redink grade {collected.assignment}")


def _with_id(id: str, names: Mapping[str, str]) -> str:
    return f"{clean(names[id])} ({id})" if names.get(id, id) != id else id


def _called(receipt: Receipt) -> str:
    return f"{receipt.name} ({receipt.student})" if receipt.name else receipt.student


def _taken(collected: CollectedClass) -> str:
    receipts = collected.receipts
    new = sum(one.new for one in receipts)
    known = len(receipts) - new
    students = len({name for one in receipts for name in (one.student, *one.group)})
    verb = "would be taken" if collected.dry else "taken"
    again = f", {known} known before" if known else ""
    return f"{new} attempt{'' if new == 1 else 's'} {verb}{again}, of {students} student{'' if students == 1 else 's'}"


def show_class(report: Report, written: Iterable[tuple[str, Path | str]] = (), *, more: bool = True) -> None:
    """Show a class after grading, which grades changed, where everything is kept and, with `more`, what to do next."""
    out = console()
    if len(report.results) <= _LISTED:
        out.print(_rows(report))
        _show_groups(out, report.groups)
    else:
        _show_at_a_glance(out, report)
    _show_changes(out, report.changes)
    for line in report.told:
        out.print(Text(line))
    out.print(Text(_counted(report), style="bold"))
    for what, place in written:
        out.print(Text(f"{what}: {_near(place)}"), soft_wrap=True)
    if more and len(report.results) > 1:
        out.print(_next_steps(report), soft_wrap=True)


def _rows(report: Report) -> Table:
    """Show a line for each submission."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("submission", overflow="fold")
    table.add_column("score", justify="right")
    table.add_column("what was seen", overflow="fold")
    for result in report.results:
        id = result.submission.id
        seen = "; ".join(filter(None, (report.doubts.get(id), _remark(result))))
        table.add_row(Text(_with_name(id, report.names)), _score(result), Text(seen))
    return table


def _with_name(id: str, names: Mapping[str, str]) -> str:
    """Put the name of the roster beside an id, where that leaves room for what was seen."""
    called = _with_id(id, names)
    return called if cell_len(called) <= _WHO else id


def _score(result: Result) -> Text:
    if result.state == "internal_error":
        return Text("no grade", style="yellow")
    style = "green" if result.score >= result.max_score else "red" if result.score == 0 else ""
    return Text(f"{result.score:g}", style=style)


def _remark(result: Result) -> str:
    """Say in one line what an instructor wants to know about a result."""
    from redink.grader.pages.facts import NOTHING_YET, asked_of_a_person, is_untouched

    if result.state != "graded":
        return f"{result.state}: {result.reason}"
    parts = [f"{question.id}: {question.hint.name}" for question in result.questions if question.hint]
    failed = [cell for cell in result.cells if cell.status not in ("ok", "skipped")]
    parts += [f"cell {cell.index}: {clean(cell.error or cell.status, 120)}" for cell in failed[:_MOST_CELLS]]
    if len(failed) > _MOST_CELLS:
        parts.append(f"{len(failed) - _MOST_CELLS} more cells failed")
    if result.run_again:
        parts.append(RUN_AGAIN)
    core = [question for question in result.questions if question.tier == "core"]
    other = [question.id for question in core if question.score < question.max_score and not question.hint]
    if is_untouched(result):
        parts.append(NOTHING_YET)
    elif other:
        parts.append(f"lost points in {', '.join(other)}")
    parts += asked_of_a_person(result)
    return "; ".join(parts)


def _show_at_a_glance(out: Console, report: Report) -> None:
    """Show a class that is too large for a line each: its scores, what it got wrong, and whom a person should look at."""
    from redink.grader.pages.summary import run_facts

    facts = run_facts(report)
    _show_people(out, _people(facts, report.names))
    _show_groups(out, report.groups[:_FIRST])
    shared = [one for one in facts.beliefs if one.count > 1][:_FIRST]
    if shared:
        out.print(Text("misconceptions, the most frequent first:"))
    for one in shared:
        out.print(Text(f"{one.count:>7}  {one.question}: {one.name}"), no_wrap=True, overflow="ellipsis")
    if facts.scores:
        hardest = sorted((one for one in facts.questions if one.tier == "core"), key=lambda one: one.difficulty)[
            :_FIRST
        ]
        shares = ", ".join(f"{one.id} {one.difficulty:.0%}" for one in hardest)
        out.print(Text(f"points by question, the hardest first: {shares}"))
        out.print(_distribution(facts))


def _distribution(facts: ClassFacts) -> Table:
    """Show how many have how many points."""
    most = max(one.count for one in facts.bins)
    title = f"{len(facts.scores)} scores: median {facts.median:.1f}, mean {facts.mean:.1f}"
    table = Table(box=None, pad_edge=False, show_header=False, title=title, title_justify="left", title_style="bold")
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_column(no_wrap=True)
    for one in facts.bins:
        table.add_row(one.told, str(one.count), Text("█" * -(-one.count * _BAR // most), style="cyan"))
    return table


def _people(facts: ClassFacts, names: Mapping[str, str]) -> dict[str, list[tuple[str, str | None]]]:
    """List whom a person should look at: who has no grade by our fault, who could not be graded, and who raises doubts."""
    kinds: dict[str, list[tuple[str, str | None]]] = {
        "without a grade, which is not their fault": [(one.student, _why(one.result)) for one in facts.waiting],
        "ungradable": [(one.student, _why(one.result)) for one in facts.ungradable],
        "to look at": [(one.student.student, one.lines[0]) for one in facts.doubts if one.student.kind == "graded"],
        "hit a limit": [(one.student.student, one.lines[0]) for one in facts.limits],
    }
    return {kind: [(_with_name(id, names), why) for id, why in people] for kind, people in kinds.items()}


def _why(result: Result | None) -> str | None:
    return result.reason if result else None


def _show_people(out: Console, kinds: Mapping[str, Sequence[tuple[str, str | None]]]) -> None:
    """Name the first of each kind, each with a reason, and how many more there are."""
    for kind, people in kinds.items():
        if people:
            more = f", the first {_FIRST}" if len(people) > _FIRST else ""
            out.print(Text(f"{len(people)} {kind}{more}:", style="yellow"))
            table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 2))
            table.add_column(overflow="fold", max_width=_WHO, min_width=8)
            table.add_column(overflow="fold")
            for student, why in people[:_FIRST]:
                table.add_row(Text(student), Text(clean(why or "", 300)))
            out.print(table)


def _by_reason(ignored: Sequence[tuple[str, str]]) -> list[str]:
    """Say why files were ignored, the commonest reason first, each with one of them."""
    first = {reason: file for file, reason in reversed(ignored)}
    counts = Counter(reason for _, reason in ignored)
    return [
        f"{reason} ({clean(first[reason], 100)}{f' and {count - 1} more' if count > 1 else ''})"
        for reason, count in counts.most_common()
    ]


def _show_groups(out: Console, groups: Sequence[MistakeGroup]) -> None:
    """Name the mistakes that several students share and no misconception explains."""
    for group in groups:
        if len(group.submissions) > 1:
            also = f" (and in {_listed(group.also)})" if group.also else ""
            who = f"{len(group.submissions)} submissions share an unknown mistake in {group.question}{also}"
            out.print(Text(f"{who}: {first_names(group.submissions)}", style="yellow"))


def _show_changes(out: Console, changes: Sequence[GradeChange]) -> None:
    """Name everybody whose grade changed, however many they are."""
    lines = [Text(f"changed: {one.submission}: {one.old:g} → {one.new:g}", style="bold") for one in changes]
    if len(lines) <= _LISTED:
        for line in lines:
            out.print(line)
    else:
        out.print(Columns(lines, padding=(0, 3), column_first=True))


def _counted(report: Report) -> str:
    states = Counter(result.state for result in report.results)
    full = sum(one.state == "graded" and one.score >= one.max_score for one in report.results)
    counts = {"graded": f" ({full} full, {states['graded'] - full} partial)"}
    told = ", ".join(f"{count} {state}{counts.get(state, '')}" for state, count in sorted(states.items()))
    if report.reused:
        graded = len(report.results) - report.reused
        told += f"; {graded} new, {report.reused} reused (unchanged since they were last graded)"
    return told


def _next_steps(report: Report) -> Text:
    """Say what a teacher does next: grade again where a box failed, look at mistakes, report, export."""
    slug = report.results[0].assignment
    steps = []
    if any(result.state == "internal_error" for result in report.results):
        steps.append((f"redink grade {slug} …", "again, for those without a grade"))
    if any(len(group.submissions) > 1 for group in report.groups):
        steps.append((f"redink mistakes {slug}", "wrong alike, before you publish"))
    steps.append((f"redink report {slug} --to report/", "the class, and feedback"))
    steps.append((f"redink export {slug} --as csv", "or --as canvas --into FILE …"))
    width = max(len(command) for command, _ in steps)
    return Text("\n".join(f"next: {command:<{width}}  # {what}" for command, what in steps))


def _near(place: Path | str) -> str:
    """Write a path as one would type it here."""
    short = os.path.relpath(place)
    return str(place) if short.startswith("..") else short


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
