"""The command that writes what students get: distribute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from redink.grader.author.ci_files import Platform
    from redink.grader.course import Course

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command("distribute")
@click.argument("slugs", nargs=-1, required=True, metavar="SLUG...")
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The folder for the bundles.")
@click.option(
    "--format",
    type=click.Choice(["redink", "nbgrader", "otter", "gradescope"]),
    default="redink",
    help="Whose: Redink's own.",
)
@click.option("--ci", "system", type=click.Choice(["github", "gitlab"]), help="Write repositories with jobs too.")
@click.option("--wheel", type=_FILE, help="The wheel of Redink, to be carried; not for nbgrader and otter.")
@click.option("--key", type=_FILE, help="With --ci: the sealed key that the course's repository carries.")
def distribute_command(
    slugs: tuple[str, ...], target: Path, format: str, system: Platform | None, wheel: Path | None, key: Path | None
) -> None:
    """Write the bundles that students get: a folder and a zip for each assignment.

    With --wheel they carry Redink, and the notebook has a first cell that
    installs it where nothing else is, as in Colab. For nbgrader, a course folder with source notebooks and settings; for
    otter-grader, a folder for students and the autograder's zip; for
    Gradescope, the autograder's zip, which runs Redink. With --ci, templates
    of repositories too: a student's, which runs public checks, and the
    course's, which grades.

    \b
    Example: redink distribute perceptron --to handouts/ --wheel redink.whl
             redink distribute perceptron --format nbgrader --to course/
             redink distribute ridge --format gradescope --to out/ --wheel r.whl
             redink distribute perceptron --to out/ --ci github --wheel redink.whl
    """
    from redink.grader.adapters.handing_over import hand_over
    from redink.grader.course import Course
    from redink.grader.workers.workers import workers_for

    _refuse_mixed_options(format, system, wheel, key)
    course = Course.find()
    for slug in slugs:
        with workers_for(course, slug) as workers:
            written = hand_over(course, slug, target, workers, format, wheel)
        click.echo(f"wrote {' and '.join(f'{path}/' if path.is_dir() else str(path) for path in written)}")
    if system is not None and wheel is not None:
        _write_repositories(course, slugs, target, system, wheel, key)


def _refuse_mixed_options(format: str, system: str | None, wheel: Path | None, key: Path | None) -> None:
    carries = "--ci" if system else "--format gradescope" if format == "gradescope" else ""
    if (wheel and not carries and format != "redink") or (key and not system):
        raise click.UsageError("--key belongs to --ci, and --wheel to bundles of Redink's own, --ci and Gradescope")
    if carries and wheel is None:
        raise click.UsageError(
            f"{carries} needs --wheel: build one with `python -m pip wheel --no-deps . --wheel-dir DIR`"
        )


def _write_repositories(
    course: Course, slugs: tuple[str, ...], target: Path, system: Platform, wheel: Path, key: Path | None
) -> None:
    from redink.assignment.spec import read_spec
    from redink.grader.author.ci_files import course_repository, student_repository
    from redink.grader.author.distribute import write_repository

    for slug in slugs:
        files = student_repository(course.find_assignment(slug), wheel, system)
        click.echo(f"wrote {write_repository(files, target / f'{slug}-repository')}/, for students")
    specs = [read_spec(course.find_assignment(slug)) for slug in slugs]
    files = course_repository(specs, wheel, system, key.read_bytes() if key else None)
    click.echo(f"wrote {write_repository(files, target / 'course-repository')}/, for the course alone")
