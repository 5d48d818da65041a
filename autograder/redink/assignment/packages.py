"""The packages that an assignment needs besides those of Redink, by the names under which pip installs them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from redink.errors import CourseError


def modules_of(packages: Iterable[str]) -> tuple[str, ...]:
    """Return the names under which packages are imported; refuse one that is not installed here."""
    from importlib import metadata  # here, because most assignments name none, and it takes a fifth of a worker's start

    provided = metadata.packages_distributions()
    return tuple(module for package in packages for module in _modules(package, provided))


def missing(packages: Iterable[str]) -> dict[str, str]:
    """Return the packages that are not installed here, each with what to do."""
    told = {}
    for package in packages:
        try:
            modules_of([package])
        except CourseError as error:
            told[package] = str(error).partition(": ")[2]
    return told


def _modules(package: str, provided: Mapping[str, list[str]]) -> list[str]:
    wanted = _normal(package)
    found = [module for module, names in provided.items() if wanted in map(_normal, names)]
    if public := sorted(module for module in found if module.isidentifier() and not module.startswith("_")):
        return public
    if names := provided.get(package):
        raise CourseError(f"no package is called {package}: it is a module of {names[0]}; write packages = {names[:1]}")
    raise CourseError(f"the package {package} is not installed here: pip install {package}")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
