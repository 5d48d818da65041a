"""Making the bundle for students: a folder and a zip with what ships, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from redink.assignment.handout import read_handout, replace_folder, zipped
from redink.assignment.spec import Spec, read_spec
from redink.errors import CourseError
from redink.grader.author.build import drift, write_document, written_cell
from redink.grader.author.ci_files import what_it_installs
from redink.grader.course import Course
from redink.grader.workers.workers import Workers

_SETUP = """# Run this first. Where Redink is installed it does nothing; elsewhere, as in Colab, it installs the handout.
try:
    import redink
except ImportError:
    import subprocess, sys, zipfile
    from pathlib import Path

    named = (path for path in Path().glob("{slug}*.zip") if zipfile.is_zipfile(path))  # also "{slug} (1).zip"
    bundles = [path for path in named if "{slug}/{slug}.ipynb" in zipfile.ZipFile(path).namelist()]
    if not bundles:
        where = "beside this notebook (in Colab: Files, Upload)"
        raise SystemExit(f"{slug}.zip is missing: upload it {{where}}, and run this cell again")
    with zipfile.ZipFile(max(bundles, key=lambda path: path.stat().st_mtime)) as bundle:
        for name in bundle.namelist():
            place = Path(name).relative_to("{slug}")
            if place.suffix != ".ipynb":
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(bundle.read(name))
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--find-links", ".", "{package}"], check=True)"""
_TORCH = """
try:
    import torch
except ImportError:
    raise SystemExit("this notebook needs torch: `pip install torch` in a terminal, then restart the kernel") from None"""


def distribute(
    course: Course, slug: str, target: Path, workers: Workers, wheel: Path | None = None
) -> tuple[Path, Path]:
    """Write the bundle of one assignment, with the wheel that it needs; refuse one that is older than its master."""
    refuse_stale(course, slug, workers)
    files = read_handout(course.assignments / slug)
    if wheel is not None:
        files |= _carrying(read_spec(course.assignments / slug), files, wheel)
    folder, archive = target / slug, target / f"{slug}.zip"
    refuse_other_files(folder, files)
    target.mkdir(parents=True, exist_ok=True)
    replace_folder(files, folder)
    archive.write_bytes(zipped(slug, files))
    return folder, archive


def _carrying(spec: Spec, files: dict[str, bytes], wheel: Path) -> dict[str, bytes]:
    """Return the wheel, and the notebook with a first cell that installs it where the notebook is all there is."""
    cells = json.loads(files[f"{spec.slug}.ipynb"])["cells"]
    first = next(place for place, cell in enumerate(cells) if cell["cell_type"] == "code")
    source = _SETUP.format(slug=spec.slug, package="redink[torch]" if spec.torch else "redink")
    source += _TORCH if spec.torch else ""
    cells.insert(first, written_cell("code", f"{spec.slug}-setup", source, {}))
    return {wheel.name: what_it_installs(wheel)[wheel.name], f"{spec.slug}.ipynb": write_document(cells).encode()}


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
