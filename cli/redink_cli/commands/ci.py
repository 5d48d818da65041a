"""Commands for CI jobs: ci, seal."""

from __future__ import annotations

import os
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redink.errors import DEBUG_VARIABLE, in_one_sentence
from redink_cli.options import json_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redink.grader.ci.grading import GradedBy
    from redink.grader.ci.outcome import CiOutcome

_FILE = click.Path(path_type=Path, dir_okay=False)


class _WrongUseError(click.UsageError):
    """A wrong use of `redink ci`."""

    exit_code = 3


class _CiCommand(click.Command):
    """A command whose wrong use is our fault, not the student's: exit code 3."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise _WrongUseError(error.format_message(), ctx) from error


@click.command("ci", cls=_CiCommand)
@click.argument("path", default=".", type=click.Path(path_type=Path, exists=True))
@click.option("--key", type=_FILE, help="A sealed answer key; without one, only public checks are run.")
@click.option("--key-sha256", envvar="REDINK_KEY_SHA256", help="What `redink seal` printed: no other file is opened.")
@click.option("--identity", type=_FILE, help="What opens the key; otherwise its text in REDINK_IDENTITY.")
@click.option("--assignment", "slugs", multiple=True, metavar="SLUG", help="Grade only this one; may be repeated.")
@click.option("--show-hidden", is_flag=True, help="Run hidden checks before everybody's time is over.")
@click.option(
    "--each",
    "target",
    type=click.Path(path_type=Path, file_okay=False),
    help="PATH lists repositories, or holds clones: write one result file each, there.",
)
@click.option("--min-score", type=click.FloatRange(0, 100), help="Exit code 1 below so many percent.")
@click.option("--junit", type=_FILE, help="Write JUnit XML.")
@click.option("--summary", type=_FILE, envvar="GITHUB_STEP_SUMMARY", help="Append a summary in Markdown.")
@click.option("--classroom", type=_FILE, help="Write the result.json of Classroom 50.")
@click.option("--gradescope", type=_FILE, help="Write the results.json of Gradescope, for one notebook.")
@click.option(
    "--gradescope-metadata",
    "metadata",
    type=_FILE,
    help="In Gradescope's container: its submission_metadata.json. Hidden checks run, and show when time is over.",
)
@json_option("the results")
@click.option("--allow-weak-box", is_flag=True, help="Use a key even where student code can reach it (see doctor).")
@click.pass_context
def ci_command(ctx: click.Context, /, path: Path, min_score: float | None, **options: Any) -> None:
    """Grade the notebooks of a submission repository, as a job of GitHub, GitLab or another CI.

    Exit code 0: graded, and not below --min-score. 1: below. 2: not gradable, with the reason. 3: our fault.

    \b
    Example: redink ci --min-score 60 --junit report.xml
             redink ci student/ --key keys.age --key-sha256 7626…
             redink ci repositories.txt --each results/ --key keys.age
    """
    from redink.grader.ci.log import inert
    from redink.grader.ci.outcome import OURS, exit_code

    try:
        if options["target"]:
            ctx.exit(_grade_each(path, options))
        graders = _graders(options)
        outcomes = _grade(path, graders, options)
        _write(outcomes, graders, path, options)
    except (BrokenPipeError, click.exceptions.Exit):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is not the student's
        if os.environ.get(DEBUG_VARIABLE):
            traceback.print_exc()
        click.echo(f"redink: {inert(in_one_sentence(error))}", err=True)
        ctx.exit(OURS)
    ctx.exit(exit_code(outcomes, min_score))


def _grade(path: Path, graders: list[GradedBy], options: dict[str, Any]) -> list[CiOutcome]:
    from redink.grader.ci.grading import grade_repository

    of_the_course = options["key"] is not None or bool(options["slugs"])
    return grade_repository(path, graders, of_the_course=of_the_course, allow_weak=options["allow_weak_box"])


def _grade_each(path: Path, options: dict[str, Any]) -> int:
    """Grade everybody's repository and say what became of each."""
    from redink.grader.ci.log import inert
    from redink.grader.ci.outcome import ABOVE, OURS, heading
    from redink.grader.ci.repositories import grade_repositories
    from redink.texts import clean

    code = ABOVE
    for grader in _graders(options):
        told = [grader.only_public] if grader.only_public else []
        for line in (*told, *grader.told):
            click.echo(f"{grader.spec.slug}: {inert(clean(line))}")
        for one in grade_repositories(path, grader, options["target"], allow_weak=options["allow_weak_box"]):
            reason = one.outcome.result.reason
            why = f" ({clean(reason, 300)})" if reason else ""
            click.echo(inert(f"{clean(one.student)}: {heading(one.outcome)}{why}{' (unchanged)' * one.reused}"))
            code = OURS if one.outcome.result.state == "internal_error" else code
    return code


def _graders(options: dict[str, Any]) -> list[GradedBy]:
    from redink.errors import CourseError

    if options["metadata"] and not (options["key"] and options["gradescope"]):
        raise CourseError("--gradescope-metadata belongs to --key and --gradescope")
    if options["key"] is None:
        from redink.grader.ci.grading import by_public_checks

        return by_public_checks(options["slugs"])
    return _by_sealed_key(options)


