"""Plain data on the wire: how values cross between grader and box, and how they are stored.

A value is None, bool, int, float, str, list, dict, an array or a tensor (listed dtype, shape, raw bytes). A Fraction or
Decimal crosses as a float, a long double as a double, an array of objects as a list. Anything else becomes `Opaque`, with
the name of its type; a masked array too, since its numbers without its mask would be another answer. The encoder never
fails, whatever a student returns; the decoder trusts nothing, looks at sizes and keys before it builds anything, and raises
only `WireError`. There is no pickle.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from decimal import Decimal
from numbers import Real
from typing import Any

import msgspec
import numpy as np

from redink.errors import WireError
from redink.texts import clean

MAX_DEPTH = 40
MAX_NODES = 1_000_000
MAX_SPAN = 1 << 24  # bytes that an empty array would have if each of its axes had a place: what a value may hold
MAX_DIGITS = 4300  # of an integer; Python itself writes no longer one
SCALARS = frozenset([type(None), bool, int, float])  # what a list may hold without anybody looking inside

_SHORT = 1000  # bytes: in so few nothing can be large
_SAME_HASH = 16  # different keys with one hash: by chance never, and each makes every other slower
_DTYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()  # noqa: SIM905
)
_NAMES = {np.dtype(name): name for name in _DTYPES}
_BFLOAT16 = "bfloat16"  # of tensors alone; two bytes for each number
_ARRAY, _TENSOR, _BIGINT, _PAIRS, _OPAQUE = 1, 2, 3, 4, 5

# MessagePack tags with a length behind them: (its width, nodes for each counted thing or 0 for bytes, bytes of ext code)
_SIZED = {
    0xC4: (1, 0, 0), 0xC5: (2, 0, 0), 0xC6: (4, 0, 0), 0xC7: (1, 0, 1), 0xC8: (2, 0, 1), 0xC9: (4, 0, 1),
    0xD9: (1, 0, 0), 0xDA: (2, 0, 0), 0xDB: (4, 0, 0),
    0xDC: (2, 1, 0), 0xDD: (4, 1, 0), 0xDE: (2, 2, 0), 0xDF: (4, 2, 0),
}  # fmt: skip
_MAPS = frozenset([*range(0x80, 0x90), 0xDE, 0xDF])
_FIXED = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}


class Opaque(msgspec.Struct, frozen=True):
    """A value that is not plain data; only the name of its type crossed."""

    type_name: str


class SizeError(WireError):
    """A value has more parts than its reader asks for."""


class TensorArray(np.ndarray):
    """An array that was a torch tensor where it came from."""


class BFloat16Array(TensorArray):
    """A tensor of bfloat16 where it came from; numpy has no such numbers, so here they are float32."""


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
            return _opaque(value) if _is_masked(value) else self._array(value, depth)
        if isinstance(value, int):
            return _integer(int(value))
        if isinstance(value, Real | Decimal):  # a float; also a Fraction
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
        if array.dtype.kind in "OUS":
            return self.tree(array.tolist(), depth + 1)
        if _name(array.dtype) not in _DTYPES and array.dtype.kind in "fc":
            array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
        if _name(array.dtype) not in _DTYPES:
            return _opaque(value)
        if isinstance(value, BFloat16Array):
            return _packed(_TENSOR, _BFLOAT16, (array.view(np.uint32) >> 16).astype(np.uint16))
        return _packed(_TENSOR if isinstance(value, TensorArray) else _ARRAY, _name(array.dtype), array)


def _integer(value: int) -> Any:
    if -(2**63) <= value < 2**63:
        return value
    return msgspec.msgpack.Ext(_BIGINT, str(value).encode())


def _tensor(value: Any) -> Any:
    plain = value.detach().cpu().resolve_conj().resolve_neg().contiguous()
    if str(plain.dtype) == "torch.bfloat16":
        return _packed(_TENSOR, _BFLOAT16, plain.view(sys.modules["torch"].int16).numpy().view(np.uint16))
    array = plain.numpy()
    return _packed(_TENSOR, _name(array.dtype), array)


def _name(dtype: np.dtype[Any]) -> str:
    """Return the name of a dtype; numpy would work it out anew for each array."""
    return _NAMES.get(dtype) or dtype.name


def _packed(code: int, dtype: str, array: np.ndarray[Any, Any]) -> Any:
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    return msgspec.msgpack.Ext(code, msgspec.msgpack.encode((dtype, list(array.shape), little.tobytes())))


def _is_masked(value: object) -> bool:
    masks = sys.modules.get("numpy.ma")  # where nobody has loaded it, nobody has made one
    return masks is not None and isinstance(value, masks.MaskedArray)


def _opaque(value: object) -> Any:
    return msgspec.msgpack.Ext(_OPAQUE, type.__dict__["__name__"].__get__(type(value))[:100].encode("utf-8", "replace"))


# -- bytes to values ---------------------------------------------------------------------------------------------------


def decode(data: bytes, torch: Any = None, most: int = MAX_NODES) -> Any:
    """Rebuild a value of at most so many parts from untrusted bytes.

    Tensors become `TensorArray`, or real tensors where `torch` is given.
    """
    try:
        if len(data) > _SHORT:
            _scan(data, min(most, MAX_NODES))
        return _untangle(msgspec.msgpack.decode(data), torch, 0)
    except WireError:
        raise
    except Exception as error:  # the bytes are an attacker's: msgspec, numpy and recursion may all complain
        raise WireError(f"what came back is not plain data ({type(error).__name__})") from error


def _scan(data: bytes, most: int) -> None:
    """Refuse, before anything is unpacked, more nodes than may cross, and keys of maps that are not strings.

    A byte can become seventy of memory, and a map of tuples that share one hash takes hours to build.
    """
    above: list[tuple[int, bool, int]] = []
    left, keyed, end = 1, False, 0  # nodes still to come here; whether keys alternate with values; where it must end
    at = nodes = 0
    while True:
        while not left:
            if end and at != end:
                raise WireError("what came back claims another length than it has")
            if not above:
                return
            left, keyed, end = above.pop()
        nodes += 1
        if nodes > most:
            raise SizeError(f"returned more than {most} values")
        tag = data[at]
        if keyed and not left & 1 and not (0xA0 <= tag < 0xC0 or 0xD9 <= tag <= 0xDB):
            raise WireError("what came back has keys that are not strings")
        left -= 1
        if tag < 0x80 or tag >= 0xE0:
            at += 1
            continue
        at, inside, behind = _past_header(data, at, tag)
        if inside:
            if len(above) > 4 * MAX_DEPTH:
                raise WireError("what came back is nested too deeply")
            above.append((left, keyed, end))
            left, keyed, end = inside, tag in _MAPS, behind


def _past_header(data: bytes, at: int, tag: int) -> tuple[int, int, int]:
    """Step over one MessagePack header and its own bytes.

    Return the place behind it, how many nodes follow inside, and where they must end, or 0 where nothing says so.
    """
    if tag in _FIXED:
        return at + 1 + _FIXED[tag], 0, 0
    if tag < 0xA0:
        return at + 1, (tag & 15) * (1 if tag >= 0x90 else 2), 0
    if tag < 0xC0:
        return at + 1 + (tag & 31), 0, 0
    if tag in _SIZED:
        width, scale, extra = _SIZED[tag]
        size = int.from_bytes(data[at + 1 : at + 1 + width], "big")
        behind = at + 1 + width + extra
        if scale:
            return behind, scale * size, 0
        if extra and data[behind - 1] == _PAIRS:
            return behind, 1, behind + size
        return behind + size, 0, 0
    if 0xD4 <= tag <= 0xD8:
        size = 1 << (tag - 0xD4)
        return (at + 2, 1, at + 2 + size) if data[at + 1] == _PAIRS else (at + 2 + size, 0, 0)
    return at + 1, 0, 0


def _untangle(node: Any, torch: Any, depth: int) -> Any:
    if depth > 2 * MAX_DEPTH:
        raise WireError("what came back is nested too deeply")
    if isinstance(node, list):
        plain = SCALARS.issuperset(map(type, node))
        return node if plain else [_untangle(item, torch, depth + 1) for item in node]
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
        return _rebuilt(data)[1]
    if code == _TENSOR:
        dtype, array = _rebuilt(data)
        if torch is None:
            return array.view(BFloat16Array if dtype == _BFLOAT16 else TensorArray)
        tensor = torch.from_numpy(array)
        return tensor.bfloat16() if dtype == _BFLOAT16 and hasattr(tensor, "bfloat16") else tensor
    if code == _BIGINT:
        if len(data) > MAX_DIGITS + 1:
            raise WireError(f"what came back has an integer of more than {MAX_DIGITS} digits")
        return int(data)
    if code == _PAIRS:
        pairs = _untangle(msgspec.msgpack.decode(data, type=list[list[Any]]), torch, depth + 1)
        return _keyed([(_hashable(key), item) for key, item in pairs])
    if code == _OPAQUE:
        return Opaque(clean(data[:400].decode("utf-8", "replace"), 100))
    raise WireError(f"what came back has an unknown tag {code}")


def _keyed(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Make a dict, unless its keys were chosen so that it would take for ever."""
    shared = Counter(hash(key) for key, _ in pairs)
    if max(shared.values(), default=0) > _SAME_HASH:
        raise WireError("what came back has keys that all have the same hash")
    return dict(pairs)


