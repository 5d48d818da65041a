"""torch's compiler (`torch._dynamo`) is loaded when something is compiled, and not before.

Loading it takes nearly as long as torch itself, and every optimiser and `torch.func` does so, only to say what is not to be
compiled. Until something is compiled nobody has to know that: a module that takes such notes stands in its place, and makes
room for the compiler as soon as anything else is wanted of it.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from types import ModuleType
from typing import Any

_NAME = "torch._dynamo"


def load_when_compiling(torch: ModuleType) -> None:
    """Keep torch's compiler unloaded until it is needed; one that is loaded already stays."""
    spec = None if _NAME in sys.modules else find_spec(_NAME)
    if spec is not None:
        later = _Later(
            _NAME,
            __path__=spec.submodule_search_locations,
            disable=_as_it_is,
            disallow_in_graph=_as_it_is,
            graph_break=_do_nothing,
            compiled_autograd=_Later(f"{_NAME}.compiled_autograd", _disable=contextlib.nullcontext),
        )
        vars(torch)["_dynamo"] = sys.modules[_NAME] = later
        sys.meta_path.insert(0, _Parts)


def is_loaded() -> bool:
    """Tell whether the compiler itself is there."""
    return _NAME in sys.modules and not isinstance(sys.modules[_NAME], _Later)


class _Later(ModuleType):
    """Stands in for a module of the compiler, and knows what can be answered without it."""

    def __init__(self, name: str, **answers: object) -> None:
        super().__init__(name)
        vars(self).update(answers)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        _load()
        return getattr(importlib.import_module(self.__name__), name)


class _Parts:
    """Finds modules inside the compiler while there is a stand-in, by loading the compiler first."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return what loading the compiler has brought; of other modules it knows nothing."""
        if not name.startswith(f"{_NAME}."):
            return None
        _load()
        return spec_from_loader(name, _There()) if name in sys.modules else find_spec(name)  # type: ignore[arg-type]


class _There:
    """Loads what is loaded: no module may be there twice."""

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        """Return the module that is there."""
        return sys.modules[spec.name]

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Leave it as it is."""


def _load() -> None:
    """Put the compiler where it belongs."""
    if not is_loaded():
        vars(sys.modules["torch"]).pop("_dynamo", None)
        sys.modules.pop(_NAME, None)
        sys.meta_path[:] = [one for one in sys.meta_path if one is not _Parts]
        importlib.import_module(_NAME)


def _as_it_is(function: Any, *args: object, **kwargs: object) -> Any:
    return function


def _do_nothing(*args: object, **kwargs: object) -> None:
    return None
