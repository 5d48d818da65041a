"""Commands for instructors: distribute, run, grade, rejudge, demo."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from redink_cli.options import gradebook_option, jobs_option, json_option

if TYPE_CHECKING:
    from redink.grader.course import Course
    from redink.grader.pipeline.report import Report


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

    course = Course.find()
    for slug in slugs:
        folder, archive = distribute(course, slug, target)
        click.echo(f"wrote {folder}/ and {archive}")


@click.command("run")
@click.argument("notebook", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--save", type=click.Path(path_type=Path, dir_okay=False), help="Write the executed notebook there.")
@json_option("what was seen")
def run_command(notebook: Path, save: Path | None, json_file: str | None) -> None:
    """Execute one notebook in the box and show what each cell did.

    \b
    Example: redink run submissions/ada/perceptron.ipynb --save executed.ipynb
    """
    from redink.grader.sandbox.run import executed, run
    from redink_cli import screen, tables

    observed = run(notebook, allow_weak=bool(os.environ.get("REDINK_ALLOW_WEAK_BOX")))
    if save:
        save.write_text(executed(notebook, observed), encoding="utf-8")
    if json_file:
        screen.write_json(observed, json_file)
    if json_file != "-":
        tables.show_cells(observed)


@click.command("grade")
@click.argument("slug")
@click.argument("path", type=click.Path(path_type=Path))
@jobs_option
@gradebook_option
@json_option("the results")
@click.option("--allow-weak-box", is_flag=True, help="Grade even where student code can reach secrets (see doctor).")
@click.option("--summary", type=click.Path(path_type=Path), help="Write a Markdown summary to this file.")
@click.pass_context
def grade_command(
    ctx: click.Context,
    slug: str,
    path: Path,
    jobs: int,
    gradebook: Path | None,
    json_file: str | None,
    summary: Path | None,
    allow_weak_box: bool,
) -> None:
    """Grade a notebook, a folder of notebooks, or a folder of folders of one each.

    A submission that was graded before and has not changed is not run again. Exit code 1 when a box failed and somebody
    has no grade; grade again to retry.

    \b
    Example: redink grade perceptron submissions/ --json results.json
    """
    from redink.grader.course import Course
    from redink.grader.pipeline.observe import WEAK_VARIABLE

    if allow_weak_box:
        os.environ[WEAK_VARIABLE] = "1"  # every worker of this run inherits it
    report = _grade(Course.find(), slug, path, jobs, gradebook, quiet=json_file == "-")
    _write(report, json_file, summary)
    ctx.exit(1 if any(result.state == "internal_error" for result in report.results) else 0)


@click.command("rejudge")
@click.argument("slug")
@gradebook_option
@click.option("--apply", is_flag=True, help="Write the new grades; without it, only the difference is shown.")
@json_option("the difference")
def rejudge_command(slug: str, gradebook: Path | None, apply: bool, json_file: str | None) -> None:
    """Judge a class again from what was seen of it; nobody's code is run.

    \b
    Example: redink rejudge perceptron
             redink rejudge perceptron --apply
    """
    from redink.grader.course import Course
    from redink.grader.rejudge import rejudge
    from redink_cli import screen, tables

    rejudged = rejudge(Course.find(), slug, gradebook=gradebook, apply=apply)
    if json_file:
        screen.write_json(rejudged, json_file)
    if json_file != "-":
        tables.show_rejudged(rejudged)


@click.command("demo")
@click.option(
    "--to", "target", default="demo", type=click.Path(path_type=Path), help="The folder for class and results."
)
@jobs_option
def demo_command(target: Path, jobs: int) -> None:
    """Grade a made-up class: right, blank, wrong in known ways, and the accidents of a real deadline.

    The first assignment gets the whole class, with every known misconception; the others get a small one.

    \b
    Example: redink demo
    """
    from redink.assignment.handout import list_assignments
    from redink.grader.assignment.assignment import read_assignment
    from redink.grader.author.demo import make_class
    from redink.grader.course import Course

    course = Course.find()
    complete = set(course.slugs())
    slugs = [spec.slug for spec in list_assignments(course.assignments) if spec.slug in complete]
    for place, slug in enumerate(slugs):
        folder = target / slug
        shutil.rmtree(folder / "submissions", ignore_errors=True)
        count = make_class(read_assignment(course, slug), folder / "submissions", whole=place == 0)
        click.echo(f"{slug}: a made-up class of {count} in {folder / 'submissions'}")
        report = _grade(course, slug, folder / "submissions", jobs, folder / "gradebook.sqlite")
        _write(report, str(folder / "results.json"), folder / "summary.md")
        click.echo(f"wrote {folder / 'results.json'} and {folder / 'summary.md'}")


def _grade(course: Course, slug: str, path: Path, jobs: int, gradebook: Path | None, quiet: bool = False) -> Report:
    """Grade with progress, then show the table."""
    from redink.grader.pipeline.grade import grade
    from redink_cli import screen, tables

    reused = graded = 0
    with screen.progress() as bar:
        task = bar.add_task(f"grade {slug}", total=None)

        def step(result: object, again: bool) -> None:
            nonlocal reused, graded
            reused, graded = reused + again, graded + (not again)
            bar.advance(task)

        report = grade(course, slug, path, jobs=jobs, gradebook=gradebook, progress=step)
    if not quiet:
        tables.show_report(report, graded, reused)
    return report


def _write(report: Report, json_file: str | None, summary_file: Path | None) -> None:
    from redink.grader.summary import summary
    from redink_cli import screen

    if json_file:
        screen.write_json(report.file(), json_file)
    if summary_file:
        summary_file.write_text(summary(report), encoding="utf-8")
