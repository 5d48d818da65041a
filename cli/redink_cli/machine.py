"""The command about this machine: doctor."""

from __future__ import annotations

import click

from redink_cli.options import hidden_folders, json_option

_WORTH = {
    "full": "every secret is behind two walls",
    "good": "every secret is behind one wall; grading is allowed",
    "weak": "student code can reach what it must not; grade refuses, except with --allow-weak-box",
    "none": "there is no box on this machine; students can still check their work",
}


@click.command("doctor")
@json_option("what was found")
@click.pass_context
def doctor_command(ctx: click.Context, json_file: str | None) -> None:
    """Try the walls of the box on this machine: which work, which are missing, and how to get them.

    Exit code 1 when the box is weak, or there is none.

    \b
    Example: redink doctor
    """
    from rich.table import Table
    from rich.text import Text

    from redink.grader.sandbox.doctor import doctor
    from redink_cli import screen

    examined = doctor(hidden=hidden_folders())
    if json_file:
        screen.write_json(examined, json_file)
    if json_file != "-":
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading in ("", "wall or forbidden act", "what that means", "how to fix it"):
            table.add_column(heading, overflow="fold")
        for one in examined.findings:
            sign = Text("✓", style="green") if one.holds else Text("✗", style="red" if one.kind == "act" else "yellow")
            table.add_row(sign, Text(one.name), Text(one.detail), Text(one.remedy))
        out = screen.console()
        out.print(table)
        out.print(Text(f"{examined.level}: {examined.reason or _WORTH[examined.level]}"))
    ctx.exit(0 if examined.level in ("full", "good") else 1)
