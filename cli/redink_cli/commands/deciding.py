"""Commands for what a person decides: extend, override, void, and history, which tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from redink_cli.options import Command, gradebook_option

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
    Example: redink void perceptron the_order_is_followed --why "unclear text"
             redink void perceptron the_order_is_followed --undo --why "it is not"
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
    with open_gradebook(course, gradebook, "redink history", reads=True) as book:
        for slug in slugs or book.collected.assignments():
            click.echo("\n".join(history(course, book, slug, student)) + "\n")


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
    extends = column == "until"  # who is ill may ask before anybody has handed in
    with open_gradebook(
        course, gradebook, f"redink {'extend' if extends else 'override'} {slug}", make=extends
    ) as book:
        _show(decide(course, book, slug, wishes))


def _need_a_reason(why: str) -> None:
    if not why.strip():
        raise click.UsageError("say why, with --why: it stays in the gradebook, and a student may ask")


def _show(moves: Sequence[GradeMove]) -> None:
    for one in moves:
        old, new = ("no grade" if value is None else f"{value:g}" for value in (one.old, one.new))
        was = f" (was {one.before})" if one.before not in ("", one.until) else ""
        until = f"time until {one.until}{was}; " if one.until else ""
        click.echo(f"{one.student}: {until}{new}" + ("" if old == new else f" (was {old})"))
        if one.group:
            click.echo(f"  this is about {one.student} alone; in the same group: {', '.join(one.group)}")
    changed = sum(one.old != one.new for one in moves)
    click.echo(
        f"{len(moves)} noted, {changed} grade{'' if changed == 1 else 's'} changed" if moves else "no grade changed"
    )
