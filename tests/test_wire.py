"""The wire: any value goes in, only plain data or `WireError` comes out."""

from __future__ import annotations

import contextlib
import math
import socket
import threading
from decimal import Decimal
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redink import frames, wire
from redink.errors import WireError
from redink.wire import values
from redink.wire.encoding import Encoder
from redink.wire.scanning import scan
from redink.wire.values import DTYPES


def there_and_back(value: Any) -> Any:
    return wire.decode(wire.encode(value))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(plain)
@settings(max_examples=200, deadline=None)
def test_plain_data_comes_back_as_it_was(value: Any) -> None:
    assert there_and_back(value) == value


@pytest.mark.parametrize("dtype", sorted(name for name in DTYPES if not name.endswith("[us]")))
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3)])
def test_arrays_keep_dtype_and_shape(dtype: str, shape: tuple[int, ...]) -> None:
    array = (np.arange(math.prod(shape)).reshape(shape) % 2).astype(dtype)
    back = there_and_back(array)
    assert type(back) is np.ndarray
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert (back == array).all()
    assert back.flags.writeable


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0).reshape(2, 3).T, np.arange(5)[::-2], np.arange(3, dtype=">i4"), np.asfortranarray(np.eye(3))],
)
def test_arrays_in_any_memory_order_come_back_equal(array: Any) -> None:
    assert there_and_back(array).tolist() == array.tolist()


def test_other_plain_values_have_their_forms() -> None:
    assert there_and_back((1, (2,))) == [1, [2]]
    assert there_and_back(2**200) == 2**200
    assert there_and_back(np.float32(0.5)).dtype == np.float32
    assert there_and_back(1 + 2j) == 1 + 2j
    assert there_and_back({1: "a", (2, 3): "b", None: "c"}) == {1: "a", (2, 3): "b", None: "c"}
    assert there_and_back(np.array(["a", "b"])) == ["a", "b"]
    assert math.isnan(there_and_back(math.nan))
    assert there_and_back(wire.Opaque("module")) == wire.Opaque("module")
    assert there_and_back("\ud800") == "?"


def test_tensors_are_marked_and_rebuilt_where_torch_is() -> None:
    torch = pytest.importorskip("torch")
    for tensor in (torch.ones(2, 3, requires_grad=True), torch.nn.Parameter(torch.zeros(2)), torch.ones(2).bfloat16()):
        data = wire.encode(tensor)
        assert isinstance(wire.decode(data), wire.TensorArray)
        assert isinstance(wire.decode(data, torch), torch.Tensor)
        assert wire.encode(wire.decode(data)) == data
    assert isinstance(there_and_back(torch.ones(2).to_sparse()), wire.Opaque)


# -- what a student may return -----------------------------------------------------------------------------------------


class LyingClass:
    @property
    def __class__(self) -> Any:
        return int


class RaisingClass:
    @property
    def __class__(self) -> Any:
        raise RuntimeError


