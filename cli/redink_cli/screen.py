"""Where commands write: progress in a terminal, plain lines in a pipe, JSON on request."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from redink.files import write_whole
from redink.texts import clean

if TYPE_CHECKING:
    from redink.grader.course import Course
    from redink.grader.pages.report import WrittenReport
    from redink.grader.store.gradebook import Gradebook
    from redink.grader.workers.workers import Workers


def console() -> Console:
    """Make a console for results; it honours NO_COLOR and pipes."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def width() -> int:
    """Return how many columns the terminal has; 80 where there is none."""
    return shutil.get_terminal_size().columns


def error_console() -> Console:
    """Make a console on standard error."""
    return Console(stderr=True)


def bar_columns() -> tuple[ProgressColumn, ...]:
    """Return what every progress bar shows: what, how far, and how long it will take."""
    what = TextColumn("{task.description}")
    return what, BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left")


def progress() -> Progress:
    """Make a progress bar on standard error, silent unless that is a terminal."""
    console = error_console()
    return Progress(*bar_columns(), console=console, transient=True, disable=not console.is_terminal)


def watch(bar: Progress, workers: Workers, slug: str) -> None:
    """Show how far an answer key is, while it is made."""
    task = bar.add_task(f"answer key of {slug}", total=None, visible=False)
    workers.watch = lambda done, total: bar.update(task, completed=done, total=total, visible=done < total)


def write_report(course: Course, book: Gradebook, slug: str, target: Path, *, now: bool = False) -> WrittenReport:
    """Write the pages of a class, with progress."""
    from redink.grader.pages.report import report

    with progress() as bar:
        task = bar.add_task(f"report {slug}", total=None)
        return report(
            course,
            book,
            slug,
            target,
            now=now,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def show_written(written: WrittenReport) -> None:
    """Say which pages were written, and what is worth knowing about them."""
    out = console()
    for student, why in written.failed.items():
        out.print(f"{clean(student)}: no page could be made: {why}", style="red", markup=False)
    for line in written.told:
        out.print(line, style="yellow", markup=False)
    for name, count in written.packed.items():
        out.print(f"{name}: feedback for {count} of {written.students}", markup=False)
    out.print(f"{written.students} feedback pages; open {written.index}", markup=False, soft_wrap=True)


def write_json(value: object, target: Path | str) -> None:
    """Write a record as JSON to a file, or to standard output for `-`; a file appears whole or not at all."""
    data = msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
    if str(target) == "-":
        sys.stdout.buffer.write(data)
        return
    path = Path(target)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
