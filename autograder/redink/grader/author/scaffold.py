"""`redink new`: a tiny assignment that is complete and correct, to be changed step by step.

Its files are in templates/, with `{slug}`, `{title}` and `{order}` to be filled in.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from redink.errors import CourseError
from redink.grader.course import Course


def scaffold(course: Course, slug: str) -> list[Path]:
    """Write the two folders of a new assignment and return the files."""
    refuse_taken(course, slug)
    folder, solution = course.assignments / slug, course.solutions / slug
    written = {
        folder / "assignment.toml": "assignment.toml",
        folder / "checks.py": "checks.py",
        solution / f"{slug}.py": "master.py",
        solution / "hidden_checks.py": "hidden_checks.py",
        solution / "misconceptions.py": "misconceptions.py",
        solution / "alternatives.py": "alternatives.py",
    }
    title, order = slug.replace("_", " ").capitalize(), len(course.slugs()) + 1
    for path, template in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_template(template).format(slug=slug, title=title, order=order), encoding="utf-8")
    return list(written)


def refuse_taken(course: Course, slug: str) -> None:
    """Refuse a slug that cannot be one, or whose folders exist."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", slug):
        raise CourseError(f"{slug!r} cannot be a slug: small letters, digits and _ only, a letter first")
    for taken in (course.assignments / slug, course.solutions / slug):
        if taken.exists():
            raise CourseError(f"{taken} exists already; choose another slug")


def _template(name: str) -> str:
    return (files("redink.grader.author") / "templates" / f"{name}.template").read_text(encoding="utf-8")
