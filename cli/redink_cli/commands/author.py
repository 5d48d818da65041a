"""Commands for authors: new, import, build, verify."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import click

from redink_cli.options import jobs_option, json_option

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@click.command("new")
@click.argument("slug")
def new_command(slug: str) -> None:
    """Write a tiny new assignment that is complete and correct.

    \b
    Example: redink new my_topic && redink verify my_topic
    """
    from redink.grader.author.build import build
    from redink.grader.author.scaffold import scaffold
    from redink.grader.course import Course
    from redink.grader.cpus import usable_cpus
    from redink.grader.workers.workers import workers_for

    course = Course.find()
    written = scaffold(course, slug)
    with workers_for(course, slug, jobs=usable_cpus()) as workers:
        written += build(course, slug, workers)
    for path in written:
        click.echo(f"wrote {path.relative_to(course.root)}")
    click.echo(f"Next: change it, then redink build {slug} and redink verify {slug}. docs/authors.md says how.")


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True))
@click.option("--to", "slug", required=True, metavar="SLUG", help="What the assignment is called here.")
@jobs_option
@click.pass_context
def import_command(ctx: click.Context, file: Path, slug: str, jobs: int) -> None:
    """Turn an assignment of nbgrader or otter-grader into one of Redink.

    FILE is a source notebook of nbgrader, a master of otter-assign, or a notebook (or its folder) with otter's tests/.
    It is read, not run; what its tests become is tried in the box, and what a person must finish is listed.

    \b
    Example: redink import source/ps1/squares.ipynb --to squares
             redink import lab01/ --to lab01
    """
    from redink.grader.course import Course
    from redink.grader.importing.importing import import_assignment
    from redink_cli import tables

    course = Course.find()
    imported = import_assignment(course, file, slug, jobs=jobs)
    tables.show_imported(imported, course.root, slug)
    ctx.exit(1 if imported.waits else 0)


@click.command("build")
@click.argument("slugs", nargs=-1, metavar="[SLUG]...")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 if a generated file has drifted.")
@click.option(
    "--solved", type=click.Path(path_type=Path), metavar="DIR", help="Write the solved notebooks there instead."
)
@click.pass_context
def build_command(ctx: click.Context, slugs: tuple[str, ...], only_check: bool, solved: Path | None) -> None:
    """Generate the student's notebook and the published values from the master.

    \b
    Example: redink build perceptron
             redink build --check
    """
    from redink.grader.author import build
    from redink.grader.course import Course
    from redink.grader.cpus import usable_cpus
    from redink.grader.workers.workers import workers_for

    course = Course.find()
    drifted = False
    for slug in slugs or course.slugs():
        if solved:
            click.echo(f"wrote {build.solve(course, slug, solved)}")
            continue
        with workers_for(course, slug, jobs=usable_cpus()) as workers:
            if only_check:
                found = build.drift(course, slug, workers)
                drifted |= bool(found)
                lines = [f"{slug}: {line}" for line in found]
            else:
                lines = [f"wrote {path.relative_to(course.root)}" for path in build.build(course, slug, workers)]
        click.echo("\n".join(lines) or f"{slug}: up to date")
    ctx.exit(1 if drifted else 0)


@click.command("verify")
@click.argument("slugs", nargs=-1, metavar="[SLUG]...")
@click.option("--draft", is_flag=True, help="List what is still missing, and exit 1 only for what is wrong.")
@click.option("--sample", is_flag=True, help="Try a third of the misconceptions, always the same ones.")
@click.option("--mutants", type=click.IntRange(1), metavar="N", help="Instead, try N mutants of the reference.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which mutants are drawn.")
@jobs_option
@json_option("what was found")
@click.pass_context
def verify_command(
    ctx: click.Context,
    slugs: tuple[str, ...],
    draft: bool,
    sample: bool,
    mutants: int | None,
    seed: int,
    jobs: int,
    json_file: str | None,
) -> None:
    """Grade the grader: every promise about an assignment, tried on specimens.

    \b
    Example: redink verify perceptron
             redink verify perceptron --mutants 60
    """
    from redink.grader.author.verify import verify
    from redink.grader.course import Course
    from redink.grader.workers.workers import workers_for
    from redink_cli import screen, tables

    if mutants is not None:
        if draft or sample:
            raise click.UsageError("--mutants is a run of its own; leave out --draft and --sample")
        ctx.exit(_mutate(slugs, mutants, seed, jobs, json_file))
    course = Course.find()
    found = []
    for slug in slugs or course.slugs():
        with screen.progress() as bar:
            step = functools.partial(_advance, bar, bar.add_task(f"verify {slug}", total=None))
            with workers_for(course, slug, jobs=jobs) as workers:
                screen.watch(bar, workers, slug)
                found.append(verify(course, slug, workers=workers, sample=sample, progress=step))
        if json_file != "-":
            tables.show_verified(found[-1], draft)
    if json_file:
        screen.write_json(found, json_file)
    ctx.exit(1 if any(one.broken or (one.missing and not draft) for one in found) else 0)


def _mutate(slugs: tuple[str, ...], count: int, seed: int, jobs: int, json_file: str | None) -> int:
    """Try mutants of each assignment; return the exit code."""
    from redink.grader.author.mutating import mutate
    from redink.grader.course import Course
    from redink.grader.workers.workers import workers_for
    from redink_cli import screen, tables

    course = Course.find()
    found = []
    for slug in slugs or course.slugs():
        with screen.progress() as bar:
            step = functools.partial(_advance, bar, bar.add_task(f"mutants of {slug}", total=None))
            with workers_for(course, slug, jobs=jobs) as workers:
                screen.watch(bar, workers, slug)
                found.append(mutate(course, slug, count, workers=workers, seed=seed, progress=step))
        if json_file != "-":
            tables.show_mutated(found[-1])
    if json_file:
        screen.write_json(found, json_file)
    return 1 if any(one.survivors or one.refuted for one in found) else 0


def _advance(bar: Progress, task: TaskID, done: int, total: int) -> None:
    bar.update(task, completed=done, total=total)
