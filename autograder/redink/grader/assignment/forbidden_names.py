"""Whether the names that a question forbids exist: a misspelt one would forbid nothing, without a word.

A full name is looked up where its package is installed. Of packages that need not be installed some are known by name. A
leading dot means any attribute of that name: it must be one of an array, a tensor, a module of torch or a builtin type.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from redink.assignment.spec import Spec
from redink.errors import AuthorError
from redink.grader.assignment.slips import meant_by

_ELSEWHERE = frozenset(
    ["autograd", "cupy", "jax", "keras", "numba", "pandas", "scipy", "sklearn", "statsmodels", "tensorflow", "torch",
     "torchvision"]
)  # fmt: skip


def refuse_unknown_forbids(spec: Spec, where: Path) -> None:
    """Refuse a question that forbids what does not exist."""
    for question in spec.questions:
        for name in question.forbids:
            found = _unknown_attribute(name[1:], spec) if name.startswith(".") else _unknown(name)
            if found:
                raise AuthorError(f"{where}: question {question.id} forbids {name!r}, but {found}")


def _unknown(name: str) -> str:
    """Say which part of a full name does not exist; nothing if all do, or nobody can tell."""
    package, *parts = name.split(".")
    if not parts and hasattr(builtins, package):
        return ""
    if (spec := importlib.util.find_spec(package)) is None:
        if package in _ELSEWHERE:
            return ""
        return f"there is no package {package!r} here; write the full name: numpy.linalg.inv, or a builtin: sorted"
    if parts and _has_file(spec.submodule_search_locations or (), parts):
        return ""  # a package need not be imported to see that
    thing: Any = importlib.import_module(package) if parts else None
    for place, part in enumerate(parts, start=1):
        so_far = ".".join([package, *parts[:place]])
        if not hasattr(thing, part) and not _imported(so_far):
            return f"{so_far.rpartition('.')[0]} has no {part}{meant_by(part, dir(thing))}"
        thing = getattr(thing, part)
    return ""


def _has_file(folders: Any, parts: list[str]) -> bool:
    """Tell whether a module of a package has a file."""
    paths = [Path(folder, *parts) for folder in folders]
    return any(path.with_suffix(".py").is_file() or (path / "__init__.py").is_file() for path in paths)


def _imported(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def _unknown_attribute(name: str, spec: Spec) -> str:
    """Say that nothing known has an attribute; nothing if something has, or nobody can tell.

    Without torch, a name that is none of its attributes looks like one, unless it is nearly another: then it is misspelt.
    """
    there: set[str] = set()
    for one in _owners(spec.packages):
        if hasattr(one, name):
            return ""
        there |= set(dir(one))
    meant = meant_by(name, there)
    if importlib.util.find_spec("torch") is None and (spec.torch or not meant):
        return ""
    return f"neither an array nor a tensor, a torch module or a builtin has an attribute {name}{meant}"


def _owners(packages: Sequence[str]) -> Iterator[Any]:
    """List what may have an attribute that is forbidden; torch last, since importing it takes long."""
    if "pandas" in packages and importlib.util.find_spec("pandas") is not None:
        pandas = importlib.import_module("pandas")
        yield from (pandas.DataFrame, pandas.Series, pandas.core.groupby.DataFrameGroupBy)
    yield from (np.ndarray, np, np.linalg, *(one for one in vars(builtins).values() if isinstance(one, type)))
    if importlib.util.find_spec("torch") is not None:
        torch = importlib.import_module("torch")
        yield from (torch.Tensor, torch.nn.Module, torch, torch.nn.functional, torch.optim.Optimizer)
