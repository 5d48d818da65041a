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
import datetime
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np

from redink import frames, wire
from redink.box.agreeing import agree
from redink.box.protocol import Borrow, Lent, pack, to_box
from redink.box.shell import fixed_seeds
from redink.calling import decode_inputs
from redink.wire.tables import is_pandas
from redink.wire.values import DTYPES

Compared = dict[str, list[bool]]  # by function: of each call, whether the answer was the reference's own too

_PLAIN = (type(None), bool, int, float, complex, str)
_WRITTEN = (Decimal, Fraction, datetime.date, datetime.datetime, datetime.time, datetime.timedelta)
_MORE = "takes or returns more than plain data"


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
            returned, *after = _read(lent.value, name)
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
    return Borrow(name=name, places=places, names=tuple(kwargs), inputs=wire.encode(inputs, tuples=True))


def _crossed(value: Any) -> Any:
    """Return a value as the wire gives it back, without torch."""
    return wire.decode(wire.encode(value))


def _read(data: bytes, name: str) -> list[Any]:
    """Read what a lent function returned, and its arguments afterwards: somebody else wrote these bytes."""
    try:
        returned, by_place, by_name = decode_inputs(data)
        return [_plain(returned, name), list(by_place), by_name]
    except Exception as error:
        raise CannotBorrow(f"{name} {_MORE}") from error


def _change(own: Any, after: Any, name: str) -> None:
    """Change arguments of the reference's in place, as the student's function has changed those that it got."""
    if isinstance(own, dict) and isinstance(after, dict) and own.keys() == after.keys():
        places: Any = own.keys()
    elif isinstance(own, list) and isinstance(after, list) and len(own) == len(after):
        places = range(len(own))
    elif isinstance(own, set) and isinstance(after, set):
        own.clear()
        own.update(after)
        return
    elif wire.encode(own) == wire.encode(after):
        return
    elif _is_array(own) and own.shape == getattr(after, "shape", ()):
        own[...] = after
        return
    else:
        raise CannotBorrow(f"{name} changes an argument in place in a way that cannot be repeated")
    for place in places:
        if type(own[place]) in _PLAIN and type(after[place]) in _PLAIN:
            own[place] = after[place]
        else:
            _change(own[place], after[place], name)


def _is_array(value: Any) -> bool:
    return bool(getattr(value, "shape", ())) and not is_pandas(value)


def _plain(value: Any, name: str) -> Any:
    """Return a value as what it will be on the other side; raise if something of it would be lost on the way."""
    if type(value) in _PLAIN or (type(value) in _WRITTEN and _is_same(_returning(value), value)):
        return value
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(_plain(item, name) for item in value)
    if type(value) is dict:
        return {_plain(key, name): _plain(item, name) for key, item in value.items()}
    if isinstance(value, np.generic) or type(value) is np.ndarray:
        if value.dtype.kind in "biufc" or (value.shape and value.dtype.name in DTYPES):
            return value if value.shape else np.asarray(value)[()]  # a number crosses as an array without axes
    elif type(value).__module__.partition(".")[0] == "torch":
        if not getattr(value, "requires_grad", True):
            return value
    elif is_pandas(value) and _is_same_table(_returning(value), value):
        return value
    raise CannotBorrow(f"{name} {_MORE}")


def _returning(value: Any) -> Any:
    """Return a value as the other side has it; None if it cannot be read there."""
    try:
        return decode_inputs(wire.encode(value))
    except Exception:  # noqa: BLE001 - pandas may raise anything
        return None


def _is_same(made: Any, value: Any) -> bool:
    return type(made) is type(value) and bool(made == value)


def _is_same_table(made: Any, table: Any) -> bool:
    """Compare two DataFrames or Series: their values, their labels, and the types and names of these."""
    return type(made) is type(table) and bool(made.equals(table)) and _types(made) == _types(table)


def _types(table: Any) -> list[str]:
    axes = [str(one) for axis in table.axes for one in (axis.dtype, *axis.names)]
    return [*axes, *map(str, table.dtypes if table.ndim > 1 else [table.dtype])]
