"""What a value may be besides Python's own types, what it may hold, and the tags by which both sides tell them apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

MAX_DEPTH = 40
MAX_NODES = 1_000_000
MAX_DIGITS = 4300  # of an integer; Python itself writes no longer one
SCALARS = frozenset([type(None), bool, int, float])  # what a list may hold without anybody looking inside
BFLOAT16 = "bfloat16"  # of tensors alone; two bytes for each number
DTYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 "  # noqa: SIM905
    "datetime64[us] timedelta64[us]".split()
)


class Tag:
    """What an extension holds; those without a comment hold further values (`NESTED`)."""

    ARRAY = 1  # dtype, shape, bytes
    TENSOR = 2  # the same
    BIGINT = 3  # digits
    PAIRS = 4
    OPAQUE = 5  # the name of a type
    SET = 6
    FROZENSET = 7
    TUPLE = 8
    TABLE = 9
    DECIMAL = 10  # as Python writes it
    FRACTION = 11  # digits, a slash, digits
    MOMENT = 12  # a letter for the type, and text


NESTED = frozenset([Tag.PAIRS, Tag.SET, Tag.FROZENSET, Tag.TUPLE, Tag.TABLE])


class Opaque(msgspec.Struct, frozen=True):
    """A value that is not plain data; only the name of its type crossed."""

    type_name: str


class TensorArray(np.ndarray):
    """An array that was a torch tensor where it came from."""


class BFloat16Array(TensorArray):
    """A tensor of bfloat16 where it came from; numpy has no such numbers, so here they are float32."""


class TupleList(list[Any]):
    """A list that was a tuple where it came from, and whose sender keeps the two apart."""


class Table(dict[Hashable, Any]):
    """The columns of what was a pandas DataFrame, or the one of a Series, by name; each an array or a list.

    `index` has the labels of the rows, tuples where pandas has several for one, and `index_names` what these are called.
    Missing values are NaN, NaT or None.
    """

    def __init__(
        self, columns: Iterable[tuple[Hashable, Any]], index: Any, index_names: Sequence[Any] = (None,),
        is_series: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(columns)
        self.index = index
        self.index_names = tuple(index_names)
        self.is_series = is_series

    @property
    def kind(self) -> str:
        """What it was."""
        return "Series" if self.is_series else "DataFrame"

    def like_this(self, columns: Iterable[tuple[Hashable, Any]], index: Any = None) -> Table:
        """Return one with other columns, and another index if one is given."""
        return Table(columns, self.index if index is None else index, self.index_names, self.is_series)
