"""A whole assignment: what ships and what never does, read from its two folders."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from redink.assignment.load import load_checks, load_module, read_source
from redink.assignment.spec import Spec, read_spec
from redink.checks.language import Check
from redink.checks.specimens import Specimen, collect_specimens
from redink.errors import AuthorError
from redink.grader.assignment.master import Master, read_master
from redink.grader.assignment.validate import validate
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.rules.course_rules import AssignmentRules, read_rules
from redink.notebook import cells_to_run
from redink.records import Cell, Record, Visibility


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
    checks_source: str
    hidden_source: str
    solved: tuple[Cell, ...]  # the code cells of the reference
    rules: AssignmentRules  # what course.toml says of it

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

    def sees_short_answers(self, check: Check) -> bool:
        """Say whether a check is given short answers, whose key is published in no form."""
        items = [one for one in self.checks if one.kind == "item"]
        asked = {name for one in items for name in self.spec.question(one.question).asks}
        return check in items or not asked.isdisjoint(check.about)

    def to_run(self, cells: Sequence[Cell]) -> tuple[Cell, ...]:
        """Leave out what the box need not run: empty cells and explorations."""
        return cells_to_run(cells, self.master.explorations())

    def data(self) -> dict[str, bytes]:
        """Read the data files that cells may open."""
        return {name: (self.folder / name).read_bytes() for name in self.spec.data}

    def published_from(self) -> str:
        """Return a key of the sources that the published values are made from."""
        skip = self.master.explorations()
        run = [cell.source for cell in self.solved if cell.source.strip() not in skip]
        facts = (run, self.misconceptions, self.spec.questions)
        return digest(msgspec.msgpack.encode(facts), (self.folder / "checks.py").read_bytes())[:16]


def read_assignment(course: Course, slug: str) -> Assignment:
    """Read both folders of an assignment and check that they fit together."""
    folder, solution = course.find_assignment(slug), course.solutions / slug
    spec = read_spec(folder)
    if spec.slug != slug:
        raise AuthorError(f"{folder / 'assignment.toml'}: the slug is {spec.slug!r}, but the folder is {slug!r}")
    public = read_source(folder / "checks.py")
    hidden = read_source(solution / "hidden_checks.py", needed=False)
    master = read_master(solution / f"{slug}.py")
    assignment = Assignment(
        folder=folder,
        solution=solution,
        spec=spec,
        public=load_checks(spec, public, str(folder / "checks.py")),
        hidden=load_checks(spec, hidden, str(solution / "hidden_checks.py")),
        master=master,
        misconceptions=_specimens(spec, solution / "misconceptions.py"),
        alternatives=_specimens(spec, solution / "alternatives.py"),
        version=_version(folder, hidden, solution / f"{slug}.py"),
        checks_source=public,
        hidden_source=hidden,
        solved=master.solved(),
        rules=read_rules(course.root, course.slugs()).of(slug),
    )
    validate(assignment)
    return assignment


def _specimens(spec: Spec, path: Path) -> tuple[Specimen, ...]:
    return collect_specimens(
        lambda: load_module(f"{spec.slug}_{path.stem}", read_source(path, needed=False), str(path))
    )


def _version(folder: Path, hidden: str, master: Path) -> str:
    public = [(folder / name).read_bytes() for name in ("assignment.toml", "checks.py")]
    parts = (*public, hidden.encode(), master.read_bytes())
    return hashlib.sha256(b"".join(part + b"\0" for part in parts)).hexdigest()[:12]
