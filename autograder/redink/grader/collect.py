"""Stage 1: find the submissions. A path is a notebook, a folder of notebooks, or a folder of folders of one each."""

from __future__ import annotations

from pathlib import Path

from redink.errors import CourseError
from redink.records import Record


class Found(Record, frozen=True):
    """A file that was handed in, and whose: the folder's name or the file's stem."""

    id: str
    file: str
    path: Path


def collect(slug: str, path: Path) -> list[Found]:
    """List the submissions at `path`, in the order of their ids."""
    if path.is_file():
        return [Found(id=path.stem, file=path.name, path=path)]
    if not path.is_dir():
        raise CourseError(f"{path} is neither a notebook nor a folder")
    found = [_in_folder(slug, entry) if entry.is_dir() else _alone(entry) for entry in sorted(path.iterdir())]
    submissions = [one for one in found if one is not None]
    if not submissions:
        raise CourseError(f"{path} holds no submission: no .ipynb file, and no folder with one in it")
    ids = [one.id for one in submissions]
    if twice := sorted({id for id in ids if ids.count(id) > 1}):
        raise CourseError(f"{path} holds two submissions called {twice[0]}: a notebook and a folder; remove one")
    return submissions


def _alone(file: Path) -> Found | None:
    return Found(id=file.stem, file=file.name, path=file) if file.suffix == ".ipynb" else None


def _in_folder(slug: str, folder: Path) -> Found | None:
    if folder.name.startswith("."):
        return None
    notebooks = sorted(folder.glob("*.ipynb"))
    if not notebooks:
        return _alone(folder)  # a folder called x.ipynb was meant to be a notebook: somebody must be told
    chosen = next((file for file in notebooks if file.stem == slug), notebooks[0])
    if len(notebooks) > 1 and chosen.stem != slug:
        raise CourseError(f"{folder} holds {len(notebooks)} notebooks and none is called {slug}.ipynb; keep one")
    return Found(id=folder.name, file=f"{folder.name}/{chosen.name}", path=chosen)
