"""The second look at forbidden names: which of them the student's own code calls while a `when` runs.

Reading the source (judging/forbidding.py) does not follow helpers, containers or computed names. Here Python itself tells
of every call (`sys.setprofile`), and nothing is replaced: each function and class is the very one that a notebook has at
home. A call is noted if the code that makes it is the student's (a cell, an evaluated string, a file in the box's own
folder): what a library calls inside itself, and what our `when` calls, is not. Noted are the forbidden name and the
notebook's names for the functions on the stack, from the call outwards; what they mean is decided by the judge.

It is a rule of the exercise and no wall: code that wants to switch this off can. Nor does Python tell of everything: types
and functions that are written in C from end to end (`torch.Tensor`, `np.exp`, `np.dot`), operators, attributes, other
threads, and whatever comes after the first `MOST_CALLS` calls are left to the first look.
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

from redink.box.shell.forbidden_things import Target, belonging, is_harmless, resolve, runs, targets, this_of
from redink.records import ForbiddenCall

MOST_CALLS = 500  # of one `when`: being told of a call costs about as much as the call
MOST_NOTED = 8
MOST_NAMES = 20
LONGEST_NAME = 60
_OURS = "<when>"
_set_profile = sys.setprofile  # a notebook may replace it

Noted = dict[ForbiddenCall, None]  # in the order in which they were made


def _is_loaded(name: str) -> bool:
    """Tell whether the package of a name is there: nothing of another can be called. Builtins and attributes always are."""
    package = name.partition(".")[0]
    return package in sys.modules or package == "" or hasattr(builtins, package)


class Watch:
    """Knows what forbidden names stand for, and notes who calls them."""

    def __init__(self, names: Sequence[str], notebook: Mapping[str, Any], place: str) -> None:
        """Take the names before a cell can bind them to something else; files below `place` are the student's."""
        self._names = tuple(names)
        self._notebook = notebook
        self._place = f"{place.rstrip('/')}/"
        self._targets: dict[int, list[Target]] = {}
        self._wide: frozenset[str] = frozenset()  # the names that are no single thing: modules, and `.attributes`
        self._innocent: dict[Any, Any] = {}  # what belongs to none of those
        self._libraries: set[str] = set()  # files that are not the student's
        self._modules = 0  # how many were loaded when the names were found
        self._find()

    def _find(self) -> None:
        """Find what the names stand for, as far as that is loaded; once more when a cell or a call has loaded more."""
        if self._modules == len(sys.modules):
            return
        self._modules = len(sys.modules)
        for target in (one for name in self._names for one in targets(name)):
            known = self._targets.setdefault(id(target.called), [])
            known += [target] if target not in known else []
        self._wide = frozenset(name for name in self._names if name in sys.modules or resolve(name) is None)

    @contextmanager
    def over(self, forbids: Sequence[str]) -> Iterator[Noted]:
        """Note the calls of these names in a block; of packages that are not loaded nothing can be called."""
        noted: Noted = {}
        self._find()
        callable_now = frozenset(name for name in forbids if _is_loaded(name))
        _set_profile(self._teller(callable_now, noted) if callable_now else None)
        try:
            yield noted
        finally:
            _set_profile(None)

    def _teller(self, forbids: frozenset[str], noted: Noted) -> Callable[[FrameType, str, Any], None]:
        """Make what Python calls at every call; most calls are dismissed in a few steps."""
        left, targets, libraries, innocent = MOST_CALLS, self._targets, self._libraries, self._innocent
        wide = not forbids.isdisjoint(self._wide)

        def tell(frame: FrameType, event: str, arg: Any) -> None:
            nonlocal left
            if event == "call":
                caller, called = frame.f_back, frame.f_code
            elif event == "c_call":
                caller, called = frame, arg
            else:
                return
            left -= 1
            if left < 0:
                _set_profile(None)
            elif id(called) in targets or (
                wide
                and caller is not None
                and caller.f_code.co_filename not in libraries
                and id(called) not in innocent
                and (event == "call" or (type(arg.__self__), arg.__name__) not in innocent)
            ):
                self._note(caller, frame if event == "call" else arg, forbids, noted)

        return tell

    def _is_students(self, frame: FrameType) -> bool:
        """Tell whether the code of a frame is the student's."""
        file = frame.f_code.co_filename
        if file.startswith("<"):  # unless a cell, it may be what a library has made for itself
            return file.startswith("<cell ") or (file != _OURS and frame.f_globals.get("__spec__") is None)
        if file.startswith("/") and not file.startswith(self._place):
            self._libraries.add(file)
            return False
        return True

    def _note(self, caller: FrameType | None, called: Any, forbids: frozenset[str], noted: Noted) -> None:
        """Note a call under each forbidden name that it belongs to."""
        try:
            if isinstance(called, FrameType) and self._is_students(called):
                self._innocent[id(called.f_code)] = called.f_code
                return
            code: Any = called.f_code if isinstance(called, FrameType) else called
            for target in self._targets.get(id(code), ()):
                if target.name in forbids:
                    self._keep(target.name, self._caller_of(target, caller, called), code, noted)
            speaks = caller is not None and (self._is_students(caller) or caller.f_code.co_filename == _OURS)
            for name in self._belongs(called) if speaks else ():
                if name in forbids and (name.startswith(".") or not is_harmless(called)):
                    self._keep(name, caller, code, noted)
        except Exception:  # noqa: BLE001, S110 - an object of the student's may do anything when it is looked at
            pass

    def _belongs(self, called: Any) -> tuple[str, ...]:
        """Name the forbidden modules and attributes that a call belongs to; what belongs to none is not looked at again."""
        if names := belonging(called, self._wide):
            return names
        if isinstance(called, FrameType):
            self._innocent[id(called.f_code)] = called.f_code  # held, so that nothing else gets its id
        elif isinstance(called.__self__, ModuleType | type | None):
            self._innocent[id(called)] = called
        else:  # a method in C, which is a new object at each call
            self._innocent[type(called.__self__), called.__name__] = None
        return ()

    def _caller_of(self, target: Target, caller: FrameType | None, called: Any) -> FrameType | None:
        """Find who calls a target: not the decorators around it, nor the very object that it is a method of."""
        this = this_of(called) if target.of is not None else None
        if this is not None and not target.is_home_of(this):
            return None
        while caller is not None and not self._is_students(caller):
            if caller.f_code not in target.through and (this is None or this_of(caller) is not this):
                break
            caller = caller.f_back
        return caller

    def _keep(self, name: str, caller: FrameType | None, code: Any, noted: Noted) -> None:
        """Keep a call with the names of the student's functions around it.

        Our `when` may call something forbidden too: that counts if it stands in the notebook under a name of its own.
        """
        if caller is None:
            return
        if self._is_students(caller):
            around = tuple(self._around(caller))
        else:
            around = self._named.get(id(code), ()) if caller.f_code.co_filename == _OURS else ()
        if around and len(noted) < MOST_NOTED:
            noted[ForbiddenCall(name=name, within=around[:MOST_NAMES])] = None

    def _around(self, frame: FrameType | None) -> dict[str, None]:
        """Name the student's functions on the stack, from a frame outwards."""
        found: dict[str, None] = {}
        while frame is not None:
            if self._is_students(frame):
                outermost = frame.f_code.co_qualname.partition(".")[0]
                names = self._named.get(id(frame.f_code)) or (outermost,)
                found |= dict.fromkeys(name[:LONGEST_NAME] for name in names if name.isidentifier())
            frame = frame.f_back
        return found

    @functools.cached_property
    def _named(self) -> dict[int, tuple[str, ...]]:
        """The notebook's names for what runs when they are called; made when there is something to note."""
        found: dict[int, tuple[str, ...]] = {}
        for name, value in list(self._notebook.items()):
            if not name.startswith("_"):
                for one in runs(value):
                    found[id(one)] = (*found.get(id(one), ()), name)
        return found
