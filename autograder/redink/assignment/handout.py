"""What a student is handed: the files of an assignment that ship, listed by name, nothing else."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

from redink.assignment.spec import Spec, read_spec
from redink.errors import CourseError

_EPOCH = (2020, 1, 1, 0, 0, 0)


def shelf(start: Path | None = None) -> Path:
    """Find the assignments: those of the course around us, else those that came with Redink."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        found = folder / "assignments"
        if any(found.glob("*/assignment.toml")) or (found.is_dir() and (folder / "solutions").is_dir()):
            return found
    return installed_shelf()


def installed_shelf() -> Path:
    """Find the assignments that came with Redink, whatever folder we are in."""
    packaged = Path(__file__).parents[1] / "_assignments"
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[3] / "assignments"


def list_assignments(folder: Path) -> list[Spec]:
    """Read what assignments there are, in the order of the course."""
    specs = [read_spec(path.parent) for path in folder.glob("*/assignment.toml")]
    return sorted(specs, key=lambda spec: (spec.order, spec.slug))


def file_names(spec: Spec) -> tuple[str, ...]:
    """Name the files that ship."""
    return (f"{spec.slug}.ipynb", "README.md", "assignment.toml", "checks.py", "published.json", *spec.data)


def read_handout(folder: Path) -> dict[str, bytes]:
    """Read the files that ship."""
    spec = read_spec(folder)
    missing = [name for name in file_names(spec) if not (folder / name).is_file()]
    if missing:
        raise CourseError(f"{folder} lacks {', '.join(missing)}; run `redink build {spec.slug}`")
    return {name: (folder / name).read_bytes() for name in file_names(spec)}


def unpack(files: dict[str, bytes], target: Path) -> None:
    """Write a handout into a new folder; work that is already there is never overwritten."""
    if target.exists() and any(target.iterdir()):
        raise CourseError(f"{target} exists and is not empty; move it away, or choose another folder with --to")
    for name, content in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def zipped(slug: str, files: dict[str, bytes]) -> bytes:
    """Pack a handout into one zip with a folder of its own."""
    return zip_files({f"{slug}/{name}": data for name, data in files.items()})


def zip_files(files: dict[str, bytes]) -> bytes:
    """Pack files into a zip; the same content makes the same zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o644 << 16  # else unzip makes files that nobody may read
            archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def replace_folder(files: dict[str, bytes], target: Path) -> None:
    """Write a handout afresh where an instructor keeps bundles."""
    shutil.rmtree(target, ignore_errors=True)
    unpack(files, target)
