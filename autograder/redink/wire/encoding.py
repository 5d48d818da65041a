"""Turning any value into bytes; nothing that a student returns makes this fail."""

from __future__ import annotations

import datetime
import sys
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import msgspec
import numpy as np

from redink.wire import values
from redink.wire.tables import from_pandas, is_pandas
from redink.wire.values import BFLOAT16, DTYPES, MAX_DEPTH, MAX_DIGITS, Opaque, Table, Tag, TensorArray, TupleList

_NAMES = {np.dtype(name): name for name in DTYPES}
_MICROSECONDS = {"M": "datetime64[us]", "m": "timedelta64[us]"}


def encode(value: object, *, tuples: bool = False) -> bytes:
    """Turn any value into bytes; what is not plain data becomes `Opaque`. `tuples` keeps tuples apart from lists."""
    try:
        return msgspec.msgpack.encode(Encoder(tuples).tree(value, 0))
    except Exception:  # noqa: BLE001 - a hostile object may raise anything from any dunder
        return msgspec.msgpack.encode(_opaque(value))


class _TooMany(Exception):  # noqa: N818 - ends the walk, never leaves this module
    """The value has more nodes than may cross."""


class Encoder:
    """Walks one value; counts nodes so that a huge structure ends as `Opaque`, not as a full memory."""

    def __init__(self, tuples: bool = False) -> None:
        self.nodes = 0
        self._tuples = (tuple, TupleList) if tuples else (TupleList,)

    def tree(self, value: Any, depth: int) -> Any:
        """Return what MessagePack writes for one value."""
        self.nodes += 1
        if self.nodes > values.MAX_NODES:
            raise _TooMany
        if depth > MAX_DEPTH:
            return _opaque(value)
        if value is None or value is True or value is False:
            return value
        try:
            return self._known(value, depth)
        except _TooMany:
            raise
        except Exception:  # noqa: BLE001 - see encode
            return _opaque(value)

    def _known(self, value: Any, depth: int) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            return _opaque(value) if _is_masked(value) else self._array(value, depth)
        if isinstance(value, int):
            return _integer(int(value))
        if isinstance(value, float):
            return float(value)
        if isinstance(value, str):
            return str(value).encode("utf-8", "replace").decode()
        if isinstance(value, list | tuple):
            items = [self.tree(item, depth + 1) for item in list(value)]
            return _nested(Tag.TUPLE, items) if isinstance(value, self._tuples) else items
        if isinstance(value, Table) or is_pandas(value):
            return self._table(value if isinstance(value, Table) else from_pandas(value), depth)
        if isinstance(value, dict):
            return self._mapping(value, depth)
        if isinstance(value, set | frozenset):
            return self._set(value, depth)
        return self._rarer(value, depth)

    def _rarer(self, value: Any, depth: int) -> Any:
        if isinstance(value, Decimal):
            return _decimal(Decimal(value))
        if isinstance(value, Fraction):
            return msgspec.msgpack.Ext(Tag.FRACTION, f"{int(value.numerator)}/{int(value.denominator)}".encode())
        if isinstance(value, Real):
            return float(value)
        if isinstance(value, complex):
            return self._array(np.complex128(value), depth)
        if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
            return _moment(value)
        if isinstance(value, Opaque):
            return msgspec.msgpack.Ext(Tag.OPAQUE, value.type_name.encode())
        if type(value).__module__.startswith("torch") and hasattr(value, "detach"):
            return _tensor(value)
        return _opaque(value)

    def _mapping(self, value: dict[Any, Any], depth: int) -> Any:
        if all(type(key) is str for key in value):
            return {self.tree(key, depth): self.tree(item, depth + 1) for key, item in value.items()}
        return _nested(Tag.PAIRS, self._pairs(value, depth))

    def _pairs(self, value: dict[Any, Any], depth: int) -> list[Any]:
        return [[self.tree(key, depth + 1), self.tree(item, depth + 1)] for key, item in value.items()]

    def _set(self, value: set[Any] | frozenset[Any], depth: int) -> Any:
        """Write the items in the order of their bytes: an equal set gives the same bytes, in whatever order it was made."""
        items = sorted({msgspec.msgpack.encode(self.tree(item, depth + 1)) for item in list(value)})
        return _nested(Tag.SET if isinstance(value, set) else Tag.FROZENSET, list(map(msgspec.Raw, items)))

    def _table(self, value: Table | Opaque, depth: int) -> Any:
        if isinstance(value, Opaque):
            return self._rarer(value, depth)
        parts = [value.is_series, list(value.index_names), value.index]
        return _nested(Tag.TABLE, [*(self.tree(part, depth + 1) for part in parts), self._pairs(value, depth)])

    def _array(self, value: Any, depth: int) -> Any:
        array = np.asarray(value)
        kind = array.dtype.kind
        if kind in "OUS" or (kind in "mM" and not array.shape):
            if kind in "mM":  # a single moment; in nanoseconds it would be an integer
                array = array.astype(_MICROSECONDS[kind]) if isinstance(array.item(), int) else array
            return self.tree(array.tolist(), depth + 1)
        if kind in "mM":
            array = array.astype(_MICROSECONDS[kind])
        elif _name(array.dtype) not in DTYPES and kind in "fc":
            array = array.astype(np.complex128 if kind == "c" else np.float64)
        if _name(array.dtype) not in DTYPES:
            return _opaque(value)
        if isinstance(value, values.BFloat16Array):
            return _packed(Tag.TENSOR, BFLOAT16, (array.view(np.uint32) >> 16).astype(np.uint16))
        return _packed(Tag.TENSOR if isinstance(value, TensorArray) else Tag.ARRAY, _name(array.dtype), array)


