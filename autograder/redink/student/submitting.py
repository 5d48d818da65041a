"""A hand-in: what a notebook lacks is told, and the file to hand in is written whatever that is, if it is a notebook."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from redink.assignment.handout import read_handout, zip_files
from redink.errors import CourseError, SubmissionError
from redink.files import read_file, write_whole
from redink.records import Cell, Record
from redink.source import is_written
from redink.student.homework import NOT_RUN, Homework
from redink.student.needs import find_needs
from redink.student.points import hidden_of, score_report, total_line
from redink.student.terminal import CheckedNotebook, run_checks, to_run


class HandInFile(Record, frozen=True):
    """What was written to be handed in, what it lacks, and what its public checks say."""

    assignment: str
    notebook: str
    saved: str  # when the notebook was saved last, and when it was packed
    packed: str
    file: str
    sha256: str  # of the notebook inside
    broken: tuple[str, ...]  # cells that fail, and what that costs
    needs: tuple[str, ...]  # what the grader will not have
    gaps: tuple[str, ...]  # questions that are not written, or not right
    public: str  # the points of its public checks, or why there are none
    hidden: str  # how many checks follow when it is graded
    todo: str  # what the course says to do with the file

    @property
    def text(self) -> str:
        """The receipt as a person reads it."""
        listed = (
            ("Broken, when the notebook runs from top to bottom:", self.broken),
            ("The grader does not have all that this notebook uses:", self.needs),
            ("Still missing, if you have the time:", self.gaps),
        )
        lines = [f"{self.notebook}, saved {self.saved}, packed {self.packed}."]
        lines += [line for title, found in listed if found for line in (title, *(f"  - {one}" for one in found))]
        lines += [f"The public checks find nothing missing; {self.hidden}."] * (len(lines) == 1)
        lines += [f"Public: {self.public}", f"Receipt: SHA-256 {self.sha256}", f"{self.file} is written: {self.todo}."]
        return "\n".join(lines)


def submit(notebook: Path, target: Path) -> HandInFile:
    """Look a notebook over, and write the zip to hand in and a receipt into a folder, complete or not.

    What is no notebook never takes the place of an earlier hand-in.
    """
    homework = Homework.find(notebook.resolve().parent)
    slug = homework.spec.slug
    content = _read(notebook)
    archive = target / f"{slug}-hand-in.zip"  # not the name of the zip that was handed out
    looked = _look_over(notebook, content, homework, archive)
    target.mkdir(parents=True, exist_ok=True)
    write_whole(archive, zip_files({f"{slug}.ipynb": content}))
    receipt = HandInFile(
        assignment=slug,
        notebook=str(notebook),
        saved=_minute(notebook.stat().st_mtime),
        packed=_minute(time.time()),
        file=str(archive),
        sha256=hashlib.sha256(content).hexdigest(),
        broken=tuple(looked.broken),
        needs=tuple(looked.needs),
        gaps=tuple(looked.gaps),
        public=looked.public,
        hidden=looked.hidden,
        todo=homework.spec.hand_in or f"upload {archive.name} to your course page",
    )
    write_whole(target / f"{slug}.receipt.txt", f"{receipt.text}\n".encode())
    return receipt


def _read(notebook: Path) -> bytes:
    """Read what is to be handed in; without it there is nothing to write."""
    try:
        return read_file(notebook)
    except SubmissionError as error:
        raise CourseError(f"{notebook} {error}") from error


def _minute(seconds: float) -> str:
    """Write a time as the clock here shows it, with its distance from UTC."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "minutes")


class LookedOver(NamedTuple):
    """What a notebook lacks, before it is packed."""

    broken: Sequence[str] = ()
    needs: Sequence[str] = ()
    gaps: Sequence[str] = ()
    public: str = "not known"
    hidden: str = "hidden checks follow"


def _look_over(notebook: Path, content: bytes, homework: Homework, archive: Path) -> LookedOver:
    """Run a notebook and say what it lacks; refuse what is none where an earlier hand-in would be lost for it."""
    try:
        cells = to_run(content)
    except SubmissionError as error:
        if archive.exists():
            kept = f"{archive}, written {_minute(archive.stat().st_mtime)}, is left as it was"
            raise CourseError(f"{notebook} {error}; {kept}: save the notebook again, then submit it") from error
        return LookedOver([f"{notebook} {error}; nobody can grade it as it is"])
    needs = find_needs(cells, homework.spec, notebook.resolve().parent)
    checked = run_checks(notebook)
    if isinstance(checked, str):
        return LookedOver([checked], needs)
    broken = [f"cell {run.index} fails: {run.error}; {_cost(run.index, cells, checked)}" for run in checked.cells]
    return LookedOver(broken, needs, _gaps(checked), total_line(checked.questions), hidden_of(checked.questions))


def _cost(index: int, cells: Sequence[Cell], checked: CheckedNotebook) -> str:
    """Say which questions a broken cell costs points: those that it should define something for and that do not pass."""
    source = next(cell.source for cell in cells if cell.index == index)
    lost = [
        f"{report.question.title} ({report.question.id})"
        for report in checked.questions
        if not report.passed and any(is_written(name, source) for name in report.question.asks)
    ]
    if not lost:
        return "it costs points only where your functions need what it defines"
    return f"it costs points of {', '.join(lost)}"


def _gaps(checked: CheckedNotebook) -> list[str]:
    """Name the questions that are not written, and those that fail public checks, with the points they have so far."""
    gaps = []
    for report in (one for one in checked.questions if one.question.tier == "core" and not one.passed):
        unmet, result = len(report.counted) - report.done, score_report(report)
        points = f"{result.score:g} of {result.max_score:g} points"
        waits = "not defined" if report.waits == NOT_RUN else report.waits
        lacking = waits or f"{unmet} of {len(report.counted)} public checks fail"
        gaps.append(f"{report.question.title} ({report.question.id}): {lacking}; {points}")
    return gaps


@contextlib.contextmanager
def opened(handout: Path) -> Iterator[Path]:
    """Yield the folder of a handout: itself, the zip that it came in, or the folder around it."""
    with tempfile.TemporaryDirectory() as place:
        start = handout
        if handout.is_file():
            start = Path(place)
            try:
                with zipfile.ZipFile(handout) as archive:
                    archive.extractall(start)
            except (zipfile.BadZipFile, OSError) as error:
                raise CourseError(f"{handout} is no zip that can be read: {error}") from error
        found = (
            [start] if (start / "assignment.toml").is_file() else [p.parent for p in start.glob("*/assignment.toml")]
        )
        if len(found) != 1:
            raise CourseError(f"{handout} is not one handout: it holds {len(found)} files assignment.toml")
        yield found[0]


def update(folder: Path, newer: Path) -> list[str]:
    """Bring what ships of a newer handout into a student's folder, the notebook excepted; name what changed."""
    changed = []
    for name, content in read_handout(newer).items():
        path = folder / name
        if name.endswith(".ipynb") or (path.is_file() and path.read_bytes() == content):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
        changed.append(name)
    return changed