class RaisingList(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        raise RuntimeError

    def __iter__(self) -> Any:
        raise RuntimeError


class RaisingArray:
    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError


class LyingInt(int):
    def __int__(self) -> int:
        raise RuntimeError


class LyingTensor:
    __module__ = "torch.fake"

    def detach(self) -> Any:
        return self

    def cpu(self) -> Any:
        return "not a tensor"


class SubArray(np.ndarray):  # type: ignore[type-arg]
    def tobytes(self, *args: Any) -> bytes:
        raise RuntimeError

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError


def cyclic() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


def deep() -> list[Any]:
    nest: list[Any] = []
    for _ in range(100_000):
        nest = [nest]
    return nest


@pytest.mark.parametrize(
    "make",
    [LyingClass, RaisingClass, lambda: RaisingList([1]), RaisingArray, lambda: LyingInt(3), LyingTensor, cyclic, deep,
     object, lambda: iter([]), lambda: {object(): 1}, lambda: np.array([object()]), lambda: 10**5000, lambda: print,
     lambda: type, lambda: np.array([(1, 2)], dtype=[("a", int), ("b", int)]),
     lambda: np.array(["2020"], dtype="M8[D]"), lambda: {1, 2}],
)  # fmt: skip
def test_the_encoder_survives_any_object(make: Any) -> None:
    for value in (make(), [make()], {"key": make()}):
        there_and_back(value)


def test_what_is_not_plain_crosses_as_the_name_of_its_type() -> None:
    assert there_and_back(object()) == wire.Opaque("object")
    assert there_and_back([1, print]) == [1, wire.Opaque("builtin_function_or_method")]
    assert there_and_back(RaisingList([1])) == wire.Opaque("RaisingList")
    assert there_and_back(10**5000) == wire.Opaque("int")


def test_an_array_subclass_crosses_as_its_plain_content() -> None:
    back = there_and_back(np.arange(3.0).view(SubArray))
    assert type(back) is np.ndarray
    assert back.tolist() == [0, 1, 2]


def test_more_parts_than_may_cross_are_one_opaque(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MAX_NODES", 1000)
    assert there_and_back([None] * 1001) == wire.Opaque("list")
    assert there_and_back([[None] * 700, [None] * 700]) == wire.Opaque("list")


# -- what a stranger may send ------------------------------------------------------------------------------------------


def value_or_wire_error(data: bytes) -> None:
    with contextlib.suppress(WireError):
        wire.decode(data)


@given(st.binary(max_size=200))
@settings(max_examples=400, deadline=None)
def test_any_bytes_decode_to_a_value_or_a_wire_error(data: bytes) -> None:
    value_or_wire_error(data)


@given(st.integers(1, 5), st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_tagged_bytes_decode_to_a_value_or_a_wire_error(code: int, data: bytes) -> None:
    value_or_wire_error(msgspec.msgpack.encode(msgspec.msgpack.Ext(code, data)))


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_damaged_value_decodes_to_a_value_or_a_wire_error(data: st.DataObject) -> None:
    good = bytearray(wire.encode({"a": np.arange(4.0), "b": [1, {2: (3, "x")}], "c": 2**70}))
    for _ in range(data.draw(st.integers(1, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    value_or_wire_error(bytes(good))


@given(plain)
@settings(max_examples=200, deadline=None)
def test_parts_are_counted_as_they_are_unpacked(value: Any) -> None:
    scan(wire.encode({1: value, "b": [value, np.zeros(3)]}), wire.MAX_NODES)


def array_claiming(dtype: str, shape: list[int], raw: bytes) -> bytes:
    return msgspec.msgpack.encode(msgspec.msgpack.Ext(1, msgspec.msgpack.encode((dtype, shape, raw))))


@pytest.mark.parametrize(
    "data",
    [
        array_claiming("object", [1], b"12345678"),
        array_claiming("float64", [1 << 40], b"12345678"),
        array_claiming("float64", [-1], b""),
        array_claiming("float64", [1 << 62, 4, 0], b""),
        array_claiming("float64", [0] * 100, b""),
        array_claiming("bool", [1], b"\x02"),
        b"\x91" * 100_000,
        b"\xdd\xff\xff\xff\xff" + b"\x80" * 2_000_000,
        msgspec.msgpack.encode(
            msgspec.msgpack.Ext(4, b"\xdc\xff\xff" + b"\xdc\xff\xff" * 70_000 + b"\x80" * 1_000_000)
        ),
        msgspec.msgpack.encode({1: 2}),
        msgspec.msgpack.encode(msgspec.msgpack.Ext(99, b"")),
        msgspec.msgpack.encode(b"raw"),
        msgspec.msgpack.encode(msgspec.msgpack.Ext(3, b"1" * 100_000)),
        msgspec.msgpack.encode(msgspec.msgpack.Ext(4, msgspec.msgpack.encode([[{"a": 1}, 2]]))),
        b"",
        b"\x01\x02",
    ],
)
def test_a_claim_that_cannot_be_is_a_wire_error(data: bytes) -> None:
    with pytest.raises(WireError):
        wire.decode(data)


# -- frames ------------------------------------------------------------------------------------------------------------


def test_frames_keep_their_bounds() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        payloads = [b"", b"x", b"y" * 1_000_000]
        sender = threading.Thread(target=lambda: [frames.send(theirs, payload) for payload in payloads])
        sender.start()
        assert [frames.receive(ours) for _ in payloads] == payloads
        sender.join()


def test_a_frame_that_claims_a_terabyte_is_refused_before_it_is_read() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall((1 << 40).to_bytes(8, "little"))
        with pytest.raises(WireError, match="claims 1099511627776 bytes"):
            frames.receive(ours)


def test_a_frame_cut_short_is_an_end() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall((10).to_bytes(8, "little") + b"abc")
        with pytest.raises(EOFError):
            frames.receive(ours)


# -- what would be large or slow ---------------------------------------------------------------------------------------


def pairs_claiming(keys: list[Any]) -> bytes:
    pairs = msgspec.msgpack.encode([[key, None] for key in keys])
    return msgspec.msgpack.encode(msgspec.msgpack.Ext(4, pairs))


@pytest.mark.parametrize("shape", [[10**9, 0], [0, 10**9], [10**5, 0, 10**5], [0] + [2] * 31])
def test_an_empty_array_has_no_absurd_axes(shape: list[int]) -> None:
    with pytest.raises(WireError, match="claims an array of shape"):
        wire.decode(array_claiming("float64", shape, b""))


@pytest.mark.parametrize("shape", [[0], [0, 784], [1000, 0], [2, 0, 4]])
def test_an_ordinary_empty_array_crosses(shape: list[int]) -> None:
    assert wire.decode(array_claiming("float64", shape, b"")).shape == tuple(shape)


def test_keys_that_share_one_hash_are_refused_before_a_dict_is_made() -> None:
    alike = [1 + n * (2**61 - 1) for n in range(2000)]
    assert len({hash(key) for key in alike}) == 1
    for keys in (alike, [[key, 0] for key in alike]):
        packed = [Encoder().tree(key, 0) for key in keys]
        with pytest.raises(WireError, match="the same hash"):
            wire.decode(pairs_claiming(packed))
    assert there_and_back({n: n for n in range(2000)}) == {n: n for n in range(2000)}


def test_a_map_is_not_built_from_keys_that_are_not_strings() -> None:
    entries = b"".join(msgspec.msgpack.encode([n, n]) + b"\xc0" for n in range(1000))
    for data in (b"\xde\x03\xe8" + entries, b"\x91\xde\x03\xe8" + entries):
        with pytest.raises(WireError, match="keys that are not strings"):
            scan(data, wire.MAX_NODES)
        with pytest.raises(WireError, match="keys that are not strings"):
            wire.decode(data)


def test_pairs_cannot_hide_what_follows_them() -> None:
    """An extension that ends elsewhere than its content would let the scan and the decoder read different things."""
    hidden = b"\xde\x03\xe8" + b"".join(msgspec.msgpack.encode([n, n]) + b"\xc0" for n in range(1000))
    lying = b"\x92" + b"\xc7\x06\x04" + b"\xc0" + b"\xdb" + len(hidden).to_bytes(4, "big") + hidden
    with pytest.raises(WireError, match="another length"):
        wire.decode(lying)


def test_a_reader_says_how_many_parts_it_will_read() -> None:
    data = wire.encode([[0.5] * 100] * 100)
    assert len(wire.decode(data)) == 100
    with pytest.raises(wire.SizeError, match="more than 5000"):
        wire.decode(data, most=5000)


def test_the_name_of_a_type_is_clean_when_it_is_decoded() -> None:
    odd = type("\x1b[2J\u202eboo\n" + "x" * 300, (), {})()
    name = there_and_back(odd).type_name
    assert name.isprintable() and len(name) <= 100
    assert name.startswith("[2J boo")


def test_integers_have_as_many_digits_as_python_writes() -> None:
    assert there_and_back(10**4299) == 10**4299
    assert there_and_back(-(10**4299)) == -(10**4299)
    with pytest.raises(WireError, match="digits"):
        wire.decode(msgspec.msgpack.encode(msgspec.msgpack.Ext(3, b"1" * 4302)))


def test_other_numbers_cross_as_the_nearest_that_has_a_form() -> None:
    assert there_and_back([Decimal("nan")])[0] != 0
    wide = there_and_back(np.array([0.5, 1.5], np.longdouble))
    assert (wide.dtype, wide.tolist()) == (np.float64, [0.5, 1.5])
    assert there_and_back(np.array([1j], np.clongdouble)).dtype == np.complex128
    assert there_and_back(np.array([1, None], dtype=object)) == [1, None]


def test_a_masked_array_does_not_cross_without_its_mask() -> None:
    for value in (np.ma.masked_array([1.0, 2.0], mask=[True, False]), np.ma.masked):
        assert isinstance(there_and_back(value), wire.Opaque)
