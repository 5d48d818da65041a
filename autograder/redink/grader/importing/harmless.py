"""Which code of an imported test may run in the grader: such as only computes.

What is given and what judges runs outside of the box. An imported file may be anybody's, and importing tries it at once.
So only arithmetic, literals, a list of builtins and modules that compute are let through; what opens, imports or looks
behind the scenes is left to a person, who can read it first.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Mapping

from redink.grader.importing.chains import NoCheck, said

_BUILTINS = frozenset(
    "abs all any bool chr complex dict divmod enumerate filter float frozenset int isinstance iter len list map max min "  # noqa: SIM905
    "next ord pow range repr reversed round set slice sorted str sum tuple zip Ellipsis NotImplemented".split()
)
_MODULES = frozenset(
    "numpy math cmath random statistics itertools functools collections fractions decimal datetime string torch".split()  # noqa: SIM905
)
_REACHING = frozenset(  # of these modules and their objects: files, processes, code in strings
    "load loads loadtxt genfromtxt fromfile fromregex memmap open_memmap DataSource save savez savez_compressed savetxt "  # noqa: SIM905
    "tofile dump dumps lib core compat ctypeslib f2py distutils testing rec char os sys hub utils jit ops classes package "
    "multiprocessing distributed compile vmap func fx onnx backends cuda storage from_file ctypes data_as setfield".split()
)


def refuse_harm(statements: Iterable[ast.AST], imports: Mapping[str, str], own: Collection[str]) -> None:
    """Raise `NoCheck` where statements do more than compute; `own` are the names that they define themselves."""
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.Attribute) and (node.attr.startswith("_") or node.attr in _REACHING):
            raise NoCheck(f"`{said(node)}` does more than compute, so it does not run outside of the box")
        if isinstance(node, ast.Name) and node.id not in own:
            if node.id in imports and not _computes(imports[node.id]):
                raise NoCheck(f"`{imports[node.id]}` is needed outside of the student's code, where it does not run")
            if node.id not in imports and hasattr(builtins, node.id) and node.id not in _BUILTINS:
                raise NoCheck(f"`{node.id}` does more than compute, so it does not run outside of the box")


def _computes(line: str) -> bool:
    (node,) = ast.parse(line).body
    if isinstance(node, ast.ImportFrom):
        names = {one.name for one in node.names}
        parts = (node.module or "").split(".")
    elif isinstance(node, ast.Import):
        names = set()
        parts = [part for one in node.names for part in one.name.split(".")]
    else:
        return False
    return parts[0] in _MODULES and _REACHING.isdisjoint({*parts, *names}) and not any(one[:1] == "_" for one in names)
