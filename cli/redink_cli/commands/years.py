"""The command between two years: new-year."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("new-year")
@click.option("--archive", required=True, type=click.Path(path_type=Path), help="A new folder for the old year.")
def new_year_command(archive: Path) -> None:
    """Archive the course as it is, and begin anew: a new secret, an empty gradebook.

    In the archive every command works as before. Nothing is removed; what
    could be lost is refused.

    \b
    Example: redink new-year --archive ../2025
    """
    from redink.grader.course import Course
    from redink.grader.desk.new_year import begin_new_year

    done = begin_new_year(Course.find(), archive)
    click.echo(f"the old year is in {archive}: {', '.join(done.assignments) or 'nothing was handed in'}")
    click.echo("this course has a new secret and no gradebook yet")
    if done.over:
        click.echo(f"next: give new due dates in course.toml to {', '.join(done.over)}, or everybody will be late")
    click.echo("next: put this year's people into the roster")
    click.echo(f"later: redink similar SLUG --with {archive / '.redink' / done.gradebook.name} --to alike/")
