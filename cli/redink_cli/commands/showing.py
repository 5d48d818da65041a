"""Commands that show a class: report, mistakes, similar."""

from __future__ import annotations

from pathlib import Path

import click

from redink_cli.options import gradebook_option, json_option


@click.command("report")
@click.argument("slug")
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The folder for the pages.")
@click.option("--now", is_flag=True, help="Show expected values although somebody still has time.")
@gradebook_option
@click.pass_context
def report_command(ctx: click.Context, slug: str, target: Path, now: bool, gradebook: Path | None) -> None:
    """Write the class page and a feedback page for each student, as files.

    Open index.html. Until the last student's time is over, feedback pages show no expected values. Exit code 1 when
    somebody's page could not be made.

    \b
    Example: redink report perceptron --to report/
    """
    from redink.grader.course import Course
    from redink.grader.desk.standings import open_gradebook
    from redink_cli import screen

    course = Course.find()
    with open_gradebook(course, gradebook, f"redink report {slug}") as book:
        written = screen.write_report(course, book, slug, target, now=now)
    screen.show_written(written)
    ctx.exit(1 if written.failed else 0)


@click.command("mistakes")
@click.argument("slug")
@click.option("--all", "everything", is_flag=True, help="List also the mistakes that only one student made.")
@click.option("--adopt", "group", metavar="GROUP", help="Write a misconception for this group, all but its hint.")
@click.option("--name", default="", help="What the misconception is to be called.")
@gradebook_option
@json_option("what was found")
def mistakes_command(
    slug: str, everything: bool, group: str | None, name: str, gradebook: Path | None, json_file: str | None
) -> None:
    """Show what a class got wrong: misconceptions by count, then mistakes that nobody foresaw.

    \b
    Example: redink mistakes perceptron
             redink mistakes perceptron --adopt step-3fa9c1 --name forgets_ties
    """
    from redink.grader.course import Course
    from redink.grader.desk.adopting import adopt
    from redink.grader.desk.mistakes import find_mistakes
    from redink.grader.desk.standings import open_gradebook
    from redink_cli import screen, tables

    course = Course.find()
    with open_gradebook(course, gradebook, f"redink mistakes {slug}") as book:
        if group:
            one = adopt(course, book, slug, group, name)
            click.echo(
                f"{one.name} stands in {one.file.relative_to(course.root)}; write its hint in line {one.line}, then"
            )
            click.echo(f"  redink build {slug}\n  redink rejudge {slug} --apply")
            return
        found = find_mistakes(course, book, slug)
    if json_file:
        screen.write_json(found, json_file)
    if json_file != "-":
        tables.show_mistakes(found, everything)


@click.command("similar")
@click.argument("slug")
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The folder for the pages.")
@click.option("--names", is_flag=True, help="Show names; without it, everybody has a pseudonym.")
@click.option(
    "--with",
    "other",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="GRADEBOOK",
    help="Compare with those of another gradebook too, such as last year's.",
)
@gradebook_option
@json_option("the pairs")
def similar_command(
    slug: str, target: Path, names: bool, other: Path | None, gradebook: Path | None, json_file: str | None
) -> None:
    """Find submissions that are more alike than their questions explain, to be looked at side by side.

    Alike does not mean copied; nothing is decided, and no grade changes.

    \b
    Example: redink similar perceptron --to alike/
             redink similar perceptron --names --with 2025.sqlite --to alike/
    """
    from redink.grader.course import Course
    from redink.grader.desk.standings import open_gradebook
    from redink.grader.similar.finding import find_alike
    from redink.grader.similar.pages import write_pages
    from redink_cli import screen, tables

    course = Course.find()
    with open_gradebook(course, gradebook, f"redink similar {slug}") as book:
        alike = find_alike(course, book, slug, other=other, names=names)
    index = write_pages(alike, target)
    if json_file:
        screen.write_json(alike, json_file)
    if json_file != "-":
        tables.show_alike(alike, str(index))
