"""How far a grading is: the real total from the first second, how many are full or not, and what it waits for."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from rich.progress import Progress, TextColumn

from redink.grader.grading import Watcher
from redink_cli.screen import bar_columns, error_console

if TYPE_CHECKING:
    from redink.grader.pipeline.report import Outcome
    from redink.grader.workers.workers import Workers
    from redink.records import Result


class GradingProgress(Watcher):
    """A bar for a class, and above it one for the answer key while that is made."""

    def __init__(self, slug: str) -> None:
        self._slug = slug
        self._counts: Counter[str] = Counter()
        self._total = 0
        console = error_console()
        self._bar = Progress(
            *bar_columns(), TextColumn("{task.fields[told]}"), console=console, transient=True,
            disable=not console.is_terminal,
        )  # fmt: skip
        self._task = self._bar.add_task(f"grade {slug}", total=None, told="finding submissions")

    @contextlib.contextmanager
    def shown(self, workers: Workers) -> Iterator[GradingProgress]:
        """Show it while submissions are graded; Ctrl-C says how many are kept."""
        key = self._bar.add_task(f"answer key of {self._slug}", total=None, visible=False, told="made once, and kept")
        workers.watch = lambda done, total: self._bar.update(key, completed=done, total=total, visible=done < total)
        try:
            with self._bar:
                yield self
        except KeyboardInterrupt:
            raise click.Abort(self._kept()) from None

    def start(self, total: int) -> None:
        """Note of how many the class is."""
        self._total = total
        self._bar.update(self._task, total=total, told="waiting for the answer key and the first box")

    def step(self, outcome: Outcome) -> None:
        """Count what became of one submission."""
        self._counts[_kind(outcome.result)] += 1
        told = ", ".join(f"{count} {kind}" for kind, count in self._counts.items())
        self._bar.update(self._task, advance=1, told=told)

    def _kept(self) -> str:
        done = self._counts.total()
        if not self._total:
            return "stopped; nothing was graded yet"
        return f"stopped; {done} of {self._total} are graded and kept, the same command goes on from there"


def _kind(result: Result) -> str:
    if result.state != "graded":
        return "without a grade" if result.state == "internal_error" else "ungradable"
    return "full" if result.score >= result.max_score else "partial"
