"""The command that takes grades to a platform: export."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from redink_cli.options import gradebook_option, json_option


@click.command("export")
@click.argument("slug", required=False)
@click.option("--as", "format", metavar="FORMAT", help="csv, canvas, moodle, gradescope or nbgrader.")
@click.option(
    "--into", type=click.Path(path_type=Path, dir_okay=False), help="Your file of the platform, to be filled."
)
@click.option("--column", default="", metavar="NAME", help="Its column, as in 'Perceptron (12345)'.")
@click.option("--to", type=click.Path(path_type=Path, dir_okay=False), help="Where to write; never the file itself.")
@click.option("--by", type=click.Choice(["question", "topic"]), default="question", help="Further columns of csv.")
@click.option(
    "--missing", type=click.Choice(["blank", "zero"]), default="blank", help="For those who handed in nothing."
)
@click.option("--person", metavar="STUDENT", help="Instead: everything that is held about one student, as a zip.")
@click.option("--above-maximum", is_flag=True, help="Write scores above the platform's maximum as they are.")
@gradebook_option
@json_option("what was exported")
def export_command(
    slug: str | None, format: str | None, into: Path | None, column: str, to: Path | None, by: Literal["question", "topic"],
    missing: str, person: str | None, above_maximum: bool, gradebook: Path | None, json_file: str | None,
) -> None:  # fmt: skip
    """Write grades for a platform, into the file that it exports, or as CSV.

    Only the cells of grades change. Nothing is written if somebody who has a
    grade has no row there, or it is not clear which.

    \b
    Example: redink export perceptron --as csv --to grades.csv
             redink export perceptron --as canvas --into gradebook.csv
             redink export --person ada --to ada.zip
    """
    from redink.grader.course import Course
    from redink.grader.desk.standings import open_gradebook
    from redink.grader.export.accounting import account_lines
    from redink.grader.export.exporting import export
    from redink_cli import screen

    if person is not None:
        _export_person(person, to, gradebook)
        return
    if slug is None or format is None:
        raise click.UsageError("say which assignment, and for what: redink export perceptron --as csv --to grades.csv")
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


def _export_person(told: str, to: Path | None, gradebook: Path | None) -> None:
    """Write what is held about a person, readable for its owner alone."""
    from redink.files import write_whole
    from redink.grader.course import Course
    from redink.grader.desk.person import everything_about
    from redink.grader.desk.standings import open_gradebook

    if to is None:
        raise click.UsageError("say where to write it: redink export --person ada --to ada.zip")
    course = Course.find()
    with open_gradebook(course, gradebook, "redink export --person") as book:
        write_whole(to, everything_about(course, book, told), private=True)
    click.echo(f"wrote {to}: everything that the gradebook holds about {told}")
