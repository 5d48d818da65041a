"""`redink distribute --ci`: a template of a student's repository, and of the course's, with workflow, wheel and versions.

Nothing is looked up when a job runs: the wheel lies beside the workflow, every version is pinned, and so is every action.
"""

from __future__ import annotations

import platform
import re
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Literal

from redink.assignment.handout import file_names, read_handout
from redink.assignment.spec import Spec, read_spec
from redink.errors import CourseError
from redink.grader.sealing.sealed import file_hash

Platform = Literal["github", "gitlab"]
FOLDER = ".redink-ci"
_TEMPLATES = Path(__file__).parent / "workflows"
_PLACES: dict[Platform, dict[str, str]] = {
    "github": {"student": ".github/workflows/redink.yml", "course": ".github/workflows/grade.yml"},
    "gitlab": {"student": ".gitlab-ci.yml", "course": ".gitlab-ci.yml"},
}
_IN_PACKAGE = "redink/_assignments"
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_README = """# Grading

- `keys.age`: the sealed answer key. `redink seal {slugs} --to keys.age --for age1…` writes it; pin the number that it prints
  in the workflow (`--key-sha256`), and keep the identity as the secret `REDINK_IDENTITY`, where no student may write.
- `repositories.txt`: everybody's repository, one address a line.
- `results/`: what the job writes, one file for each student.
"""


def student_repository(folder: Path, wheel: Path, system: Platform) -> dict[str, bytes]:
    """Return the files of a student's repository: the handout, and a job that runs its public checks."""
    spec, handout = read_spec(folder), read_handout(folder)
    _refuse_other_wheel(wheel, spec, handout)
    extra = "[torch]" if spec.torch else ""
    readme = handout["README.md"].replace(b"--find-links .", f"--find-links {FOLDER}".encode())
    said = f'[notebooks]\n{spec.slug} = "{spec.slug}.ipynb"\n'
    ours = {"README.md": readme, ".redink.toml": said.encode()}
    return {**handout, **_common(wheel, system, "student", extra, ""), **ours}


def course_repository(specs: list[Spec], wheel: Path, system: Platform, key: bytes | None) -> dict[str, bytes]:
    """Return the files of the course's repository: a job that grades everybody by a sealed key."""
    extra = "[seal,torch]" if any(spec.torch for spec in specs) else "[seal]"
    sha256 = file_hash(key) if key is not None else "0" * 64  # which opens no file
    readme = _README.format(slugs=" ".join(spec.slug for spec in specs))
    files = {**_common(wheel, system, "course", extra, sha256), "README.md": readme.encode(), "repositories.txt": b""}
    return files if key is None else {**files, "keys.age": key}


def _common(wheel: Path, system: Platform, whose: str, extra: str, sha256: str) -> dict[str, bytes]:
    if not _NAME.fullmatch(wheel.name):
        raise CourseError(f"{wheel} has a name that cannot stand in a workflow")
    text = (_TEMPLATES / f"{system}-{whose}.yml").read_text(encoding="utf-8")
    told = {"PYTHON": platform.python_version(), "WHEEL": wheel.name, "EXTRA": extra, "SHA256": sha256}
    for name, value in told.items():
        text = text.replace(f"@{name}@", value)
    return {
        _PLACES[system][whose]: text.encode(),
        f"{FOLDER}/{wheel.name}": wheel.read_bytes(),
        f"{FOLDER}/constraints.txt": "".join(f"{line}\n" for line in pinned()).encode(),
    }


def _refuse_other_wheel(wheel: Path, spec: Spec, handout: dict[str, bytes]) -> None:
    """Refuse a wheel of another version, or with other public files than students are handed."""
    again = "build it again: python -m pip wheel --no-deps . --wheel-dir DIR"
    try:
        with zipfile.ZipFile(wheel) as archive:
            there = {name: archive.read(f"{_IN_PACKAGE}/{spec.slug}/{name}") for name in file_names(spec)}
    except (OSError, zipfile.BadZipFile) as error:
        raise CourseError(f"{wheel} is no wheel of Redink ({error}); {again}") from error
    except KeyError:
        raise CourseError(f"{wheel} does not hold the assignment {spec.slug}; {again}") from None
    if there != handout:
        raise CourseError(f"{wheel} holds other files of {spec.slug} than this course; {again}")
    if f"-{metadata.version('redink')}-" not in wheel.name:
        raise CourseError(f"{wheel} is of another version than this Redink, {metadata.version('redink')}; {again}")


def pinned() -> list[str]:
    """List the versions that are installed here of all that Redink needs, as constraints for pip."""
    found: dict[str, str] = {}
    waiting = [("redink", extra) for extra in ("", "torch", "seal")]
    for name, extra in waiting:  # which grows meanwhile
        for needed in _needs(name, extra):
            if needed not in found and (version := _version(needed)):
                found[needed] = version
                waiting.append((needed, ""))
    return [f"{name}=={found[name]}" for name in sorted(found)]


def _needs(name: str, extra: str) -> list[str]:
    from packaging.requirements import Requirement  # matplotlib brings it

    needs = [Requirement(line) for line in metadata.requires(name) or ()]
    here = [one for one in needs if one.marker is None or one.marker.evaluate({"extra": extra})]
    return [re.sub(r"[-_.]+", "-", one.name).lower() for one in here]


def _version(name: str) -> str:
    """Return a version without the part that says how it was built: `2.13.0+cpu` is found on few indexes."""
    try:
        return metadata.version(name).partition("+")[0]
    except metadata.PackageNotFoundError:
        return ""
