"""The command that writes what students get: distribute."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("distribute")
@click.argument("slugs", nargs=-1, required=True, metavar="SLUG...")
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The folder for the bundles.")
@click.option(
    "--format", type=click.Choice(["redink", "nbgrader", "otter"]), default="redink", help="Whose: Redink's own."
)
def distribute_command(slugs: tuple[str, ...], target: Path, format: str) -> None:
    """Write the bundles that students get: a folder and a zip for each assignment.

    For nbgrader, a course folder with source notebooks and settings; for
    otter-grader, a folder for students and the autograder's zip.

    \b
    Example: redink distribute perceptron --to handouts/
             redink distribute perceptron --format nbgrader --to course/
    """
    from redink.grader.adapters.handing_over import hand_over
    from redink.grader.course import Course
    from redink.grader.workers.workers import workers_for

    course = Course.find()
    for slug in slugs:
        with workers_for(course, slug) as workers:
            written = hand_over(course, slug, target, workers, format)
        click.echo(f"wrote {' and '.join(f'{path}/' if path.is_dir() else str(path) for path in written)}")
