"""Making the bundle that students are given: a folder and a zip with what ships, nothing else."""

from __future__ import annotations

from pathlib import Path

from redink.errors import CourseError
from redink.grader.assignments import read_assignment
from redink.grader.build import stale_texts
from redink.grader.course import Course
from redink.handout import read_handout, replace_folder, zipped


def distribute(course: Course, slug: str, target: Path) -> tuple[Path, Path]:
    """Write the bundle of one assignment; refuse one that no longer fits its master."""
    assignment = read_assignment(course, slug)
    if stale := stale_texts(assignment):
        raise CourseError(f"{slug}: {stale[0]}; run `redink build {slug}` first")
    files = read_handout(assignment.folder)
    target.mkdir(parents=True, exist_ok=True)
    folder, archive = target / slug, target / f"{slug}.zip"
    replace_folder(files, folder)
    archive.write_bytes(zipped(slug, files))
    return folder, archive
