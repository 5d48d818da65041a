"""The command that writes what students get: distribute."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("distribute")
@click.argument("slugs", nargs=-1, required=True, metavar="SLUG...")
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The folder for the bundles.")
def distribute_command(slugs: tuple[str, ...], target: Path) -> None:
    """Write the bundles that students get: a folder and a zip for each assignment.

    \b
    Example: redink distribute perceptron --to handouts/
    """
    from redink.grader.author.distribute import distribute
    from redink.grader.course import Course
    from redink.grader.workers.workers import workers_for

    course = Course.find()
    for slug in slugs:
        with workers_for(course, slug) as workers:
            folder, archive = distribute(course, slug, target, workers)
        click.echo(f"wrote {folder}/ and {archive}")
