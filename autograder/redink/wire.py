"""Plain data on the wire: how values cross between grader and box, and how they are stored.

A value is None, bool, int, float, str, list, dict, an array or a tensor (listed dtype, shape, raw bytes). Anything else
becomes `Opaque`, with the name of its type. The encoder never fails, whatever a student returns; the decoder trusts
nothing and raises only `WireError`. There is no pickle.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import msgspec
import numpy as np

from redink.errors import WireError

MAX_DEPTH = 40
MAX_NODES = 1_000_000

_DTYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()  # noqa: SIM905
)
_ARRAY, _TENSOR, _BIGINT, _PAIRS, _OPAQUE = 1, 2, 3, 4, 5

# MessagePack tags with a length behind them: (its width, nodes for each counted thing or 0 for bytes, bytes of ext code)
_SIZED = {
    0xC4: (1, 0, 0), 0xC5: (2, 0, 0), 0xC6: (4, 0, 0), 0xC7: (1, 0, 1), 0xC8: (2, 0, 1), 0xC9: (4, 0, 1),
    0xD9: (1, 0, 0), 0xDA: (2, 0, 0), 0xDB: (4, 0, 0),
    0xDC: (2, 1, 0), 0xDD: (4, 1, 0), 0xDE: (2, 2, 0), 0xDF: (4, 2, 0),
}  # fmt: skip
_FIXED = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}


class Opaque(msgspec.Struct, frozen=True):
    """A value that is not plain data; only the name of its type crossed."""

    type_name: str


class TensorArray(np.ndarray):
    """An array that was a torch tensor where it came from."""


# -- values to bytes ---------------------------------------------------------------------------------------------------


def encode(value: object) -> bytes:
    """Turn any value into bytes; what is not plain data becomes `Opaque`."""
    try:
        return msgspec.msgpack.encode(_Encoder().tree(value, 0))
    except Exception:  # noqa: BLE001 - a hostile object may raise anything from any dunder
        return msgspec.msgpack.encode(_opaque(value))


class _TooMany(Exception):  # noqa: N818 - ends the walk, never leaves this module
    """The value has more nodes than may cross."""


class _Encoder:
    """Walks one value; counts nodes so that a huge structure ends as `Opaque`, not as a full memory."""

    def __init__(self) -> None:
        self.nodes = 0

    def tree(self, value: Any, depth: int) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES:
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
            return self._array(value, depth)
        if isinstance(value, int):
            return _integer(int(value))
        if isinstance(value, Real):  # a float; also a Fraction
            return float(value)
        if isinstance(value, complex):
            return self._array(np.complex128(value), depth)
        if isinstance(value, str):
            return str(value).encode("utf-8", "replace").decode()
        if isinstance(value, list | tuple):
            return [self.tree(item, depth + 1) for item in list(value)]
        if isinstance(value, dict):
            return self._mapping(value, depth)
        if isinstance(value, Opaque):
            return msgspec.msgpack.Ext(_OPAQUE, value.type_name.encode())
        if type(value).__module__.startswith("torch") and hasattr(value, "detach"):
            return _tensor(value)
        return _opaque(value)

    def _mapping(self, value: dict[Any, Any], depth: int) -> Any:
        if all(type(key) is str for key in value):
            return {self.tree(key, depth): self.tree(item, depth + 1) for key, item in value.items()}
        pairs = [[self.tree(key, depth + 1), self.tree(item, depth + 1)] for key, item in value.items()]
        return msgspec.msgpack.Ext(_PAIRS, msgspec.msgpack.encode(pairs))

    def _array(self, value: Any, depth: int) -> Any:
        array = np.asarray(value)
        if array.dtype.name not in _DTYPES:
            return self.tree(array.tolist(), depth + 1) if array.dtype.kind in "OUS" else _opaque(value)
        tagged = isinstance(value, TensorArray)
        plain = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
        body = (array.dtype.name, list(array.shape), plain.tobytes())
        return msgspec.msgpack.Ext(_TENSOR if tagged else _ARRAY, msgspec.msgpack.encode(body))


def _integer(value: int) -> Any:
    if -(2**63) <= value < 2**63:
        return value
    return msgspec.msgpack.Ext(_BIGINT, str(value).encode())


def _tensor(value: Any) -> Any:
    plain = value.detach().cpu().resolve_conj().resolve_neg()
    if str(plain.dtype) == "torch.bfloat16":
        plain = plain.float()
    array = plain.contiguous().numpy()
    body = (array.dtype.name, list(array.shape), array.tobytes())
    return msgspec.msgpack.Ext(_TENSOR, msgspec.msgpack.encode(body))


def _opaque(value: object) -> Any:
    return msgspec.msgpack.Ext(_OPAQUE, type.__dict__["__name__"].__get__(type(value))[:100].encode("utf-8", "replace"))


# -- bytes to values ---------------------------------------------------------------------------------------------------


def decode(data: bytes, torch: Any = None) -> Any:
    """Rebuild a value from untrusted bytes; tensors become `TensorArray`, or real tensors where `torch` is given."""
    try:
        if len(data) > MAX_NODES:
            _count_nodes(data)
        return _untangle(msgspec.msgpack.decode(data), torch, 0)
    except WireError:
        raise
    except Exception as error:  # the bytes are an attacker's: msgspec, numpy and recursion may all complain
        raise WireError(f"what came back is not plain data ({type(error).__name__})") from error


def _count_nodes(data: bytes) -> None:
    """Refuse a packing of more nodes than may cross, before it is unpacked: a byte can become seventy of memory."""
    at, open_nodes, nodes = 0, 1, 0
    while open_nodes:
        nodes += 1
        if nodes > MAX_NODES:
            raise WireError(f"what came back has more than {MAX_NODES} parts")
        at, inside = _past_header(data, at)
        open_nodes += inside - 1


def _past_header(data: bytes, at: int) -> tuple[int, int]:
    """Step over one MessagePack header and its own bytes; return the place behind it, and how many nodes follow inside."""
    tag = data[at]
    if tag < 0x80 or tag >= 0xE0:
        return at + 1, 0
    if tag < 0xA0:
        return at + 1, (tag & 15) * (1 if tag >= 0x90 else 2)
    if tag < 0xC0:
        return at + 1 + (tag & 31), 0
    if tag in _SIZED:
        width, scale, extra = _SIZED[tag]
        size = int.from_bytes(data[at + 1 : at + 1 + width], "big")
        behind = at + 1 + width + extra
        if scale:
            return behind, scale * size
        if extra and data[behind - 1] == _PAIRS:
            return behind, 1
        return behind + size, 0
    if 0xD4 <= tag <= 0xD8:
        size = 1 << (tag - 0xD4)
        return (at + 2, 1) if data[at + 1] == _PAIRS else (at + 2 + size, 0)
    return at + 1 + _FIXED.get(tag, 0), 0


def _untangle(node: Any, torch: Any, depth: int) -> Any:
    if depth > 2 * MAX_DEPTH:
        raise WireError("what came back is nested too deeply")
    if isinstance(node, list):
        return [_untangle(item, torch, depth + 1) for item in node]
    if isinstance(node, dict):
        if not all(type(key) is str for key in node):
            raise WireError("what came back has keys that are not strings")
        return {key: _untangle(item, torch, depth + 1) for key, item in node.items()}
    if isinstance(node, msgspec.msgpack.Ext):
        return _extended(node.code, bytes(node.data), torch, depth)
    if node is None or isinstance(node, bool | int | float | str):
        return node
    raise WireError(f"what came back holds a {type(node).__name__}")


def _extended(code: int, data: bytes, torch: Any, depth: int) -> Any:
    if code == _ARRAY:
        return _rebuilt(data)
    if code == _TENSOR:
        array = _rebuilt(data)
        return array.view(TensorArray) if torch is None else torch.from_numpy(array)
    if code == _BIGINT:
        return int(data)
    if code == _PAIRS:
        pairs = _untangle(msgspec.msgpack.decode(data, type=list[list[Any]]), torch, depth + 1)
        return {_hashable(key): item for key, item in pairs}
    if code == _OPAQUE:
        return Opaque(data[:100].decode("utf-8", "replace"))
    raise WireError(f"what came back has an unknown tag {code}")


def _rebuilt(data: bytes) -> np.ndarray[Any, Any]:
    dtype, shape, raw = msgspec.msgpack.decode(data, type=tuple[str, list[int], bytes])
    if dtype not in _DTYPES or len(shape) > 32 or any(n < 0 for n in shape):
        raise WireError(f"what came back claims an array of {dtype[:20]} with shape {shape[:8]}")
    kind = np.dtype(dtype).newbyteorder("<")
    if math.prod(shape) * kind.itemsize != len(raw):
        raise WireError("what came back claims an array of a different size than it sent")
    if dtype == "bool" and raw.translate(None, b"\0\1"):
        raise WireError("what came back has boolean bytes other than 0 and 1")
    return np.frombuffer(raw, dtype=kind).reshape(shape).astype(dtype)


def frozen(value: Any) -> Any:
    """Make every array in a decoded value read-only, so that it can be shared between judgements."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            frozen(item)
    return value


def _hashable(key: Any) -> Any:
    if isinstance(key, list):
        return tuple(_hashable(part) for part in key)
    if isinstance(key, np.ndarray) and key.shape == ():
        return key.item()
    hash(key)
    return key
