"""`redink import`: an assignment of nbgrader or otter-grader becomes one of ours.

The file is read, never run. What it becomes is written, and then tried in the box like any assignment: a test that its own
solution fails, or that trivial answers pass, is taken out again and left to a person, with the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from redink.errors import AuthorError
from redink.grader.author.build import build
from redink.grader.author.scaffold import refuse_taken
from redink.grader.course import Course
from redink.grader.importing.converting import convert
from redink.grader.importing.draft import Draft
from redink.grader.importing.foreign.reading import read_draft
from redink.grader.importing.limiting import SECONDS, OutOfLimits, in_limits
from redink.grader.importing.taking_apart import UNWRITTEN
from redink.grader.importing.trying import check_at, refuted_checks
from redink.grader.importing.writing import TO_DO, checks_file, master, reads_as_weighed, specification
from redink.grader.workers.workers import workers_for
from redink.records import Record
from redink.texts import clean


class Imported(Record, frozen=True):
    """What became of a foreign assignment."""

    files: tuple[Path, ...]
    questions: int
    checks: int
    points: float
    to_do: tuple[str, ...]  # "file:line: sentence"
    waits: str = ""  # why it could not be tried and built yet


class _Waits(Exception):  # noqa: N818 - it is an outcome, not an error
    """A person has to do something before the assignment can be tried."""


def import_assignment(course: Course, path: Path, slug: str, *, jobs: int = 1) -> Imported:
    """Turn a notebook of another tool into an assignment of this course, and try it; nothing that exists is touched."""
    refuse_taken(course, slug)
    course, order, endless = Course(course.root.absolute()), len(course.slugs()) + 1, set[str]()
    while True:
        try:
            return in_limits(_import, course, path.absolute(), slug, order, frozenset(endless), jobs)
        except OutOfLimits as ended:
            check = check_at(course, slug, str(ended))
            if check is None or check in endless:
                raise AuthorError(f"{path} takes more time or memory to import than it may ({SECONDS:g} s)") from None
            endless.add(check)


def _import(course: Course, path: Path, slug: str, order: int, endless: frozenset[str], jobs: int) -> Imported:
    """Import in this process, without the tests of these checks, which took too long."""
    writer = _Writer(course, slug, order, read_draft(path))
    waits = ""
    try:
        writer.write(dict.fromkeys(endless, f"it computes for more than {SECONDS:g} s outside of the student's code"))
        writer.prove(jobs)
    except (_Waits, AuthorError) as error:
        waits = clean(str(error), 1000)
    made = writer.made
    return Imported(
        files=tuple(sorted(writer.files)),
        questions=len(made.questions),
        checks=len(made.checks),
        points=sum(question.points for question in made.questions),
        to_do=tuple(_listed(course, writer.files)),
        waits=waits,
    )


class _Writer:
    """Writes the files of one draft, and writes them again without the checks that will not do."""

    def __init__(self, course: Course, slug: str, order: int, draft: Draft) -> None:
        self.course = course
        self.slug = slug
        self.order = order
        self.draft = draft
        self.made = convert(draft, {})
        self.refuted: dict[str, str] = {}
        self.files: set[Path] = set()

    def write(self, refuted: Mapping[str, str]) -> None:
        """Write what a person may change; `refuted` are checks that will not do, and why."""
        tests = {check.id: check.test.name for check in self.made.checks}
        self.refuted |= {tests[id]: why for id, why in refuted.items() if id in tests}
        self.made = convert(self.draft, self.refuted)
        while unlike := {check.test.name for check in self.made.checks if not reads_as_weighed(check)}:
            self.refuted |= dict.fromkeys(unlike, UNWRITTEN)
            self.made = convert(self.draft, self.refuted)
        folder, solution = self.course.assignments / self.slug, self.course.solutions / self.slug
        for path, text in {
            folder / "assignment.toml": specification(self.slug, self.order, self.draft, self.made),
            folder / "checks.py": checks_file(self.slug, self.made, hidden=False),
            solution / f"{self.slug}.py": master(self.draft, self.made),
            solution / "hidden_checks.py": checks_file(self.slug, self.made, hidden=True),
        }.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            self.files.add(path)

    def prove(self, jobs: int) -> None:
        """Try the checks in the box, until all that are left will do; then build."""
        self._refuse_unready()
        with workers_for(self.course, self.slug, jobs=jobs) as workers:
            while found := refuted_checks(self.course, self.slug, workers):
                self.write(found)
                self._refuse_unready()
            self.files.update(build(self.course, self.slug, workers))

    def _refuse_unready(self) -> None:
        if not self.draft.solved:
            raise _Waits(f"the notebook has no solutions: write them in solutions/{self.slug}/{self.slug}.py")
        if not self.made.questions:
            raise _Waits("no test could become a check: write the first question and its check")


def _listed(course: Course, files: Collection[Path]) -> Iterator[str]:
    """List what a person must finish, by file and line."""
    for path in sorted(files):
        if path.suffix in (".py", ".toml"):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if line.startswith(TO_DO):
                    yield f"{path.relative_to(course.root)}:{number}: {line.removeprefix(TO_DO).strip()}"
