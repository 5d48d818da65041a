"""`redink distribute --ci`: a template of a student's repository, and of the course's, with workflow, wheel and versions.

Nothing is looked up when a job runs: the wheel lies beside the workflow, every version is pinned, and so is every action.
"""

from __future__ import annotations

import platform
import re
import zipfile
from collections.abc import Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from redink.assignment.handout import read_handout
from redink.assignment.spec import Spec, read_spec
from redink.errors import CourseError
from redink.grader.digests import making_files
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
_AGAIN = "build it again: python -m pip wheel --no-deps . --wheel-dir DIR"
_README = """# Grading

- `keys.age`: the sealed answer key. `redink seal {slugs} --to keys.age --for age1…` writes it; pin the number that it prints
  in the workflow (`--key-sha256`), and keep the identity as the secret `REDINK_IDENTITY`, where no student may write.
- `repositories.txt`: everybody's repository, one address a line.
- `results/`: what the job writes, one file for each student.
"""


def student_repository(folder: Path, wheel: Path, system: Platform) -> dict[str, bytes]:
    """Return the files of a student's repository: the handout, and a job that runs its public checks."""
    spec, handout = read_spec(folder), read_handout(folder)
    if not holds(wheel, spec.slug, handout):
        raise CourseError(f"{wheel} does not hold the assignment {spec.slug}; {_AGAIN}")
    extra = "[torch]" if spec.torch else ""
    readme = handout["README.md"].replace(b"--find-links .", f"--find-links {FOLDER}".encode())
    said = f'[notebooks]\n{spec.slug} = "{spec.slug}.ipynb"\n'
    ours = {"README.md": readme, ".redink.toml": said.encode()}
    return {**handout, **_common(wheel, system, "student", extra, "", spec.packages), **ours}


def course_repository(specs: list[Spec], wheel: Path, system: Platform, key: bytes | None) -> dict[str, bytes]:
    """Return the files of the course's repository: a job that grades everybody by a sealed key."""
    extra = "[seal,torch]" if any(spec.torch for spec in specs) else "[seal]"
    sha256 = file_hash(key) if key is not None else "0" * 64  # which opens no file
    readme = _README.format(slugs=" ".join(spec.slug for spec in specs))
    packages = tuple(dict.fromkeys(package for spec in specs for package in spec.packages))
    common = _common(wheel, system, "course", extra, sha256, packages)
    files = {**common, "README.md": readme.encode(), "repositories.txt": b""}
    return files if key is None else {**files, "keys.age": key}


def _common(
    wheel: Path, system: Platform, whose: str, extra: str, sha256: str, packages: Sequence[str]
) -> dict[str, bytes]:
    text = (_TEMPLATES / f"{system}-{whose}.yml").read_text(encoding="utf-8")
    told = {"PYTHON": platform.python_version(), "WHEEL": wheel.name, "EXTRA": extra, "SHA256": sha256}
    told["PACKAGES"] = "".join(f" {package}" for package in packages)
    needed = {f"{FOLDER}/{name}": data for name, data in what_it_installs(wheel, packages).items()}
    return {_PLACES[system][whose]: fill_in(text, told), **needed}


def fill_in(text: str, told: dict[str, str]) -> bytes:
    """Fill the places of a template, which are named between two @."""
    for name, value in told.items():
        text = text.replace(f"@{name}@", value)
    return text.encode()


def what_it_installs(wheel: Path, packages: Sequence[str] = ()) -> dict[str, bytes]:
    """Return the wheel, and the exact versions of what it needs; refuse a wheel of other code than this Redink's."""
    if not _NAME.fullmatch(wheel.name):
        raise CourseError(f"{wheel} has a name that cannot stand in a script")
    _refuse_other_code(wheel)
    return {
        wheel.name: wheel.read_bytes(),
        "constraints.txt": "".join(f"{line}\n" for line in pinned(packages)).encode(),
    }


def holds(wheel: Path, slug: str, handout: dict[str, bytes]) -> bool:
    """Tell whether a wheel holds an assignment; refuse one that holds other files of it than students are handed."""
    folder = f"{_IN_PACKAGE}/{slug}/"
    there = {name.removeprefix(folder): data for name, data in _read_wheel(wheel).items() if name.startswith(folder)}
    if there and any(there.get(name) != data for name, data in handout.items()):
        raise CourseError(f"{wheel} holds other files of {slug} than this course; {_AGAIN}")
    return bool(there)


def _refuse_other_code(wheel: Path) -> None:
    """Refuse a wheel with other code than this Redink's: no sealed key would open there."""
    files, ours = _read_wheel(wheel), metadata.version("redink")
    if f"-{ours}-" not in wheel.name:
        raise CourseError(f"{wheel} is of another version than this Redink, {ours}; {_AGAIN}")
    for package in ("redink", "redink_datasets"):
        found = find_spec(package)
        for root in map(Path, found.submodule_search_locations or () if found else ()):
            for path in (one for one in making_files() if one.is_relative_to(root) and one.exists()):
                name = path.relative_to(root).as_posix()
                if files.get(f"{package}/{name}") != path.read_bytes():
                    raise CourseError(f"{wheel} holds other code than this Redink ({name}); {_AGAIN}")


def _read_wheel(wheel: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except (OSError, zipfile.BadZipFile) as error:
        raise CourseError(f"{wheel} is no wheel of Redink ({error}); {_AGAIN}") from error


def pinned(packages: Sequence[str] = ()) -> list[str]:
    """List the versions that are installed here of all that Redink and these packages need, as constraints for pip."""
    found: dict[str, str] = {}
    found.update({name: version for name in map(_normal, packages) if (version := _version(name))})
    waiting = [*(("redink", extra) for extra in ("", "torch", "seal")), *((name, "") for name in found)]
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
    return [_normal(one.name) for one in here]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _version(name: str) -> str:
    """Return a version without the part that says how it was built: `2.13.0+cpu` is found on few indexes."""
    try:
        return metadata.version(name).partition("+")[0]
    except metadata.PackageNotFoundError:
        return ""
