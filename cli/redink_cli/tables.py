"""What instructors and authors see: a kill matrix, mistakes, the cells of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from redink.records import RUN_AGAIN
from redink_cli.screen import console

if TYPE_CHECKING:
    from pathlib import Path

    from redink.grader.author.mutating import Mutated
    from redink.grader.author.verify import Verified
    from redink.grader.desk.mistakes import ClassMistakes, UnknownGroup
    from redink.grader.importing.importing import Imported
    from redink.grader.similar.finding import AlikeClass
    from redink.records import Observed

_MOST_LINES, _LINES_OF_A_CELL = 500, 20  # of what a notebook printed
_LINES_OF_A_MESSAGE = 8  # of an example


def show_verified(verified: Verified, draft: bool) -> None:
    """Show the kill matrix and every broken promise."""
    out = console()
    if verified.kills:
        out.print(_matrix(verified))
    for line in verified.broken:
        out.print(Text(f"✗ {line}", style="red"))
    for line in verified.missing:
        out.print(Text(f"{'·' if draft else '✗'} {line}", style="yellow" if draft else "red"))
    for line in verified.stale:
        out.print(Text(f"· {line}", style="yellow"))
    if verified.broken or (verified.missing and not draft):
        out.print(f"{verified.assignment}: {len(verified.broken)} broken, {len(verified.missing)} missing")
    else:
        out.print(
            f"{verified.assignment}: {verified.specimens} specimens as they should be; "
            f"{len(verified.checks)} checks, {len(verified.kills)} misconceptions"
            + (" (a sample of the misconceptions)" if verified.sampled else "")
            + (f"; {len(verified.missing)} things still missing" if verified.missing else "")
        )


def _matrix(verified: Verified) -> Table:
    """Show which check catches which misconception."""
    table = Table(box=None, pad_edge=False, header_style="bold", title="kill matrix", title_justify="left")
    table.add_column("misconception", overflow="fold")
    table.add_column("is caught by", overflow="fold")
    for misconception, checks in verified.kills.items():
        table.add_row(misconception, ", ".join(checks) or "nothing")
    return table


def show_imported(imported: Imported, root: Path, slug: str) -> None:
    """Show what was written, how much of it grades by itself, and what a person must finish."""
    out = console()
    for path in imported.files:
        out.print(Text(f"wrote {path.relative_to(root)}"), soft_wrap=True)
    for line in imported.to_do:
        out.print(Text(f"· {line}", style="yellow"), soft_wrap=True)
    made = f"{imported.questions} questions, {imported.checks} checks, {imported.points:g} points"
    out.print(Text(f"{slug}: {made}; {len(imported.to_do)} things for a person to do"), soft_wrap=True)
    if imported.waits:
        out.print(Text(f"✗ {imported.waits}; then redink build {slug}", style="red"), soft_wrap=True)
    else:
        out.print(
            Text(f"Next: do what is listed, where it says TO DO, then redink verify --draft {slug}"), soft_wrap=True
        )


def show_mutated(mutated: Mutated) -> None:
    """Show the mutants that lost no points, and how many lost some."""
    out = console()
    for one in mutated.survivors:
        out.print(Text(f"✗ {one.id}", style="red"), soft_wrap=True)
        out.print(Text(f"    {one.before}  →  {one.after}"), soft_wrap=True)
    for id in mutated.refuted:
        what = f"is said to be equivalent, and fails {mutated.killed[id]}"
        out.print(Text(f"✗ {id} {what}", style="red"), soft_wrap=True)
    late = f" ({len(mutated.late)} took too long)" if mutated.late else ""
    counts = f"killed {len(mutated.killed)} of {mutated.drawn}{late}, {len(mutated.equivalent)} equivalent"
    drawn_from = f"seed {mutated.seed}, drawn from {mutated.possible}; {mutated.cpu_seconds:.0f} s CPU"
    out.print(f"{mutated.assignment}: {counts}, {len(mutated.survivors)} survivors ({drawn_from})")


def show_mistakes(found: ClassMistakes, everything: bool) -> None:
    """Show misconceptions by count, then the groups of unknown mistakes; those of single students only on request."""
    out = console()
    for one in found.known:
        out.print(Text(f"{len(one.students):>4}  {one.question}: {one.misconception}"), soft_wrap=True)
        out.print(Text(f"      {one.hint}", style="dim"), soft_wrap=True)
    shown = [one for one in found.unknown if everything or len(one.students) > 1]
    if shown:
        out.print(Text("Unknown mistakes" + ("" if everything else " that several share"), style="bold"))
    for unknown in shown:
        _show_unknown(unknown)
    single = len(found.unknown) - len(shown)
    if single:
        out.print(f"{single} more of one student each: --all lists them")
    counts = ", ".join(
        f"{count} {what}{'' if count == 1 else 's'}"
        for what, count in (("misconception", len(found.known)), ("unknown mistake", len(found.unknown)))
    )
    out.print(f"{found.assignment}: {counts} among {found.graded} graded submissions")
    if shown:
        out.print(f"redink mistakes {found.assignment} --adopt {shown[0].name} makes a misconception of one")


def _show_unknown(one: UnknownGroup) -> None:
    out = console()
    out.print(Text(f"{len(one.students):>4}  {one.name}: {first_names(one.students)}", style="yellow"))
    lines = [f"fails {', '.join(one.checks)}"] if one.checks else []
    lines += [f"also in {', '.join(one.also)}"] if one.also else []
    lines += [f"they were told: {one.told}"] if one.told else []
    told = one.message.splitlines()
    lines += [*told[:_LINES_OF_A_MESSAGE], *(["…"] if len(told) > _LINES_OF_A_MESSAGE else [])]
    out.print(Text("\n".join(f"      {line}" for line in lines)), soft_wrap=True)


def show_alike(alike: AlikeClass, index: str) -> None:
    """Show which pairs stand out, and where they can be looked at."""
    out = console()
    for pair in alike.pairs:
        year = " (another year)" if pair.second_is_earlier else ""
        what = ", ".join(f"{one.question} {one.alike:.0%}" for one in pair.questions)
        out.print(Text(f"{pair.first} and {pair.second}{year}: {what}"), soft_wrap=True)
    for name in alike.unreadable:
        out.print(Text(f"{name}: the stored cells cannot be read", style="yellow"))
    for name in alike.too_long:
        out.print(Text(f"{name}: too much code to be read, so it is not compared", style="yellow"))
    for name, question in alike.unseen:
        told = f"{name}: has points in {question}, and no function there that can be compared; read the cells"
        out.print(Text(told, style="yellow"), soft_wrap=True)
    others = f", with {alike.earlier} of another year" if alike.earlier else ""
    out.print(f"{len(alike.pairs)} pairs among {alike.compared} submissions{others}; alike does not mean copied")
    out.print(Text(f"open {index}"), soft_wrap=True)


def show_cells(observed: Observed) -> None:
    """Show what each cell of a notebook did, and the end of what it printed, as long as that is not too much in all."""
    out = console()
    room = _MOST_LINES
    for cell in observed.cells:
        style = {"ok": "green", "skipped": "dim"}.get(cell.status, "red")
        out.print(
            Text(f"cell {cell.index:>3}  {cell.status:<8} {cell.cpu_seconds:6.2f} s CPU  {cell.error}", style=style)
        )
        lines = _last_lines(cell.output, min(room, _LINES_OF_A_CELL)) if cell.output.strip() else []
        room = max(0, room - len(lines))
        if lines:
            out.print(Text("\n".join(f"          | {_cropped(line)}" for line in lines)))
    if observed.run_again:
        out.print(Text(RUN_AGAIN, style="yellow"))
    out.print(f"{observed.cpu_seconds:.2f} s CPU; walls: {', '.join(observed.box.walls) or 'none'}")


def _last_lines(output: str, most: int) -> list[str]:
    lines = output.rstrip().splitlines()
    cut = len(lines) - most
    return lines if cut <= 0 else [f"({cut} lines before these; --save keeps them)", *lines[cut:]]


def _cropped(line: str) -> str:
    return line if len(line) <= 300 else f"{line[:300]} … ({len(line)} characters)"


def first_names(names: Sequence[str]) -> str:
    """List names, but no more than eight."""
    rest = len(names) - 8
    return ", ".join(names[:8]) + (f" and {rest} more" if rest > 0 else "")
