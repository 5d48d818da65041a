"""What a notebook needs that the grader does not have: packages beside those of the assignment, and a student's own files.

It is read from the source, cell by cell, and nothing runs. An import in a `try` has a way round it and is not told.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from redink.assignment.spec import Spec
from redink.records import Cell
from redink.source import parse

_ALWAYS = frozenset({"numpy", "torch", "matplotlib", "mpl_toolkits", "IPython", "redink", "redink_datasets"})
_WRITES = re.compile(r"save|write|dump|to_|mkdir|touch")  # how functions that make a file are called


def find_needs(cells: Iterable[Cell], spec: Spec, folder: Path) -> list[str]:
    """Say which cells import what the grader does not have, or name a file here that is no data of the assignment."""
    told = []
    for cell in cells:
        tree = parse(cell.source)
        foreign = [name for name in dict.fromkeys(_imported(tree)) if not _is_there(name, spec)]
        told += [f"cell {cell.index} imports {name}, which the grader does not have" for name in foreign]
        files = [name for name in dict.fromkeys(_texts(tree)) if _is_a_file(name, folder) and not _is_data(name, spec)]
        told += [f"cell {cell.index} opens {name}, a file that the grader does not have" for name in files]
    return told


def _imported(node: ast.AST) -> Iterator[str]:
    """Name the modules that are imported outright, without what is inside them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (one.name.partition(".")[0] for one in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield (child.module or "").partition(".")[0]
        elif not isinstance(child, ast.Try):
            yield from _imported(child)


def _is_there(module: str, spec: Spec) -> bool:
    if not module or module in sys.stdlib_module_names | _ALWAYS or f"{module}.py" in spec.data:
        return True
    provided = {_normal(name) for name in (module, *metadata.packages_distributions().get(module, ()))}
    return not provided.isdisjoint(map(_normal, spec.packages))


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _texts(node: ast.AST) -> Iterator[str]:
    """List the strings in a source, but for those that tell a function what to write."""
    if isinstance(node, ast.Call) and _writes(node):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def _writes(call: ast.Call) -> bool:
    """Tell whether a call makes a file: by its name, or as `open(…, "w")`."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    modes = [
        one.value for one in (*call.args[1:], *(word.value for word in call.keywords)) if isinstance(one, ast.Constant)
    ]
    opened = name == "open" and any(not set("wxa").isdisjoint(str(mode)) for mode in modes)
    return opened or bool(_WRITES.match(name))


def _is_a_file(text: str, folder: Path) -> bool:
    try:
        return len(text) < 300 and (folder / text).is_file()
    except (OSError, ValueError):  # no system could open it
        return False


def _is_data(text: str, spec: Spec) -> bool:
    return Path(text).as_posix() in spec.data
