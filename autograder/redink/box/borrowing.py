"""Borrowing: functions of the reference whose calls another box answers.

Only requests to the reference's own box name any (`Request.borrows`). While such a request runs, each of these functions is
replaced by one that sends its arguments to the grader as plain data and waits for what the student's function returned,
which comes back as plain data too; so do arguments that it changed in place, and the reference's own are changed likewise.
What cannot cross that way unchanged ends the request; nothing in the reference can catch that, so it is never taken for an
answer.

The reference's own function answers each call too, on copies of the arguments: how often the two agree goes back with the
reply, and shows whether a function that passed its checks was as right when it was borrowed (pipeline/carry.py).
"""

from __future__ import annotations

import copy
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from redink import frames, wire
from redink.box.agreeing import agree
from redink.box.protocol import Borrow, Lent, pack, to_box
from redink.box.shell import fixed_seeds
from redink.calling import decode_inputs

Compared = dict[str, list[bool]]  # by function: of each call, whether the answer was the reference's own too

_PLAIN = (type(None), bool, int, float, complex, str)


class CannotBorrow(BaseException):
    """Why a function could not be borrowed: a person must look."""


class LentRaised(BaseException):
    """The function that was borrowed raised an error; a digest of it, if the reference's own raises one here too."""


class Loans:
    """Replaces functions of a notebook, as long as a request runs."""

    def __init__(self, sock: socket.socket, notebook: dict[str, Any]) -> None:
        self._sock = sock
        self._notebook = notebook

    @contextmanager
    def of(self, names: Sequence[str]) -> Iterator[Compared]:
        """Borrow these functions in a block; yield what becomes known of their answers."""
        own = {name: self._notebook[name] for name in names}
        for name, function in own.items():
            if not isinstance(function, FunctionType):
                raise CannotBorrow(f"{name} is no function")
        compared: Compared = {name: [] for name in names}
        with self._replaced({name: self._borrowed(name, own, compared[name]) for name in own}):
            yield compared

    @contextmanager
    def _replaced(self, functions: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
        before = {name: self._notebook[name] for name in functions}
        self._notebook.update(functions)
        try:
            yield
        finally:
            self._notebook.update(before)

    def _borrowed(self, name: str, own: Mapping[str, FunctionType], agreed: list[bool]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            borrow = _order(own[name], name, args, kwargs)
            answer = self._own_answer(name, own, args, kwargs)
            frames.send(self._sock, pack(borrow))
            lent = to_box(frames.receive(self._sock))
            assert isinstance(lent, Lent), "the grader answers in turn"
            if lent.status == "raised":
                raise LentRaised("" if answer is not None else lent.why)
            if lent.status == "refused":
                raise CannotBorrow(lent.why)
            returned, *after = _three(decode_inputs(lent.value), name)
            returned = _plain(returned, name)
            became = after if lent.changed else [args, kwargs]
            agreed.append(answer is not None and agree(_crossed([returned, *became]), answer))
            if lent.changed:
                _change([list(args), kwargs], after, name)
            return returned

        return call

    def _own_answer(
        self, name: str, own: Mapping[str, FunctionType], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Answer a call as the reference does when it borrows nothing, on copies; None if it raises an error."""
        args, kwargs = copy.deepcopy((args, kwargs))
        try:
            with self._replaced(own), fixed_seeds.aside():  # a lent call starts from fixed seeds too
                return _crossed([own[name](*args, **kwargs), args, kwargs])
        except Exception:  # noqa: BLE001 - on arguments that a wrong function gave, anything may be raised
            return None


def _order(function: FunctionType, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Borrow:
    """Write down a call; arguments have the names of the function's parameters, as in a `when`."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount]
    places = tuple(known[n] if n < len(known) else f"x{n}" for n in range(len(args)))
    inputs = {**dict(zip(places, _plain(args, name), strict=True)), **_plain(kwargs, name)}
    return Borrow(name=name, places=places, names=tuple(kwargs), inputs=wire.encode(inputs))


def _crossed(value: Any) -> Any:
    """Return a value as the wire gives it back, without torch."""
    return wire.decode(wire.encode(value))


def _three(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list) or len(value) != 3:
        raise CannotBorrow(f"{name} takes or returns more than plain data")
    return value


def _change(own: Any, after: Any, name: str) -> None:
    """Change arguments of the reference's in place, as the student's function has changed those that it got."""
    if isinstance(own, dict) and isinstance(after, dict) and own.keys() == after.keys():
        places: Any = own.keys()
    elif isinstance(own, list) and isinstance(after, list) and len(own) == len(after):
        places = range(len(own))
    elif getattr(own, "shape", ()) and own.shape == getattr(after, "shape", ()):
        own[...] = after
        return
    elif wire.encode(own) == wire.encode(after):
        return
    else:
        raise CannotBorrow(f"{name} changes an argument in place in a way that cannot be repeated")
    for place in places:
        if type(own[place]) in _PLAIN and type(after[place]) in _PLAIN:
            own[place] = after[place]
        else:
            _change(own[place], after[place], name)


def _plain(value: Any, name: str) -> Any:
    """Return a value as what it will be on the other side; raise if something of it would be lost on the way."""
    if type(value) in _PLAIN:
        return value
    if type(value) in (list, tuple):
        return [_plain(item, name) for item in value]
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: _plain(item, name) for key, item in value.items()}
    if isinstance(value, np.generic) or type(value) is np.ndarray:
        if value.dtype.kind in "biufc":
            return value if value.shape else np.asarray(value)[()]  # a number crosses as an array without axes
    elif type(value).__module__.partition(".")[0] == "torch" and not getattr(value, "requires_grad", True):
        return value
    raise CannotBorrow(f"{name} takes or returns more than plain data")
