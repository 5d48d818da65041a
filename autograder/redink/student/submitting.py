"""A hand-in: what is still missing in a notebook is told, and the file to hand in is written whatever that is."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from redink.assignment.handout import read_handout, zip_files
from redink.errors import CourseError, SubmissionError
from redink.files import read_file, write_whole
from redink.notebook import read_cells
from redink.records import Record
from redink.student.homework import Homework
from redink.student.points import total_line
from redink.student.terminal import CheckedNotebook, run_checks


class HandInFile(Record, frozen=True):
    """What was written to be handed in, what it lacks, and what its public checks say."""

    assignment: str
    notebook: str
    file: str
    sha256: str  # of the notebook inside
    gaps: tuple[str, ...]
    public: str  # the points of its public checks, or why there are none
    todo: str  # what the course says to do with the file

    @property
    def text(self) -> str:
        """The receipt as a person reads it."""
        found = [f"  - {gap}" for gap in self.gaps]
        listed = ["Still missing, if you have the time:", *found] if found else ["Nothing is missing."]
        lines = [f"Public: {self.public}", f"Receipt: SHA-256 {self.sha256}", f"{self.file} is written: {self.todo}."]
        return "\n".join([*listed, *lines])


def submit(notebook: Path, target: Path) -> HandInFile:
    """Look a notebook over, and write the zip to hand in and a receipt into a folder, complete or not."""
    homework = Homework.find(notebook.resolve().parent)
    slug = homework.spec.slug
    content = _read(notebook)
    try:
        read_cells(content)
        checked: CheckedNotebook | str = run_checks(notebook)
    except SubmissionError as error:
        checked = f"{notebook} {error}"
    target.mkdir(parents=True, exist_ok=True)
    archive = target / f"{slug}-hand-in.zip"  # not the name of the zip that was handed out
    write_whole(archive, zip_files({f"{slug}.ipynb": content}))
    receipt = HandInFile(
        assignment=slug,
        notebook=str(notebook),
        file=str(archive),
        sha256=hashlib.sha256(content).hexdigest(),
        gaps=(checked,) if isinstance(checked, str) else tuple(_gaps(checked)),
        public="not known" if isinstance(checked, str) else total_line(checked.questions),
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


def _gaps(checked: CheckedNotebook) -> list[str]:
    """Name the cells that fail from top to bottom, what is not written, and what fails its public checks."""
    gaps = [
        f"cell {cell.index} fails when the notebook runs from top to bottom: {cell.error}" for cell in checked.cells
    ]
    for report in (one for one in checked.questions if one.question.tier == "core" and not one.passed):
        unmet = len(report.counted) - report.done
        lacking = "not written yet" if report.unwritten else f"{unmet} of {len(report.counted)} public checks fail"
        gaps.append(f"{report.question.title} ({report.question.id}): {lacking}")
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
