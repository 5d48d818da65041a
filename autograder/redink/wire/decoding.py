"""Rebuilding values from bytes that may be anybody's: sizes and keys are looked at before anything is built."""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from redink.errors import WireError
from redink.texts import clean
from redink.wire.scanning import scan
from redink.wire.values import (
    BFLOAT16,
    DTYPES,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_NODES,
    SCALARS,
    BFloat16Array,
    Opaque,
    Table,
    Tag,
    TensorArray,
    TupleList,
)

MAX_SPAN = 1 << 24  # bytes that an empty array would have if each of its axes had a place: what a value may hold

_SHORT = 1000  # bytes: in so few nothing can be large
_SAME_HASH = 16  # different keys with one hash: by chance never, and each makes every other slower
_DECIMAL = re.compile(rb"-?\d{1,%d}(\.\d{1,%d})?(E[+-]\d{1,5})?" % (MAX_DIGITS, MAX_DIGITS))
_FRACTION = re.compile(rb"(-?\d{1,%d})/(\d{1,%d})" % (MAX_DIGITS, MAX_DIGITS))
_SPAN = re.compile(r"(-?\d{1,9}),(\d{1,5}),(\d{1,6})")


def decode(data: bytes, live: Any = None, most: int = MAX_NODES) -> Any:
    """Rebuild a value of at most so many parts from untrusted bytes.

    Where code will use it, `live` makes tensors (`from_numpy`) and DataFrames (`from_table`), and tuples are tuples;
    elsewhere they are `TensorArray`, `Table` and `TupleList`.
    """
    try:
        if len(data) > _SHORT:
            scan(data, min(most, MAX_NODES))
        return _untangle(msgspec.msgpack.decode(data), live, 0)
    except WireError:
        raise
    except Exception as error:  # the bytes are an attacker's: msgspec, numpy and recursion may all complain
        raise WireError(f"what came back is not plain data ({type(error).__name__})") from error


def _untangle(node: Any, live: Any, depth: int) -> Any:
    if depth > 2 * MAX_DEPTH:
        raise WireError("what came back is nested too deeply")
    if isinstance(node, list):
        plain = SCALARS.issuperset(map(type, node))
        return node if plain else [_untangle(item, live, depth + 1) for item in node]
    if isinstance(node, dict):
        if not all(type(key) is str for key in node):
            raise WireError("what came back has keys that are not strings")
        return {key: _untangle(item, live, depth + 1) for key, item in node.items()}
    if isinstance(node, msgspec.msgpack.Ext):
        return _extended(node.code, bytes(node.data), live, depth)
    if node is None or isinstance(node, bool | int | float | str):
        return node
    raise WireError(f"what came back holds a {type(node).__name__}")


def _extended(code: int, data: bytes, live: Any, depth: int) -> Any:
    if code == Tag.ARRAY:
        return _rebuilt(data)[1]
    if code == Tag.TENSOR:
        return _tensor(data, live)
    if code == Tag.PAIRS:
        pairs = _untangle(msgspec.msgpack.decode(data, type=list[list[Any]]), live, depth + 1)
        return _keyed([(_hashable(key), item) for key, item in pairs])
    if code in _WRITTEN:
        return _WRITTEN[code](data)
    return _collected(code, data, live, depth)


def _collected(code: int, data: bytes, live: Any, depth: int) -> Any:
    """Rebuild what holds further values in a list."""
    if code not in (Tag.SET, Tag.FROZENSET, Tag.TUPLE, Tag.TABLE):
        raise WireError(f"what came back has an unknown tag {code}")
    items = [_untangle(item, live, depth + 1) for item in msgspec.msgpack.decode(data, type=list[Any])]
    if code == Tag.TUPLE:
        return TupleList(items) if live is None else tuple(items)
    if code == Tag.TABLE:
        table = _table(items)
        return table if live is None else live.from_table(table)
    keys = [_hashable(item) for item in items]
    _refuse_collisions(keys)
    return set(keys) if code == Tag.SET else frozenset(keys)


def _tensor(data: bytes, live: Any) -> Any:
    dtype, array = _rebuilt(data)
    if live is None:
        return array.view(BFloat16Array if dtype == BFLOAT16 else TensorArray)
    tensor = live.from_numpy(array)
    return tensor.bfloat16() if dtype == BFLOAT16 and hasattr(tensor, "bfloat16") else tensor


def _integer(data: bytes) -> int:
    if len(data) > MAX_DIGITS + 1:
        raise WireError(f"what came back has an integer of more than {MAX_DIGITS} digits")
    return int(data)


def _opaque(data: bytes) -> Opaque:
    return Opaque(clean(data[:400].decode("utf-8", "replace"), 100))


