"""Making the bundle for students: a folder and a zip with what ships, and nothing else."""

from __future__ import annotations

from pathlib import Path

from redink.assignment.handout import read_handout, replace_folder, zipped
from redink.errors import CourseError
from redink.grader.author.build import drift
from redink.grader.course import Course
from redink.grader.workers.workers import Workers


def distribute(course: Course, slug: str, target: Path, workers: Workers) -> tuple[Path, Path]:
    """Write the bundle of one assignment; refuse one that is older than its master or its checks."""
    refuse_stale(course, slug, workers)
    files = read_handout(course.assignments / slug)
    folder, archive = target / slug, target / f"{slug}.zip"
    refuse_other_files(folder, files)
    target.mkdir(parents=True, exist_ok=True)
    replace_folder(files, folder)
    archive.write_bytes(zipped(slug, files))
    return folder, archive


def refuse_stale(course: Course, slug: str, workers: Workers) -> None:
    """Refuse to hand out what is older than its master or its checks."""
    if stale := drift(course, slug, workers):
        raise CourseError(f"{slug}: {stale[0]}; run `redink build {slug}` first")


def write_repository(files: dict[str, bytes], folder: Path) -> Path:
    """Write the template of a repository afresh; refuse a folder that holds anything else."""
    refuse_other_files(folder, files)
    replace_folder(files, folder)
    return folder


def refuse_other_files(folder: Path, files: dict[str, bytes]) -> None:
    """Refuse a folder that holds anything but an older bundle: it is replaced as a whole."""
    for path in sorted(folder.rglob("*")):
        if not path.is_dir() and path.relative_to(folder).as_posix() not in files:
            raise CourseError(f"{path} is not part of a bundle and would be lost; choose another folder with --to")
