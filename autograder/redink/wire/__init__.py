"""Plain data on the wire: how values cross between grader and box, and how they are stored.

A value is None, bool, int, float, str, list, dict, set, a Decimal, Fraction, date or time, an array or a tensor (listed
dtype, shape, raw bytes), or a pandas DataFrame or Series as its columns. A tuple crosses as a list unless its sender keeps
tuples apart, a long double as a double, an array of objects as a list. Anything else becomes `Opaque`, with the name of its
type; a masked array too, since its numbers without its mask would be another answer. The encoder never fails, whatever a
student returns; the decoder trusts nothing, looks at sizes and keys before it builds anything, and raises only `WireError`.
There is no pickle.
"""

from redink.wire.decoding import decode, frozen
from redink.wire.encoding import encode
from redink.wire.scanning import SizeError
from redink.wire.values import (
    MAX_DEPTH,
    MAX_NODES,
    SCALARS,
    BFloat16Array,
    Opaque,
    Table,
    TensorArray,
    TupleList,
)

__all__ = [
    "MAX_DEPTH",
    "MAX_NODES",
    "SCALARS",
    "BFloat16Array",
    "Opaque",
    "SizeError",
    "Table",
    "TensorArray",
    "TupleList",
    "decode",
    "encode",
    "frozen",
]
