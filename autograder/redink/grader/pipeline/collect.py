"""Stage 1: find the submissions. A path is a notebook, a folder of notebooks, or a folder of folders of one each."""

from __future__ import annotations

from pathlib import Path

from redink.errors import CourseError
from redink.records import Record


class Found(Record, frozen=True):
    """A file that was handed in, and whose (folder's name or file's stem); `problem` says why it cannot be used."""

    id: str
    file: str
    path: Path
    problem: str | None = None


def collect(slug: str, path: Path) -> list[Found]:
    """List the submissions at `path`, in the order of their ids; a `problem` with one stops nobody else."""
    if path.is_file():
        return [_alone(slug, path)]
    if not path.is_dir():
        raise CourseError(f"{path} is neither a notebook nor a folder")
    entries = [entry for entry in sorted(path.iterdir()) if not entry.name.startswith(".")]
    folders = [_in_folder(slug, entry) for entry in entries if entry.is_dir() and entry.suffix != ".ipynb"]
    alone = [_alone(slug, entry) for entry in entries if entry.suffix == ".ipynb"]
    handed_in = folders if any(one.path.suffix == ".ipynb" for one in folders) else []
    submissions = sorted([*handed_in, *alone], key=lambda one: one.id)
    if not submissions:
        raise CourseError(f"{path} holds no submission: no .ipynb file, and no folder with one in it")
    ids = [one.id for one in submissions]
    if twice := sorted({id for id in ids if ids.count(id) > 1}):
        raise CourseError(f"{path} holds two submissions called {twice[0]}: a notebook and a folder; remove one")
    return submissions


def _alone(slug: str, file: Path) -> Found:
    """Name a notebook by its stem, or by its folder when it is named after the assignment: ada/perceptron.ipynb."""
    folder = file.parent.resolve().name
    if file.stem == slug and folder:
        return Found(id=folder, file=f"{folder}/{file.name}", path=file)
    return Found(id=file.stem, file=file.name, path=file)


def _in_folder(slug: str, folder: Path) -> Found:
    """Find the one notebook of a student's folder: the one named after the assignment, if there are several."""
    notebooks = sorted(folder.glob("*.ipynb"))
    if not notebooks:
        return Found(id=folder.name, file=folder.name, path=folder, problem="holds no notebook")
    chosen = next((file for file in notebooks if file.stem == slug), notebooks[0])
    several = f"holds {len(notebooks)} notebooks and none is called {slug}.ipynb; keep one"
    return Found(
        id=folder.name,
        file=f"{folder.name}/{chosen.name}",
        path=chosen,
        problem=several if len(notebooks) > 1 and chosen.stem != slug else None,
    )
