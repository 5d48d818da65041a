"""The command about this machine: doctor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from redink_cli.options import hidden_folders, json_option, needed_packages

if TYPE_CHECKING:
    from rich.table import Table

    from redink.grader.sandbox.doctor import Finding

_WORTH = {
    "full": "every secret is behind two walls",
    "good": "every secret is behind one wall; grading is allowed",
    "weak": "student code can reach what it must not; grade refuses, except with --allow-weak-box",
    "none": "there is no box on this machine; students can still check their work",
}


_HEADINGS = {
    "wall": "walls",
    "act": "forbidden acts, tried",
    "limit": "limits by default",
    "package": "packages of assignments",
}


@click.command("doctor")
@click.option("--require", type=click.Choice(["full", "good"]), default="good", help="Exit code 1 below this level.")
@json_option("what was found")
@click.pass_context
def doctor_command(ctx: click.Context, require: str, json_file: str | None) -> None:
    """Try the walls of the box on this machine: which work, which are missing, and how to get them.

    Exit code 1 when the box is weak, or there is none; with --require full, also when it is only good.

    \b
    Example: redink doctor
             redink doctor --require full
    """
    from rich.text import Text

    from redink.grader.sandbox.doctor import doctor
    from redink_cli import screen

    examined = doctor(hidden=hidden_folders(), packages=needed_packages())
    if json_file:
        screen.write_json(examined, json_file)
    if json_file != "-":
        out = screen.console()
        for kind, heading in _HEADINGS.items():
            if found := [one for one in examined.findings if one.kind == kind]:
                out.print(_table(heading, found))
        out.print(Text(f"{examined.level}: {examined.reason or _WORTH[examined.level]}"))
    ctx.exit(0 if examined.level in ("full", require) else 1)


def _table(heading: str, findings: Sequence[Finding]) -> Table:
    """Show what was found of one kind; how to mend it stands below what it means."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("", heading, ""):
        table.add_column(title, overflow="fold")
    for one in findings:
        sign = Text("✓", style="green") if one.holds else Text("✗", style="red" if one.kind == "act" else "yellow")
        fix = f"to mend it: {one.remedy}" if one.remedy else ""
        table.add_row(sign, Text(one.name), Text("\n".join(filter(None, (one.detail, fix)))))
    return table
