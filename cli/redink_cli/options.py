"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from redink.grader.cpus import usable_cpus

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


def gradebook_option(command: Command) -> Command:
    """`--gradebook FILE`, where results are kept."""
    return click.option(
        "--gradebook",
        type=click.Path(path_type=Path, dir_okay=False),
        help="The gradebook; by default .redink/gradebook.sqlite in the course.",
    )(command)
