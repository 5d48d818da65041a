"""What forbidden names stand for: code objects, functions in C, methods of a name, everything in a module."""

from __future__ import annotations

import builtins
import functools
import re
import sys
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

_HARMLESS = re.compile(  # computes nothing: a helper may ask or set it wherever it is used
    r"(is|set|get)_\w+|(manual_)?seed|(no|enable)_grad|inference_mode|decorate_context|__(instance|subclass)check__"
)
_MOST_DECORATORS = 10


class Target(NamedTuple):
    """Something whose call is the use of a forbidden name: a code object, or a function in C."""

    name: str
    called: object  # held, so that nothing else gets its id
    of: type | None = None  # the forbidden class that it is a method of
    through: tuple[CodeType, ...] = ()  # the decorators around it, whose code is not its alone

    def is_home_of(self, this: Any) -> bool:
        """Tell whether an object is of the forbidden class, or of a notebook's own class derived from it."""
        return next(one for one in class_of(this).__mro__ if one.__module__ != "__main__") is self.of


def targets(name: str) -> Iterator[Target]:
    """List what is called when a forbidden name is used."""
    thing = resolve(name)
    if isinstance(thing, ModuleType):
        for one in vars(thing).values():  # such as torch.linalg.inv, which is of a private module by its own account
            if isinstance(one, BuiltinFunctionType) and "._" in (one.__module__ or "") and not is_harmless(one):
                yield Target(name, one)
    elif isinstance(thing, type):
        yield from (Target(name, one.__code__, thing) for one in vars(thing).values() if isinstance(one, FunctionType))
    elif isinstance(thing, BuiltinFunctionType):
        yield Target(name, thing)
    else:
        chain = [one.__code__ for one in _unwrapped(thing) if isinstance(one, FunctionType)]
        if chain and "<locals>" not in chain[-1].co_qualname:  # otherwise a factory makes others of the same code
            yield Target(name, chain[-1], through=tuple(chain[:-1]))


def resolve(name: str) -> Any:
    """Find a thing by its full name without importing anything; None if it is not there.

    A notebook may have put something of its own in its place, which may do anything when it is looked at.
    """
    parts = name.split(".")
    at = next((n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in sys.modules), 0)
    thing: Any = sys.modules[".".join(parts[:at])] if at else builtins
    try:
        for part in parts[at:]:
            thing = vars(thing).get(part) if isinstance(thing, ModuleType) else getattr(thing, part, None)
    except Exception:  # noqa: BLE001 - see above
        return None
    return thing


def runs(value: Any) -> Iterator[Any]:
    """List the code objects and functions in C that run when something of a notebook's is called."""
    try:
        for one in _unwrapped(value):
            function = one.__func__ if isinstance(one, MethodType) else one
            if isinstance(function, FunctionType):
                yield function.__code__
            elif isinstance(function, BuiltinFunctionType):
                yield function
            elif not isinstance(function, ModuleType):
                yield from _methods(function if isinstance(function, type) else type(function))
    except Exception:  # noqa: BLE001 - an object of the student's may do anything when it is looked at
        return


def this_of(called: Any) -> Any:
    """Return the object or class whose method is called; None if it is no method."""
    if not isinstance(called, FrameType):
        return None if isinstance(called.__self__, ModuleType) else called.__self__
    first = called.f_code.co_varnames[:1]
    return called.f_locals.get(first[0]) if first in (("self",), ("cls",)) else None


def class_of(this: Any) -> type:
    """Return the class of an object; of a class, itself."""
    return this if isinstance(this, type) else type(this)


def belonging(called: Any, names: Iterable[str]) -> tuple[str, ...]:
    """List the modules and attributes that a call belongs to; of a module inside a package, methods do not count."""
    this = this_of(called)
    if isinstance(called, FrameType):
        module, plain = called.f_globals.get("__name__"), called.f_code.co_name
    else:
        plain = called.__name__
        module = called.__module__ if this is None else class_of(this).__module__
    method = this is not None and plain not in ("__init__", "__new__")
    found = []
    for name in names:
        if name.startswith("."):
            if name[1:] == plain and method and not isinstance(this, type):
                found.append(name)
        elif f"{module}.".startswith(f"{name}.") and not (method and "." in name):
            found.append(name)
    return tuple(found)


def is_harmless(called: Any) -> bool:
    """Tell whether a call only asks or sets something, like `torch.is_tensor`, `torch.manual_seed` or `torch.no_grad`."""
    names = [class_of(this_of(called)).__name__]
    if isinstance(called, FrameType):
        around = [called.f_locals.get(name) for name in called.f_code.co_freevars]  # of a decorator: the decorated
        names += [called.f_code.co_name, *(one.__name__ for one in around if isinstance(one, FunctionType))]
    else:
        names.append(called.__name__)
    return any(_HARMLESS.fullmatch(name) for name in names)


def _unwrapped(thing: Any) -> Iterator[Any]:
    """Follow a function through its decorators, inwards."""
    for _ in range(_MOST_DECORATORS):
        if thing is not None:
            yield thing
            thing = thing.func if isinstance(thing, functools.partial) else getattr(thing, "__wrapped__", None)


def _methods(kind: type) -> Iterator[CodeType]:
    """List the methods of a class, and those that it inherits from the notebook's own."""
    for base in kind.__mro__:
        if base is kind or base.__module__ == "__main__":
            for one in vars(base).values():
                function = getattr(one, "fget", None) or getattr(one, "__func__", one)
                yield from (inner.__code__ for inner in _unwrapped(function) if isinstance(inner, FunctionType))
