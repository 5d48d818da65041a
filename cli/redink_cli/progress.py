"""How far a grading is: the real total from the first second, how many are full or not, and what it waits for."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click
from rich.console import RenderableType
from rich.progress import Progress, ProgressColumn, Task
from rich.text import Text

from redink.grader.grading import Watcher
from redink_cli.screen import bar_columns, error_console

if TYPE_CHECKING:
    from redink.grader.pipeline.report import Outcome
    from redink.grader.workers.workers import Workers
    from redink.records import Result


class _Rate(ProgressColumn):
    """How many a second, or a minute where that is less than one."""

    def render(self, task: Task) -> Text:
        """Return the rate, as soon as there is one."""
        speed = task.speed or 0.0
        if not speed:
            return Text("")
        return Text(f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.0f}/min", style="dim")


class _Bar(Progress):
    """Progress bars, and below them a line of what is known so far."""

    told = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return the bars, and the line."""
        yield self.make_tasks_table(self.tasks)
        if self.told:
            yield Text(self.told, style="dim", no_wrap=True, overflow="ellipsis")


class GradingProgress(Watcher):
    """A bar for a class, and above it one for the answer key while that is made."""

    def __init__(self, slug: str) -> None:
        self._counts: Counter[str] = Counter()
        self._total = 0
        console = error_console()
        self._bar = _Bar(*bar_columns(), _Rate(), console=console, transient=True, disable=not console.is_terminal)
        self._key = self._bar.add_task(f"answer key of {slug}", total=None, visible=False)
        self._task = self._bar.add_task(f"grade {slug}", total=None)
        self._bar.told = "looking for submissions"

    @contextlib.contextmanager
    def shown(self, workers: Workers) -> Iterator[GradingProgress]:
        """Show it while submissions are graded; Ctrl-C says how many are kept."""
        workers.watch = self._watch_key
        try:
            with self._bar:
                yield self
        except KeyboardInterrupt:
            raise click.Abort(self._kept()) from None

    def start(self, total: int) -> None:
        """Note of how many the class is."""
        self._total = total
        self._bar.update(self._task, total=total)
        self._bar.told = "reading the answer key, and starting the first box"

    def step(self, outcome: Outcome) -> None:
        """Count what became of one submission."""
        self._counts[_kind(outcome.result)] += 1
        self._bar.update(self._task, advance=1)
        self._bar.told = ", ".join(f"{count} {kind}" for kind, count in self._counts.items())

    def _watch_key(self, done: int, total: int) -> None:
        making = done < total
        self._bar.update(self._key, completed=done, total=total, visible=making)
        if making:
            self._bar.told = "the reference and every misconception run once, for an answer key that is kept"
        elif not self._counts:
            self._bar.told = "starting the first box"

    def _kept(self) -> str:
        done = self._counts.total()
        if not self._total:
            return "stopped; nothing was graded yet"
        return f"stopped; {done} of {self._total} are graded and kept, the same command goes on from there"


def _kind(result: Result) -> str:
    if result.state != "graded":
        return "without a grade" if result.state == "internal_error" else "ungradable"
    return "full" if result.score >= result.max_score else "partial"
