"""Digests of everything that an observation, an answer key or a judgement depends on, our own code included.

Two stamps. `box_stamp` names what an observation was made under: the interpreter, the libraries, the box and the datasets;
`grade` observes again what has another one. `judging_stamp` names our rules of judging; when it changes, everything
is judged again from what was observed, and nobody's code runs. A test compares both with what is really imported.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import platform
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import msgspec

from redink.records import Cell, Limits

_REDINK = Path(__file__).parents[1]
_LIBRARIES = ("numpy", "torch", "msgspec", "ipython", "matplotlib")
_IN_BOTH = ("__init__.py", "errors.py", "texts.py", "records.py", "wire", "frames.py")
_SANDBOX = "cgroups channel client environment levels meter pidfds sanitise session template".split()  # noqa: SIM905
_IN_THE_BOX = (
    *_IN_BOTH, "calling.py", "box", "grader/pipeline/observe.py", "grader/evidence/keys.py", "grader/workers/borrowing.py",
    *(f"grader/sandbox/{name}.py" for name in _SANDBOX)
)  # fmt: skip
_IN_THE_GIVEN = (*_IN_BOTH, "source.py", "checks", "assignment/trials.py", "grader/assignment/reference.py")
_IN_THE_JUDGE = (
    *_IN_BOTH, "source.py", "notebook.py", "checks", "judging", "assignment/spec.py", "assignment/load.py",
    "assignment/packages.py", "assignment/sharing.py", "assignment/trials.py", "grader/budget.py", "grader/digests.py",
    "grader/answer_key/key.py", "grader/answer_key/open_key.py", "grader/evidence/evidence.py",
    "grader/evidence/keys.py", "box/__init__.py", "box/time_limit.py",
    *(f"grader/pipeline/{name}.py" for name in ("assess", "judge", "carry", "diagnose", "score")),
)  # fmt: skip
_IN_THE_MAKING = ("suggesting.py", "grader/assignment", "grader/answer_key")


def digest(*parts: bytes | str) -> str:
    """Hash parts so that no two lists of parts collide."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "little") + data)
    return whole.hexdigest()


def fingerprint(secret: bytes) -> str:
    """Return a short name for a secret that does not reveal it."""
    return hmac.digest(secret, b"redink: fingerprint", hashlib.sha256).hex()[:12]


@functools.cache
def box_stamp(packages: tuple[str, ...] = ()) -> str:
    """Return a digest of what an observation is made under, where an assignment needs these packages too."""
    return digest(_machine(), _versions((*_LIBRARIES, *packages)), _files(box_files()))


@functools.cache
def given_stamp(packages: tuple[str, ...] = ()) -> str:
    """Name what the inputs of checks are made under, besides the checks themselves."""
    return digest(platform.python_version(), _versions(("numpy", "torch", "msgspec", *packages)), _files(given_files()))


@functools.cache
def judging_stamp() -> str:
    """Name our own rules of judging, diagnosing and scoring, and the libraries that they use."""
    return digest(platform.python_version(), _versions(("numpy", "torch", "msgspec")), _files(judging_files()))


@functools.cache
def making_stamp(packages: tuple[str, ...] = ()) -> str:
    """Name the code that makes answer keys."""
    return digest(
        box_stamp(packages), given_stamp(packages), judging_stamp(), _files(_beneath(_REDINK, _IN_THE_MAKING))
    )


@functools.cache
def code_stamp() -> str:
    """Name our own code alone, on whatever machine and with whatever libraries it runs."""
    return _files(making_files())


@functools.cache
def versions() -> str:
    """Say what grades here, for comparing machines that grade together: they must have the same of all of it."""
    ours = f"Redink {_version('redink')} ({making_stamp()[:12]})"
    return f"{ours}, Python {_machine()}, {_versions(('numpy', 'torch')).replace('; ', ', ')}"


def box_files() -> list[Path]:
    """List the files of ours that are loaded where a submission runs, or that watch it and write down what it does."""
    return [*_beneath(_REDINK, _IN_THE_BOX), *_datasets()]


def given_files() -> list[Path]:
    """List the files of ours that the inputs of a check are made with."""
    return [*_beneath(_REDINK, _IN_THE_GIVEN), *_datasets()]


def judging_files() -> list[Path]:
    """List the files of ours that are loaded where submissions are read and judged."""
    return [*_beneath(_REDINK, _IN_THE_JUDGE), *_datasets()]


def making_files() -> list[Path]:
    """List the files of ours that an answer key is made with."""
    return [*box_files(), *given_files(), *judging_files(), *_beneath(_REDINK, _IN_THE_MAKING)]


def _datasets() -> list[Path]:
    found = find_spec("redink_datasets")
    folders = list(found.submodule_search_locations or ()) if found else []
    return [path for folder in folders for path in sorted(Path(folder).rglob("*")) if _counts(path)]


def _beneath(root: Path, names: Iterable[str]) -> list[Path]:
    return [
        path
        for name in names
        for path in (sorted((root / name).rglob("*.py")) if (root / name).is_dir() else [root / name])
    ]


def _counts(path: Path) -> bool:
    return path.is_file() and path.suffix != ".pyc"


def _files(paths: Sequence[Path]) -> str:
    return digest(*(part for path in paths if path.exists() for part in (path.name, path.read_bytes())))


def _machine() -> str:
    return f"{platform.python_version()} {platform.machine()} {sys.platform}"


def _versions(names: Iterable[str]) -> str:
    return "; ".join(f"{name} {_version(name)}" for name in names)


def _version(name: str) -> str:
    from importlib import metadata  # here, because no worker asks, and it takes a fifth of a worker's start

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "absent"


def run_digest(cells: Sequence[Cell], data: dict[str, bytes], limits: Limits) -> str:
    """Return a digest of what one execution of a submission's cells depends on."""
    files = [part for name in sorted(data) for part in (name, data[name])]
    return digest(msgspec.msgpack.encode(cells), *files, msgspec.msgpack.encode(limits))
