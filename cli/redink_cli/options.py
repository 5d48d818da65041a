"""Options that several commands share."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from redink.errors import CourseError
from redink.grader.cpus import usable_cpus

_FILE = click.Path(path_type=Path, dir_okay=False)
Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(what: str) -> Callable[[Command], Command]:
    """`--json FILE`, for programs."""
    return click.option("--json", "json_file", metavar="FILE", help=f"Write {what} as JSON (- for standard output).")


def jobs_option(command: Command) -> Command:
    """`--jobs N`, counted only when the command runs."""
    return click.option(
        "--jobs",
        type=click.IntRange(1),
        default=usable_cpus,
        help="Submissions run in parallel; by default one per usable CPU.",
    )(command)


def source_options(command: Command) -> Command:
    """`--from` and `--names`, for sources that are not recognised."""
    for option in (
        click.option("--names", metavar="PATTERN", help='How files are named, as "{name}_{id}_{file}".'),
        click.option(
            "--from", "insist", metavar="LAYOUT", help="Insist on canvas, moodle, gradescope, nbgrader, git …"
        ),
    ):
        command = option(command)
    return command


def share_options(command: Command) -> Command:
    """Options for a share of a packed class: `redink grade --from class.job --shard I/N`."""
    for option in (
        click.option("--to", type=click.Path(path_type=Path, file_okay=False), help="The folder for its shard."),
        click.option("--identity", type=_FILE, help="What opens it; otherwise its text in REDINK_IDENTITY."),
        click.option("--job-sha256", metavar="SHA256", help="What `redink pack` printed: no other file is opened."),
        click.option(
            "--shard", metavar="I/N", help="Which share of a packed class (--from class.job); auto in an array."
        ),
    ):
        command = option(command)
    return command


def gradebook_option(command: Command) -> Command:
    """`--gradebook FILE`, where results are kept."""
    return click.option(
        "--gradebook",
        type=click.Path(path_type=Path, dir_okay=False),
        help="The gradebook; by default .redink/gradebook.sqlite in the course.",
    )(command)


def hidden_folders() -> tuple[str, ...]:
    """Return the root of the course around us, if there is one: what runs in a box must not see it."""
    from redink.grader.course import Course

    with contextlib.suppress(CourseError):
        return (str(Course.find().root),)
    return ()


def needed_packages() -> tuple[str, ...]:
    """List the packages that the assignments around us need."""
    from redink.assignment.handout import list_assignments, shelf

    return tuple(sorted({package for spec in list_assignments(shelf()) for package in spec.packages}))


def weak_box_allowed() -> bool:
    """Tell whether the environment allows code to run behind weak walls."""
    return bool(os.environ.get("REDINK_ALLOW_WEAK_BOX"))
