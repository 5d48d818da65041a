"""The command that takes grades to a platform: export."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from redink_cli.options import gradebook_option, json_option


@click.command("export")
@click.argument("slug")
@click.option("--as", "format", required=True, metavar="FORMAT", help="csv, canvas, moodle, gradescope or nbgrader.")
@click.option(
    "--into", type=click.Path(path_type=Path, dir_okay=False), help="Your file of the platform, to be filled."
)
@click.option("--column", default="", metavar="NAME", help="Its column, as in 'Perceptron (12345)'.")
@click.option("--to", type=click.Path(path_type=Path, dir_okay=False), help="Where to write; never the file itself.")
@click.option("--by", type=click.Choice(["question", "topic"]), default="question", help="Further columns of csv.")
@click.option(
    "--missing", type=click.Choice(["blank", "zero"]), default="blank", help="For those who handed in nothing."
)
@click.option("--above-maximum", is_flag=True, help="Write scores above the platform's maximum as they are.")
@gradebook_option
@json_option("what was exported")
def export_command(
    slug: str, format: str, into: Path | None, column: str, to: Path | None, by: Literal["question", "topic"],
    missing: str, above_maximum: bool, gradebook: Path | None, json_file: str | None,
) -> None:  # fmt: skip
    """Write grades for a platform, into the file that it exports, or as CSV.

    Only the cells of grades change. Nothing is written if somebody who has a
    grade has no row there, or it is not clear which.

    \b
    Example: redink export perceptron --as csv --to grades.csv
             redink export perceptron --as canvas --into gradebook.csv
    """
    from redink.grader.course import Course
    from redink.grader.desk.standings import open_gradebook
    from redink.grader.export.accounting import account_lines
    from redink.grader.export.exporting import export
    from redink_cli import screen

    course = Course.find()
    with open_gradebook(course, gradebook, f"redink export {slug}") as book:
        done = export(
            course, book, slug, format, into=into, to=to, column=column, by=by,
            missing_is_zero=missing == "zero", above_maximum=above_maximum,
        )  # fmt: skip
    if json_file:
        screen.write_json(done, json_file)
    if json_file != "-":
        click.echo("\n".join(account_lines(done)))
