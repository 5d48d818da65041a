"""Commands for what a course keeps: new-year, purge."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

import click

from redink_cli.options import gradebook_option


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


@click.command("purge")
@click.argument("student", required=False)
@click.option("--notebooks", is_flag=True, help="Instead: notebooks alone, of everybody; grades stay.")
@click.option(
    "--before", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%d %H:%M"]), help="With --notebooks: collected before this day."
)
@gradebook_option
@click.pass_context
def purge_command(
    ctx: click.Context, student: str | None, notebooks: bool, before: datetime | None, gradebook: Path | None
) -> None:
    """Remove a person from all that the course holds, or old notebooks; this cannot be undone.

    A person is removed from the gradebook, its copies, receipts and reports;
    a nameless row stays. Other files that name the person are listed, and
    exit code 1 says that there are some.

    \b
    Example: redink purge ada
             redink purge --notebooks --before 2026-10-01
    """
    from redink.grader.course import Course
    from redink.grader.desk.person import find_person
    from redink.grader.desk.purging import purge_notebooks, purge_person
    from redink.grader.desk.standings import open_gradebook

    if bool(student) == notebooks or notebooks != bool(before):
        raise click.UsageError("say whom, as in `redink purge ada`, or `redink purge --notebooks --before 2026-10-01`")
    course = Course.find()
    with open_gradebook(course, gradebook, "redink purge") as book:  # the lock names the command, not the person
        if before is not None:
            _confirm(f"remove all notebooks that were collected before {before:%Y-%m-%d %H:%M}")
            done = purge_notebooks(course, book, before)
            click.echo(f"{_counted(done.purged.attempts, 'notebook')} removed; grades stay")
        else:
            person = find_person(course, book, student or "")
            _confirm(f"remove {person.name or person.id} ({person.id}) and all their work")
            done = purge_person(course, book, person)
            click.echo(
                f"{_counted(done.purged.attempts, 'attempt')}, {_counted(done.purged.results, 'result')} removed"
            )
            if done.purged.shared:
                click.echo(
                    f"{_counted(done.purged.shared, 'attempt')} of a group stay, without the name: others have them too"
                )
    for path in done.removed:
        click.echo(f"removed from {path}" if path.exists() else f"removed {path}")
    for path in done.named_in:
        click.echo(f"still named, and yours to mend: {path}")
    ctx.exit(1 if done.named_in else 0)


def _confirm(what: str) -> None:
    """Ask, if somebody is there to answer."""
    if sys.stdin.isatty():
        click.confirm(f"{what}, for good?", abort=True)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
