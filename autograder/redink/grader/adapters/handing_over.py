"""`distribute`: writing an assignment for Redink's own students, or for another tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType

from redink.errors import CourseError
from redink.grader.adapters.gradescope import for_gradescope
from redink.grader.adapters.nbgrader import for_nbgrader
from redink.grader.adapters.otter import for_otter
from redink.grader.author.distribute import distribute
from redink.grader.course import Course
from redink.grader.workers.workers import Workers

_FORMATS: MappingProxyType[str, Callable[[Course, str, Path, Workers], Sequence[Path]]] = MappingProxyType(
    {"nbgrader": for_nbgrader, "otter": for_otter}
)


def hand_over(
    course: Course, slug: str, target: Path, workers: Workers, format: str, wheel: Path | None = None
) -> Sequence[Path]:
    """Write one assignment in a format; return what was written. Where Redink itself will run, its wheel goes along."""
    if format == "redink":
        return distribute(course, slug, target, workers, wheel)
    if format != "gradescope":
        return _FORMATS[format](course, slug, target, workers)
    if wheel is None:
        raise CourseError("Gradescope's container needs the wheel of Redink: name it with --wheel")
    return for_gradescope(course, slug, target, workers, wheel)
