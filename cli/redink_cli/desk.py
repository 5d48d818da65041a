"""Commands for the days around a deadline: collect, extend, override, void, history, report, mistakes, similar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from redink_cli.options import Command, gradebook_option, json_option, source_options

if TYPE_CHECKING:
    from redink.grader.course import Course
    from redink.grader.desk.deciding import GradeMove, Wish
    from redink.grader.store.gradebook import Gradebook


def _decision_options(command: Command) -> Command:
    for option in (
        gradebook_option,
        click.option("--why", default="", help="The reason, which stays in the gradebook."),
        click.option("--undo", is_flag=True, help="Take it back."),
    ):
        command = option(command)
    return command


def _bulk_option(columns: str) -> Callable[[Command], Command]:
    return click.option(
        "--from",
        "file",
        type=click.Path(path_type=Path, dir_okay=False),
        help=f"Read many from a CSV file with the columns {columns}.",
    )


@click.command("collect")
@click.argument("slug")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SOURCE...")
@source_options
@click.option("--before", default="", metavar="TIME", help="Of git repositories, the last commit before this time.")
@click.option("--roster", type=click.Path(path_type=Path, dir_okay=False), help="Who is in the course (CSV).")
@click.option(
    "--times", type=click.Path(path_type=Path, dir_okay=False), help="When people handed in (CSV; Moodle's worksheet)."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be taken.")
@click.option(
    "--receipts", type=click.Path(path_type=Path, dir_okay=False), help="Write a receipt for each file (CSV)."
)
@gradebook_option
@json_option("what became of all files")
def collect_command(
    slug: str, sources: tuple[Path, ...], insist: str | None, names: str | None, before: str, roster: Path | None,
    times: Path | None, dry_run: bool, receipts: Path | None, gradebook: Path | None, json_file: str | None,
) -> None:  # fmt: skip
    """Take in what was handed in: a platform's download, a folder, an archive, git repositories.

    Every file is taken, or ignored with a reason; `redink grade SLUG` then grades what was taken.

    \b
    Example: redink collect perceptron submissions.zip --roster roster.csv
             redink collect perceptron repos.txt --before "2026-11-20 23:59"
    """
    from redink.grader.course import Course
    from redink.grader.desk.collecting import collect_class, write_receipts
    from redink_cli import screen, tables

    with screen.progress() as bar:
        task = bar.add_task(f"collect {slug}", total=None)
        collected = collect_class(
            Course.find(), slug, sources, gradebook=gradebook, insist=insist, names=names, before=before, roster=roster,
            times=times, dry_run=dry_run, progress=lambda done, total: bar.update(task, completed=done, total=total),
        )  # fmt: skip
    if receipts:
        write_receipts(collected, receipts)
    if json_file:
        screen.write_json(collected, json_file)
    if json_file != "-":
        tables.show_collected(collected)


@click.command("extend")
@click.argument("slug")
@click.argument("student", required=False)
@click.option(
    "--until", default="", metavar="TIME", help="'2026-11-22 23:59' by the course's clock, or +2 for two days."
)
@_bulk_option("student, until, reason")
@_decision_options
def extend_command(
    slug: str, student: str | None, until: str, file: Path | None, gradebook: Path | None, why: str, undo: bool
) -> None:
    """Let a student hand in later, without it being late.

    \b
    Example: redink extend perceptron ada --until +2 --why "ill, certificate seen"
             redink extend perceptron --from extensions.csv
    """
    from redink.grader.desk.deciding import extend

    if student and not (until or undo):
        raise click.UsageError("say until when: --until '2026-11-22 23:59', or --until +2")
    _decide(slug, extend, "until", student, "" if undo else until, "", why, file, gradebook)


@click.command("override")
@click.argument("slug")
@click.argument("student", required=False)
@click.argument("score", required=False)
@click.option("-q", "--question", default="", help="The question; without it the whole assignment is set.")
@_bulk_option("student, score, reason and, if you like, question")
@_decision_options
def override_command(
    slug: str,
    student: str | None,
    score: str | None,
    question: str,
    file: Path | None,
    gradebook: Path | None,
    why: str,
    undo: bool,
) -> None:
    """Set a score by hand; it holds whatever is graded or judged again.

    \b
    Example: redink override perceptron ada 15 -q step --why "renamed"
             redink override perceptron ada -q step --undo --why "mistaken"
    """
    from redink.grader.desk.deciding import override

    if student and not (score or undo):
        raise click.UsageError("say the score, or --undo to take one back")
    _decide(slug, override, "score", student, "" if undo else score or "", question, why, file, gradebook)


@click.command("void")
@click.argument("slug")
@click.argument("check")
@_decision_options
def void_command(slug: str, check: str, gradebook: Path | None, why: str, undo: bool) -> None:
    """Have a broken check count as passed for everybody who was graded.

    \b
    Example: redink void perceptron bound_holds --why "the text does not say so"
             redink void perceptron bound_holds --undo --why "it does"
    """
    from redink.grader.course import Course
    from redink.grader.desk.deciding import void
    from redink.grader.desk.standings import open_gradebook

    _need_a_reason(why)
    course = Course.find()
    with open_gradebook(course, gradebook, f"redink void {slug}") as book:
        _show(void(course, book, slug, check, void=not undo, reason=why))


@click.command("history")
@click.argument("student")
@click.argument("slugs", nargs=-1, metavar="[SLUG]...")
@gradebook_option
def history_command(student: str, slugs: tuple[str, ...], gradebook: Path | None) -> None:
    """Say what a student has and how it came about, as a reply to a complaint.

    \b
    Example: redink history ada perceptron
    """
    from redink.grader.course import Course
    from redink.grader.desk.history import history
    from redink.grader.desk.standings import open_gradebook

    course = Course.find()
    with open_gradebook(course, gradebook, "redink history") as book:
        for slug in slugs or book.collected.assignments():
            click.echo("\n".join(history(course, book, slug, student)) + "\n")


@click.command("report")
@click.argument("slug")
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The folder for the pages.")
@click.option("--now", is_flag=True, help="Show expected values although somebody still has time.")
@gradebook_option
@click.pass_context
def report_command(ctx: click.Context, slug: str, target: Path, now: bool, gradebook: Path | None) -> None:
    """Write the class page and a feedback page for each student, as files.

    Open index.html. Until the last student's time is over, feedback pages show no expected values. Exit code 1 when
    somebody's page could not be made.

    \b
    Example: redink report perceptron --to report/
    """
    from redink.grader.course import Course
    from redink.grader.desk.standings import open_gradebook
    from redink_cli import screen

    course = Course.find()
    with open_gradebook(course, gradebook, f"redink report {slug}") as book:
        written = screen.write_report(course, book, slug, target, now=now)
    screen.show_written(written)
    ctx.exit(1 if written.failed else 0)


@click.command("mistakes")
@click.argument("slug")
@click.option("--all", "everything", is_flag=True, help="List also the mistakes that only one student made.")
@click.option("--adopt", "group", metavar="GROUP", help="Write a misconception for this group, all but its hint.")
@click.option("--name", default="", help="What the misconception is to be called.")
@gradebook_option
@json_option("what was found")
def mistakes_command(
    slug: str, everything: bool, group: str | None, name: str, gradebook: Path | None, json_file: str | None
) -> None:
    """Show what a class got wrong: misconceptions by count, then mistakes that nobody foresaw.

    \b
    Example: redink mistakes perceptron
             redink mistakes perceptron --adopt step-3fa9c1 --name forgets_ties
    """
    from redink.grader.course import Course
    from redink.grader.desk.adopting import adopt
    from redink.grader.desk.mistakes import find_mistakes
    from redink.grader.desk.standings import open_gradebook
    from redink_cli import screen, tables

    course = Course.find()
    with open_gradebook(course, gradebook, f"redink mistakes {slug}") as book:
        if group:
            one = adopt(course, book, slug, group, name)
            click.echo(
                f"{one.name} stands in {one.file.relative_to(course.root)}; write its hint in line {one.line}, then"
            )
            click.echo(f"  redink build {slug}\n  redink rejudge {slug} --apply")
            return
        found = find_mistakes(course, book, slug)
    if json_file:
        screen.write_json(found, json_file)
    if json_file != "-":
        tables.show_mistakes(found, everything)


@click.command("similar")
@click.argument("slug")
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The folder for the pages.")
@click.option("--names", is_flag=True, help="Show names; without it, everybody has a pseudonym.")
@click.option(
    "--with",
    "other",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="GRADEBOOK",
    help="Compare with those of another gradebook too, such as last year's.",
)
@gradebook_option
@json_option("the pairs")
def similar_command(
    slug: str, target: Path, names: bool, other: Path | None, gradebook: Path | None, json_file: str | None
) -> None:
    """Find submissions that are more alike than their questions explain, to be looked at side by side.

    Alike does not mean copied; nothing is decided, and no grade changes.

    \b
    Example: redink similar perceptron --to alike/
             redink similar perceptron --names --with 2025.sqlite --to alike/
    """
    from redink.grader.course import Course
    from redink.grader.desk.standings import open_gradebook
    from redink.grader.similar.finding import find_alike
    from redink.grader.similar.pages import write_pages
    from redink_cli import screen, tables

    course = Course.find()
    with open_gradebook(course, gradebook, f"redink similar {slug}") as book:
        alike = find_alike(course, book, slug, other=other, names=names)
    index = write_pages(alike, target)
    if json_file:
        screen.write_json(alike, json_file)
    if json_file != "-":
        tables.show_alike(alike, str(index))


def _decide(
    slug: str,
    decide: Callable[[Course, Gradebook, str, Sequence[Wish]], list[GradeMove]],
    column: str,
    student: str | None,
    value: str,
    question: str,
    why: str,
    file: Path | None,
    gradebook: Path | None,
) -> None:
    """Carry out one decision, or those of a file, and show what became of the grades."""
    from redink.grader.course import Course
    from redink.grader.desk.deciding import Wish, read_wishes
    from redink.grader.desk.standings import open_gradebook

    if (student is None) == (file is None):
        raise click.UsageError("name a student, or a file with --from")
    if student is not None:
        _need_a_reason(why)
    wishes = (
        read_wishes(file, column) if file else [Wish(student=student or "", value=value, reason=why, question=question)]
    )
    course = Course.find()
    with open_gradebook(course, gradebook, f"redink {'extend' if column == 'until' else 'override'} {slug}") as book:
        _show(decide(course, book, slug, wishes))


def _need_a_reason(why: str) -> None:
    if not why.strip():
        raise click.UsageError("say why, with --why: it stays in the gradebook, and a student may ask")


def _show(moves: Sequence[GradeMove]) -> None:
    for one in moves:
        old, new = ("no grade" if value is None else f"{value:g}" for value in (one.old, one.new))
        click.echo(f"{one.student}: {new}" + ("" if old == new else f" (was {old})"))
    changed = sum(one.old != one.new for one in moves)
    click.echo(f"{len(moves)} noted, {changed} grades changed" if moves else "no grade changed")
