"""DataFrames and Series as plain columns, and back; pandas is loaded only where a value of its own is.

What a column holds decides how it crosses: numbers, booleans and moments as one array, everything else as a list, with None
where a value is missing. Categories and pandas' own dtypes cross as their values.
"""

from __future__ import annotations

import sys
from typing import Any

from redink.wire.values import Opaque, Table

_OWN_DTYPES = {"i": "int64", "u": "uint64", "f": "float64"}  # by the kind of a dtype that is pandas' own
_TWO_OF_ONE_NAME = "DataFrame with two columns of one name"


def is_pandas(value: object) -> bool:
    """Tell whether this is a DataFrame or a Series."""
    pandas = sys.modules.get("pandas")  # where nobody has loaded it, nobody has made one
    return pandas is not None and isinstance(value, pandas.DataFrame | pandas.Series)


def from_pandas(value: Any) -> Table | Opaque:
    """Take a DataFrame or a Series apart."""
    pandas = sys.modules["pandas"]
    index = value.index.tolist() if isinstance(value.index, pandas.MultiIndex) else _column(value.index)
    if isinstance(value, pandas.Series):
        return Table([(value.name, _column(value))], index, list(value.index.names), True)
    names = list(value.columns)
    if len(set(names)) < len(names):
        return Opaque(_TWO_OF_ONE_NAME)
    columns = ((name, _column(value.iloc[:, place])) for place, name in enumerate(names))
    return Table(columns, index, list(value.index.names))


def to_pandas(table: Table) -> Any:
    """Put a DataFrame or a Series together again."""
    import pandas

    names = table.index_names
    if len(names) > 1:
        index = pandas.MultiIndex.from_tuples(table.index, names=names)
    else:
        index = pandas.Index(table.index, name=names[0])
    if table.is_series:
        ((name, column),) = table.items()
        return pandas.Series(column, index=index, name=name)
    return pandas.DataFrame(dict(table), index=index)


def _column(column: Any) -> Any:
    """Return the values of one column, or of an index: an array, or else a list."""
    kind = column.dtype.kind
    if type(column.dtype).__module__.startswith("numpy"):
        if kind in "biufcmM":
            return column.to_numpy()
    elif kind in _OWN_DTYPES:
        dtype = "float64" if column.isna().any() else _OWN_DTYPES[kind]
        return column.to_numpy(dtype=dtype, na_value=float("nan")) if dtype == "float64" else column.to_numpy(dtype)
    return [None if gone else item for item, gone in zip(column.tolist(), column.isna(), strict=True)]
