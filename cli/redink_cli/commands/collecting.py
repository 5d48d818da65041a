"""The command that takes in what was handed in: collect."""

from __future__ import annotations

from pathlib import Path

import click

from redink_cli.options import gradebook_option, json_option, source_options


@click.command("collect")
@click.argument("slug")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SOURCE...")
@source_options
@click.option("--before", default="", metavar="TIME", help="Of git repositories, the last commit before this time.")
@click.option("--roster", type=click.Path(path_type=Path, dir_okay=False), help="Who is in the course (CSV).")
@click.option(
    "--times", type=click.Path(path_type=Path, dir_okay=False), help="When people handed in (CSV; Moodle's worksheet)."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be taken.")
@click.option(
    "--receipts", type=click.Path(path_type=Path, dir_okay=False), help="Write a receipt for each file (CSV)."
)
@gradebook_option
@json_option("what became of all files")
def collect_command(
    slug: str, sources: tuple[Path, ...], insist: str | None, names: str | None, before: str, roster: Path | None,
    times: Path | None, dry_run: bool, receipts: Path | None, gradebook: Path | None, json_file: str | None,
) -> None:  # fmt: skip
    """Take in what was handed in: a platform's download, a folder, an archive, git repositories.

    Every file is taken, or ignored with a reason; `redink grade SLUG` then grades what was taken.

    \b
    Example: redink collect perceptron submissions.zip --roster roster.csv
             redink collect perceptron repos.txt --before "2026-11-20 23:59"
    """
    from redink.grader.course import Course
    from redink.grader.desk.collecting import collect_class, write_receipts
    from redink_cli import screen
    from redink_cli.class_table import show_collected

    with screen.progress() as bar:
        task = bar.add_task(f"collect {slug}", total=None)
        collected = collect_class(
            Course.find(), slug, sources, gradebook=gradebook, insist=insist, names=names, before=before, roster=roster,
            times=times, dry_run=dry_run, progress=lambda done, total: bar.update(task, completed=done, total=total),
        )  # fmt: skip
    if receipts:
        write_receipts(collected, receipts)
    if json_file:
        screen.write_json(collected, json_file)
    if json_file != "-":
        show_collected(collected)
