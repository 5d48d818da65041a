"""Commands that run or judge submissions: run, grade, rejudge, demo."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redink_cli.options import (
    gradebook_option,
    hidden_folders,
    jobs_option,
    json_option,
    share_options,
    source_options,
    weak_box_allowed,
)

if TYPE_CHECKING:
    from redink.grader.course import Course
    from redink.grader.pipeline.report import Report
    from redink.grader.rejudge import Rejudged


@click.command("run")
@click.argument("notebook", type=click.Path(path_type=Path))
@click.option("--save", type=click.Path(path_type=Path, dir_okay=False), help="Write the executed notebook there.")
@json_option("what was seen")
def run_command(notebook: Path, save: Path | None, json_file: str | None) -> None:
    """Execute one notebook in the box and show what each cell did.

    \b
    Example: redink run submissions/ada/perceptron.ipynb --save executed.ipynb
    """
    from redink.grader.sandbox.run import executed, run
    from redink_cli import screen, tables

    observed = run(notebook, hidden=hidden_folders(), allow_weak=weak_box_allowed())
    if save:
        save.write_text(executed(notebook, observed), encoding="utf-8")
    if json_file:
        screen.write_json(observed, json_file)
    if json_file != "-":
        tables.show_cells(observed)


@click.command("grade")
@click.argument("slug", required=False)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@source_options
@jobs_option
@gradebook_option
@json_option("the results")
@click.option("--allow-weak-box", is_flag=True, help="Grade even where student code can reach secrets (see doctor).")
@click.option("--summary", type=click.Path(path_type=Path), help="Write a Markdown summary to this file.")
@click.option("--cluster", metavar="ADDRESS", help="Grade on a Dask cluster: tls://…, or tcp://127.0.0.1:… here.")
@share_options
@click.pass_context
def grade_command(
    ctx: click.Context,
    /,
    slug: str | None,
    path: Path | None,
    insist: str | None,
    names: str | None,
    jobs: int,
    gradebook: Path | None,
    json_file: str | None,
    summary: Path | None,
    allow_weak_box: bool,
    cluster: str | None,
    **of_a_share: Any,
) -> None:
    """Grade what was collected; or a notebook, a folder, an archive, a platform's download, a list of git repositories.

    A submission that was graded before and has not changed is not run again. Exit code 1 when a box failed and somebody
    has no grade; grade again to retry.

    \b
    Example: redink grade perceptron submissions/ --json results.json
             redink grade --from class.job --shard 1/3 --job-sha256 7626…
    """
    if slug is None:
        others: dict[str, object] = {
            "--names": names,
            "--gradebook": gradebook,
            "--json": json_file,
            "--summary": summary,
        }
        ctx.exit(_grade_share(insist, others, jobs, allow_weak_box, **of_a_share))
    if given := next((name for name, value in of_a_share.items() if value), None):
        raise click.UsageError(
            f"--{given.replace('_', '-')} is for a packed class: redink grade --from class.job --shard I/N"
        )
    from redink.grader.course import Course
    from redink_cli.class_table import show_class

    course = Course.find()
    report = _grade(
        course, slug, path, jobs, gradebook, allow_weak=allow_weak_box, insist=insist, names=names, cluster=cluster
    )
    _write(report, json_file, summary)
    if json_file != "-":
        places = {"gradebook": gradebook or course.gradebook_path(), "results": json_file, "summary": summary}
        show_class(report, [(what, place) for what, place in places.items() if place])
    ctx.exit(1 if any(result.state == "internal_error" for result in report.results) else 0)


@click.command("rejudge")
@click.argument("slug")
@gradebook_option
@click.option("--apply", is_flag=True, help="Write the new grades; without it, only the difference is shown.")
@click.option("--never-lower", is_flag=True, help="Whoever would lose points keeps the result.")
@click.option("--undo", is_flag=True, help="Bring back the results before the last re-judging that was applied.")
@json_option("the difference")
@click.pass_context
def rejudge_command(
    ctx: click.Context,
    slug: str,
    gradebook: Path | None,
    apply: bool,
    never_lower: bool,
    undo: bool,
    json_file: str | None,
) -> None:
    """Judge a class again from what was seen of it; nobody's code is run.

    Exit code 1 when somebody could not be judged again, and keeps the grade as it is.

    \b
    Example: redink rejudge perceptron
             redink rejudge perceptron --never-lower --apply
             redink rejudge perceptron --undo --apply
    """
    from redink.grader.course import Course
    from redink.grader.desk.undoing import undo_rejudging
    from redink_cli import changes, screen

    if undo and never_lower:
        raise click.UsageError("--undo brings back results as they were; leave out --never-lower")
    course = Course.find()
    if undo:
        rejudged = undo_rejudging(course, slug, gradebook=gradebook, apply=apply)
    else:
        rejudged = _rejudge(course, slug, gradebook, apply=apply, never_lower=never_lower)
    if json_file:
        screen.write_json(rejudged, json_file)
    if json_file != "-":
        changes.show_rejudged(rejudged)
    ctx.exit(1 if rejudged.failed or rejudged.purged else 0)


@click.command("demo")
@click.option(
    "--to", "target", default="demo", type=click.Path(path_type=Path), help="The folder for class and results."
)
@click.option("--all", "everything", is_flag=True, help="Grade a class for every assignment, the first one whole.")
@jobs_option
def demo_command(target: Path, everything: bool, jobs: int) -> None:
    """Grade a made-up class: right, blank, wrong in known ways, and the accidents of a real deadline.

    The first assignment with its whole class and one that needs torch with a small class; --all adds the rest.

    \b
    Example: redink demo
    """
    from redink.grader.assignment.assignment import read_assignment
    from redink.grader.author.demo import choose, make_class
    from redink.grader.course import Course
    from redink.grader.desk.standings import open_gradebook
    from redink_cli import screen
    from redink_cli.class_table import show_class

    course = Course.find()
    written = []
    for slug, size in choose(course, everything):
        folder = target / slug
        shutil.rmtree(folder / "submissions", ignore_errors=True)
        count = make_class(read_assignment(course, slug), folder / "submissions", size)
        click.echo(f"{slug}: a made-up class of {count} in {folder / 'submissions'}")
        report = _grade(course, slug, folder / "submissions", jobs, folder / "gradebook.sqlite")
        show_class(report, more=False)
        _write(report, str(folder / "results.json"), folder / "summary.md")
        with open_gradebook(course, folder / "gradebook.sqlite", "redink demo") as book:
            screen.write_report(course, book, slug, folder / "report")
        written.append(folder)
    click.echo("What was written:")
    for folder in written:
        click.echo(f"  {folder}/submissions/       the notebooks, a folder for each student")
        click.echo(f"  {folder}/report/index.html  the class at a glance, and everybody's feedback: open this one")
        click.echo(f"  {folder}/summary.md         the same in short, as Markdown")
        click.echo(f"  {folder}/results.json       every check of everybody, for programs")
        click.echo(f"  {folder}/gradebook.sqlite   what was handed in, seen and graded")


def _grade_share(
    job: str | None, others: dict[str, object], jobs: int, allow_weak: bool, *,
    shard: str | None, job_sha256: str | None, identity: Path | None, to: Path | None,
) -> int:  # fmt: skip
    """Grade a share of a packed class: it has a file of its own and nothing of the course, so other options say nothing."""
    from redink_cli.commands.sharding import grade_share

    if job is None:
        raise click.UsageError("name the assignment, or a packed class with --from class.job")
    if not (shard and job_sha256):
        raise click.UsageError(
            "a packed class needs --shard I/N (1/1 is all of it) and the --job-sha256 of `redink pack`"
        )
    if given := next((name for name, value in others.items() if value), None):
        raise click.UsageError(f"{given} says nothing about a packed class: `redink merge` takes what is written here")
    weak = allow_weak or weak_box_allowed()
    return grade_share(
        Path(job), shard, sha256=job_sha256, identity=identity, folder=to or Path(), jobs=jobs, allow_weak=weak
    )


def _rejudge(course: Course, slug: str, gradebook: Path | None, *, apply: bool, never_lower: bool) -> Rejudged:
    from redink.grader.cpus import usable_cpus
    from redink.grader.rejudge import rejudge
    from redink.grader.workers.workers import workers_for
    from redink_cli import screen

    with screen.progress() as bar, workers_for(course, slug, jobs=usable_cpus()) as workers:
        screen.watch(bar, workers, slug)
        return rejudge(course, slug, workers=workers, gradebook=gradebook, apply=apply, never_lower=never_lower)


def _grade(
    course: Course,
    slug: str,
    path: Path | None,
    jobs: int,
    gradebook: Path | None,
    *,
    insist: str | None = None,
    names: str | None = None,
    allow_weak: bool = False,
    cluster: str | None = None,
) -> Report:
    """Grade, here or on a cluster, and show how far that is."""
    from redink.grader.grade import grade
    from redink.grader.workers.cluster import Cluster
    from redink.grader.workers.workers import workers_for
    from redink_cli.progress import GradingProgress

    weak = allow_weak or weak_box_allowed()
    with (
        Cluster(cluster) if cluster else contextlib.nullcontext() as there,
        workers_for(course, slug, jobs=there.threads if there else jobs, allow_weak=weak, executor=there) as workers,
        GradingProgress(slug).shown(workers) as progress,
    ):
        return grade(
            course, slug, path, workers=workers, gradebook=gradebook, insist=insist, names=names, progress=progress
        )


def _write(report: Report, json_file: str | None, summary_file: Path | None) -> None:
    from redink.grader.pages.summary import summary
    from redink_cli import screen

    if json_file:
        screen.write_json(report.file(), json_file)
    if summary_file:
        summary_file.write_text(summary(report), encoding="utf-8")