def _fraction(data: bytes) -> Fraction:
    if (parts := _FRACTION.fullmatch(data)) is None:
        raise WireError("what came back has a fraction that is none")
    return Fraction(int(parts[1]), int(parts[2]))


def _decimal(data: bytes) -> Decimal:
    """Read a decimal of as many digits, and as many places before and behind its point, as an integer may have."""
    made = Decimal(data.decode()) if _DECIMAL.fullmatch(data) else Decimal("nan")
    if not made.is_finite() or abs(made.adjusted()) > MAX_DIGITS:
        raise WireError("what came back has a decimal that is none, or is too long")
    return made


def _moment(data: bytes) -> Any:
    text = data[:64].decode("ascii")
    kind, rest = text[:1], text[1:]
    if kind == "s" and (parts := _SPAN.fullmatch(rest)):
        return datetime.timedelta(int(parts[1]), int(parts[2]), int(parts[3]))
    if kind == "t":
        return datetime.datetime.fromisoformat(rest)
    if kind == "d":
        return datetime.date.fromisoformat(rest)
    if kind == "c":
        return datetime.time.fromisoformat(rest)
    raise WireError("what came back has a date that is none")


_WRITTEN: Mapping[int, Callable[[bytes], Any]] = MappingProxyType(
    {
        Tag.BIGINT: _integer,
        Tag.OPAQUE: _opaque,
        Tag.FRACTION: _fraction,
        Tag.DECIMAL: _decimal,
        Tag.MOMENT: _moment,
    }
)


def _table(items: list[Any]) -> Table:
    """Make a table, if its columns and its index have one length and its names are different."""
    is_series, names, index, columns = items
    if type(is_series) is not bool or type(names) is not list or type(columns) is not list or not names:
        raise WireError("what came back has a table that is none")
    pairs = [(_hashable(name), column) for name, column in columns]
    parts = [index, *(column for _, column in pairs)]
    if not all(type(part) is list or (isinstance(part, np.ndarray) and part.ndim == 1) for part in parts):
        raise WireError("what came back has a table with a column that is none")
    if len({len(part) for part in parts}) > 1 or (is_series and len(pairs) != 1):
        raise WireError("what came back has a table with columns of different lengths")
    _refuse_collisions([name for name, _ in pairs])
    labels = [_hashable(label) for label in index] if isinstance(index, list) else index
    made = Table(pairs, labels, [_hashable(name) for name in names], is_series)
    if len(made) < len(pairs):
        raise WireError("what came back has a table with two columns of one name")
    return made


def _keyed(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Make a dict, unless its keys were chosen so that it would take for ever."""
    _refuse_collisions([key for key, _ in pairs])
    return dict(pairs)


def _refuse_collisions(keys: Sequence[Hashable]) -> None:
    shared = Counter(map(hash, keys))
    if max(shared.values(), default=0) > _SAME_HASH:
        raise WireError("what came back has keys that all have the same hash")


def _rebuilt(data: bytes) -> tuple[str, np.ndarray[Any, Any]]:
    dtype, shape, raw = msgspec.msgpack.decode(data, type=tuple[str, list[int], bytes])
    if dtype not in DTYPES and dtype != BFLOAT16:
        raise WireError(f"what came back claims an array of {clean(dtype, 20)}")
    kind = np.dtype("uint16" if dtype == BFLOAT16 else dtype).newbyteorder("<")
    span = math.prod(max(n, 1) for n in shape) * kind.itemsize if 0 in shape else 0
    if len(shape) > 32 or any(n < 0 for n in shape) or span > MAX_SPAN:
        raise WireError(f"what came back claims an array of shape {shape[:8]}")
    if math.prod(shape) * kind.itemsize != len(raw):
        raise WireError("what came back claims an array of a different size than it sent")
    if dtype == "bool" and raw.translate(None, b"\0\1"):
        raise WireError("what came back has boolean bytes other than 0 and 1")
    array = np.frombuffer(raw, dtype=kind).reshape(shape)
    if dtype == BFLOAT16:
        return dtype, (array.astype(np.uint32) << 16).view(np.float32)
    return dtype, array.astype(dtype)


def frozen(value: Any) -> Any:
    """Make every array in a decoded value read-only, so that it can be shared between judgements."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, list | dict):
        items = value.values() if isinstance(value, dict) else value
        if not SCALARS.issuperset(map(type, items)):
            for item in items:
                frozen(item)
        if isinstance(value, Table):
            frozen(value.index)
    return value


def _hashable(key: Any) -> Any:
    if isinstance(key, list):
        return tuple(_hashable(part) for part in key)
    if isinstance(key, set):
        return frozenset(key)
    if isinstance(key, np.ndarray) and key.shape == ():
        return key.item()
    hash(key)
    return key
