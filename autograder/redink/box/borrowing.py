"""Borrowing: functions of the reference whose calls another box answers.

Only requests to the reference's own box name any (`Request.borrows`). While such a request runs, each of these functions is
replaced by one that sends its arguments to the grader as plain data and waits for what the student's function returned,
which comes back as plain data too; so do arguments that it changed in place, and the reference's own are changed likewise.
What cannot cross that way unchanged ends the request; nothing in the reference can catch that, so it is never taken for an
answer.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from redink import frames, wire
from redink.box.protocol import Borrow, Lent, pack, to_box
from redink.calling import decode_inputs

_PLAIN = (type(None), bool, int, float, complex, str)


class CannotBorrow(BaseException):
    """Why a function could not be borrowed: a person must look."""


class LentRaised(BaseException):
    """The function that was borrowed raised an error, and so there is no answer."""


class Loans:
    """Replaces functions of a notebook, as long as a request runs."""

    def __init__(self, sock: socket.socket, notebook: dict[str, Any]) -> None:
        self._sock = sock
        self._notebook = notebook

    @contextmanager
    def of(self, names: Sequence[str]) -> Iterator[None]:
        """Borrow these functions in a block."""
        own = {name: self._notebook[name] for name in names}
        for name, function in own.items():
            if not isinstance(function, FunctionType):
                raise CannotBorrow(f"{name} is no function")
        self._notebook.update((name, self._borrowed(name)) for name in own)
        try:
            yield
        finally:
            self._notebook.update(own)

    def _borrowed(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            inputs = wire.encode({"args": _plain(args, name), "kwargs": _plain(kwargs, name)})
            frames.send(self._sock, pack(Borrow(name=name, inputs=inputs)))
            lent = to_box(frames.receive(self._sock))
            assert isinstance(lent, Lent), "the grader answers in turn"
            if lent.status == "returned":
                returned, *after = _three(decode_inputs(lent.value), name)
                if lent.changed:
                    _change([list(args), kwargs], after, name)
                return _plain(returned, name)
            raise LentRaised(name) if lent.status == "raised" else CannotBorrow(lent.why)

        return call


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