def _nested(tag: int, content: list[Any]) -> Any:
    return msgspec.msgpack.Ext(tag, msgspec.msgpack.encode(content))


def _integer(value: int) -> Any:
    if -(2**63) <= value < 2**63:
        return value
    return msgspec.msgpack.Ext(Tag.BIGINT, str(value).encode())


def _decimal(value: Decimal) -> Any:
    if not value.is_finite():
        return float("nan") if value.is_nan() else float(value)
    if len(value.as_tuple().digits) > MAX_DIGITS or abs(value.adjusted()) > MAX_DIGITS:
        return _opaque(value)
    return msgspec.msgpack.Ext(Tag.DECIMAL, str(value).encode())


def _moment(value: Any) -> Any:
    """Write a date, a time or a span; what is not equal to itself is pandas' missing one."""
    if value != value:
        return _opaque(value)
    if isinstance(value, datetime.timedelta):
        text = f"s{value.days},{value.seconds},{value.microseconds}"
    elif isinstance(value, datetime.datetime):
        text = f"t{datetime.datetime.isoformat(value)}"
    elif isinstance(value, datetime.date):
        text = f"d{datetime.date.isoformat(value)}"
    else:
        text = f"c{datetime.time.isoformat(value)}"
    return msgspec.msgpack.Ext(Tag.MOMENT, text.encode())


def _tensor(value: Any) -> Any:
    plain = value.detach().cpu().resolve_conj().resolve_neg().contiguous()
    if str(plain.dtype) == "torch.bfloat16":
        return _packed(Tag.TENSOR, BFLOAT16, plain.view(sys.modules["torch"].int16).numpy().view(np.uint16))
    array = plain.numpy()
    return _packed(Tag.TENSOR, _name(array.dtype), array)


def _name(dtype: np.dtype[Any]) -> str:
    """Return the name of a dtype; numpy would work it out anew for each array."""
    return _NAMES.get(dtype) or dtype.name


def _packed(tag: int, dtype: str, array: np.ndarray[Any, Any]) -> Any:
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    return msgspec.msgpack.Ext(tag, msgspec.msgpack.encode((dtype, list(array.shape), little.tobytes())))


def _is_masked(value: object) -> bool:
    masks = sys.modules.get("numpy.ma")  # where nobody has loaded it, nobody has made one
    return masks is not None and isinstance(value, masks.MaskedArray)


def _opaque(value: object) -> Any:
    name: str = type.__dict__["__name__"].__get__(type(value))
    return msgspec.msgpack.Ext(Tag.OPAQUE, name[:100].encode("utf-8", "replace"))