def _by_sealed_key(options: dict[str, Any]) -> list[GradedBy]:
    from redink.errors import CourseError
    from redink.grader.sealing.identity import take_identity

    identities = take_identity(options["identity"])  # before anything else: it may start this program again
    from redink.grader.ci.grading import by_key
    from redink.grader.sealing.sealed import unseal

    if not options["key_sha256"]:
        raise CourseError("--key needs --key-sha256, the number that `redink seal` printed: no other file is opened")
    unsealed = unseal(options["key"], options["key_sha256"], identities)
    return by_key(unsealed, options["slugs"], show_hidden=options["show_hidden"] or options["metadata"] is not None)


def _write(outcomes: Sequence[CiOutcome], graders: Sequence[GradedBy], path: Path, options: dict[str, Any]) -> None:
    """Write the log, and every file that was asked for."""
    from redink.grader.ci.classroom import classroom_result
    from redink.grader.ci.github import remarks, summary
    from redink.grader.ci.junit import junit
    from redink.grader.ci.log import log
    from redink.records import Results
    from redink_cli import screen

    quiet = options["json_file"] == "-"
    for line in () if quiet else log(outcomes, os.environ):
        click.echo(line)
    if os.environ.get("GITHUB_ACTIONS") == "true" and not quiet:
        for line in remarks(outcomes):
            click.echo(line)
    if options["junit"]:
        options["junit"].write_bytes(junit(outcomes))
    if options["summary"]:
        with options["summary"].open("a", encoding="utf-8") as file:
            file.write(summary(outcomes))
    if options["classroom"]:
        screen.write_json(classroom_result(outcomes, os.environ, _handed_in(path)), options["classroom"])
    if options["gradescope"]:
        screen.write_json(_gradescope(_only(outcomes), graders, path, options), options["gradescope"])
    if options["json_file"]:
        screen.write_json(Results(results=tuple(one.result for one in outcomes)), options["json_file"])


def _gradescope(outcome: CiOutcome, graders: Sequence[GradedBy], path: Path, options: dict[str, Any]) -> dict[str, Any]:
    from redink.grader.ci.gradescope import gradescope_results, submission_results

    if options["metadata"] is None:
        return gradescope_results(outcome.result)
    (grader,) = (one for one in graders if one.spec.slug == outcome.slug)
    return submission_results(path, grader, outcome, options["metadata"], allow_weak=options["allow_weak_box"])


def _only(outcomes: Sequence[CiOutcome]) -> CiOutcome:
    from redink.errors import CourseError

    if len(outcomes) != 1:
        raise CourseError(f"Gradescope takes one notebook, and there are {len(outcomes)}: choose one with --assignment")
    return outcomes[0]


def _handed_in(path: Path) -> datetime:
    """Return what the repository says of its last commit: the same whenever it is graded; without one, now."""
    from redink.errors import SubmissionError
    from redink.grader.intake.git import Repository

    try:
        commits = Repository(str(path.resolve())).commits()
    except SubmissionError:
        commits = []
    return (commits[0].committed if commits else None) or datetime.now(UTC)


@click.command("seal")
@click.argument("slugs", nargs=-1, metavar="SLUG...")
@click.option("--to", "target", type=click.Path(path_type=Path, dir_okay=False), help="The sealed file to write.")
@click.option("--for", "recipients", multiple=True, metavar="age1…", help="Who may open it; may be repeated.")
@click.option("--without-reference", is_flag=True, help="Leave out the solved cells: unknown errors are not carried.")
@click.option("--new-identity", type=click.Path(path_type=Path), metavar="FILE", help="Make a key pair instead.")
def seal_command(
    slugs: tuple[str, ...],
    target: Path | None,
    recipients: tuple[str, ...],
    without_reference: bool,
    new_identity: Path | None,
) -> None:
    """Write answer keys into one encrypted file, with which a machine grades without solutions/.

    It prints the SHA-256 to pin in the workflow: `redink ci` opens no other file.

    \b
    Example: redink seal --new-identity course.identity
             redink seal perceptron --to keys.age --for age1…
    """
    if new_identity is not None:
        _make_identity(new_identity, slugs)
        return
    if not (slugs and target and recipients):
        raise click.UsageError("name the assignments, the file (--to) and who may open it (--for)")
    from redink.grader.course import Course
    from redink.grader.sealing.seal import seal
    from redink.grader.sealing.sealed import file_hash

    data = seal(Course.find(), slugs, recipients, reference=not without_reference)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    click.echo(f"sealed {', '.join(dict.fromkeys(slugs))} into {target} ({len(data) / 1e6:.1f} MB)")
    click.echo(f"sha256 {file_hash(data)}")


def _make_identity(file: Path, slugs: tuple[str, ...]) -> None:
    from redink.grader.sealing.identity import new_identity

    if slugs:
        raise click.UsageError("--new-identity makes a key pair and seals nothing; leave out the assignments")
    recipient = new_identity(file)
    click.echo(f"wrote {file}: keep it secret, and keep a copy")
    click.echo(f"public key {recipient}")
