"""An assignment whole: what ships and what never does, read from its two folders."""

from __future__ import annotations

import hashlib
from pathlib import Path

from redink.assignment.spec import Spec, load_checks, load_module, read_spec
from redink.checks.language import Check
from redink.checks.specimens import Specimen, collect
from redink.errors import AuthorError, CourseError
from redink.grader.assignment.master import Master, read_master
from redink.grader.assignment.validate import check_fitting
from redink.grader.course import Course
from redink.records import Record, Visibility


class Assignment(Record, frozen=True):
    """Everything that grades one assignment."""

    folder: Path
    solution: Path
    spec: Spec
    public: tuple[Check, ...]
    hidden: tuple[Check, ...]
    master: Master
    misconceptions: tuple[Specimen, ...]
    alternatives: tuple[Specimen, ...]
    version: str

    @property
    def slug(self) -> str:
        """The assignment's name in commands and files."""
        return self.spec.slug

    @property
    def checks(self) -> tuple[Check, ...]:
        """All checks, public ones first."""
        return self.public + self.hidden

    def visibility(self, check: Check) -> Visibility:
        """Say whether students have this check."""
        return "public" if check in self.public else "hidden"

    def data(self) -> dict[str, bytes]:
        """Read the data files that cells may open."""
        return {name: (self.folder / name).read_bytes() for name in self.spec.data}


def read_assignment(course: Course, slug: str) -> Assignment:
    """Read both folders of an assignment and check that they fit together."""
    folder, solution = course.assignments / slug, course.solutions / slug
    if not folder.is_dir():
        known = ", ".join(course.slugs()) or "none yet"
        raise CourseError(f"there is no assignment {slug!r} in {course.root}; there are: {known}")
    spec = read_spec(folder)
    if spec.slug != slug:
        raise AuthorError(f"{folder / 'assignment.toml'}: the slug is {spec.slug!r}, but the folder is {slug!r}")
    assignment = Assignment(
        folder=folder,
        solution=solution,
        spec=spec,
        public=load_checks(folder / "checks.py", spec),
        hidden=load_checks(solution / "hidden_checks.py", spec),
        master=read_master(solution / f"{slug}.py"),
        misconceptions=_specimens(solution / "misconceptions.py"),
        alternatives=_specimens(solution / "alternatives.py"),
        version=_version(folder, solution, slug),
    )
    check_fitting(assignment)
    return assignment


def _specimens(path: Path) -> tuple[Specimen, ...]:
    return collect(lambda: load_module(path))


def _version(folder: Path, solution: Path, slug: str) -> str:
    digest = hashlib.sha256()
    for path in (
        folder / "assignment.toml",
        folder / "checks.py",
        solution / "hidden_checks.py",
        solution / f"{slug}.py",
    ):
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
