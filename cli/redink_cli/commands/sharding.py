"""Commands for a class that is graded on many machines: pack, merge, and a share of a packed class."""

from __future__ import annotations

import os
from pathlib import Path

import click

from redink_cli.options import gradebook_option, json_option

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("pack")
@click.argument("slug")
@click.option("--to", "target", type=_FILE, required=True, help="The file to write, as class.job.")
@click.option("--for", "recipients", multiple=True, required=True, metavar="age1…", help="Who may open it; repeatable.")
@gradebook_option
@json_option("what was packed")
def pack_command(
    slug: str, target: Path, recipients: tuple[str, ...], gradebook: Path | None, json_file: str | None
) -> None:
    """Pack what was collected into one encrypted file, with the answer key and without names, to be graded elsewhere.

    What was graded before and has not changed is left out. A key pair is made by `redink seal --new-identity FILE`.

    \b
    Example: redink pack perceptron --to class.job --for age1…
    """
    from redink.grader.course import Course
    from redink.grader.sharding.pack import pack
    from redink.grader.workers.workers import workers_for
    from redink_cli import screen

    course = Course.find()
    with screen.progress() as bar, workers_for(course, slug) as workers:
        screen.watch(bar, workers, slug)
        packed = pack(course, slug, target, recipients, workers=workers, gradebook=gradebook)
    if json_file:
        screen.write_json(packed, json_file)
    if json_file != "-":
        left = f"; {packed.left_out} need no grading" if packed.left_out else ""
        click.echo(
            f"packed {packed.submissions} submissions into {target} ({target.stat().st_size / 1e6:.1f} MB){left}"
        )
        click.echo(f"sha256 {packed.sha256}")


@click.command("merge")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=_FILE)
@gradebook_option
@json_option("the results")
@click.pass_context
def merge_command(ctx: click.Context, files: tuple[Path, ...], gradebook: Path | None, json_file: str | None) -> None:
    """Put shards that were graded elsewhere into the gradebook, in any order, as often as you like.

    Exit code 1 when somebody has no grade: a box failed there, or shards disagree.

    \b
    Example: redink merge shards/*.shard
    """
    from redink.grader.course import Course
    from redink.grader.sharding.merge import merge
    from redink_cli import screen
    from redink_cli.class_table import show_class

    course = Course.find()
    report = merge(course, files, gradebook=gradebook)
    if json_file:
        screen.write_json(report.file(), json_file)
    if json_file != "-":
        show_class(report, [("gradebook", gradebook or course.gradebook_path())])
    ctx.exit(1 if any(result.state == "internal_error" for result in report.results) else 0)


def grade_share(
    job: Path, shard: str, *, sha256: str, identity: Path | None, folder: Path, jobs: int, allow_weak: bool
) -> int:
    """Grade a share of a packed class, say what became of it, and return the exit code."""
    from redink.grader.sealing.identity import take_identity

    identities = take_identity(identity)  # before anything else: it may start this program again
    from redink.grader.sharding.job_file import PackedClass
    from redink.grader.sharding.shard import grade_shard
    from redink.grader.sharding.share import read_share

    share = read_share(shard, os.environ)
    with PackedClass(job, sha256, identities) as packed:
        done = grade_shard(packed, share, folder, jobs=jobs, allow_weak=allow_weak)
    counts = ", ".join(f"{count} {state}" for state, count in sorted(done.states.items()))
    click.echo(
        f"share {share} of {done.assignment}: {done.submissions} submissions, {done.reused} reused; {counts or '-'}"
    )
    for reason, count in done.failed.items():
        click.echo(f"{count} without a grade: {reason}; the same command tries again", err=True)
    click.echo(f"wrote {done.path}")
    return 1 if done.failed else 0