def _rebuilt(data: bytes) -> tuple[str, np.ndarray[Any, Any]]:
    dtype, shape, raw = msgspec.msgpack.decode(data, type=tuple[str, list[int], bytes])
    if dtype not in _DTYPES and dtype != _BFLOAT16:
        raise WireError(f"what came back claims an array of {clean(dtype, 20)}")
    kind = np.dtype("uint16" if dtype == _BFLOAT16 else dtype).newbyteorder("<")
    span = math.prod(max(n, 1) for n in shape) * kind.itemsize if 0 in shape else 0
    if len(shape) > 32 or any(n < 0 for n in shape) or span > MAX_SPAN:
        raise WireError(f"what came back claims an array of shape {shape[:8]}")
    if math.prod(shape) * kind.itemsize != len(raw):
        raise WireError("what came back claims an array of a different size than it sent")
    if dtype == "bool" and raw.translate(None, b"\0\1"):
        raise WireError("what came back has boolean bytes other than 0 and 1")
    array = np.frombuffer(raw, dtype=kind).reshape(shape)
    if dtype == _BFLOAT16:
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
    return value


def _hashable(key: Any) -> Any:
    if isinstance(key, list):
        return tuple(_hashable(part) for part in key)
    if isinstance(key, np.ndarray) and key.shape == ():
        return key.item()
    hash(key)
    return key
