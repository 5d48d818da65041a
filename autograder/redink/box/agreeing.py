"""Whether two answers agree: roughly, for counting. What a check says of them is the judge's to say (checks/comparing.py).

Both are wire values. They agree if they are built alike, and their numbers differ by a millionth of the largest at most; in
single precision or less, by a ten-thousandth. Whole numbers and booleans must be equal. A list passes for an array.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from redink.wire import Table

_DOUBLE, _SINGLE = 1e-6, 1e-4
_EQUAL = (str, set, frozenset, Decimal, Fraction, datetime.date, datetime.time, datetime.timedelta)
_TINY = 1e-12  # what rounding leaves where the truth is 0


def agree(seen: Any, own: Any) -> bool:
    """Tell whether an answer agrees with our own; it costs what our own is worth, whatever the other one is."""
    if isinstance(own, Table):
        return isinstance(seen, Table) and _tables_agree(seen, own)
    if isinstance(own, dict):
        return type(seen) is type(own) and seen.keys() == own.keys() and all(agree(seen[key], own[key]) for key in own)
    if isinstance(own, list | tuple) and isinstance(seen, list | tuple):
        return len(seen) == len(own) and all(map(agree, seen, own))
    if own is None or isinstance(own, _EQUAL):
        return type(seen) is type(own) and bool(seen == own)
    return _lengths_agree(seen, own) and _numbers_agree(seen, own)


def _tables_agree(seen: Table, own: Table) -> bool:
    """Compare as answers are: what a Series is called does not count, nor the order of columns."""
    if seen.is_series != own.is_series or not agree(seen.index, own.index):
        return False
    if own.is_series:
        return agree(list(seen.values()), list(own.values()))
    return agree(dict(seen), dict(own))


def _lengths_agree(seen: Any, own: Any) -> bool:
    lengths = [
        len(one) if isinstance(one, list | tuple) else one.shape[0] if np.ndim(one) else -1 for one in (seen, own)
    ]
    return lengths[0] == lengths[1]


def _numbers_agree(seen: Any, own: Any) -> bool:
    try:
        got, wanted = np.asarray(seen), np.asarray(own)
    except (ValueError, OverflowError):  # ragged rows
        return False
    if wanted.dtype.kind in "mM":
        return bool(got.dtype == wanted.dtype and np.array_equal(got, wanted, equal_nan=True))
    if got.shape != wanted.shape or not {got.dtype.kind, wanted.dtype.kind} <= set("biufc"):
        return bool(isinstance(own, int) and isinstance(seen, int) and seen == own)  # as large as no array holds them
    if wanted.dtype.kind in "biu":
        return bool((got == wanted).all())
    fine = all(one.dtype in (np.float64, np.complex128) for one in (got, wanted) if one.dtype.kind in "fc")
    with np.errstate(all="ignore"):
        scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
        near = np.abs(got - wanted) <= (_DOUBLE if fine else _SINGLE) * scale + _TINY
    return bool((near | (got == wanted) | (np.isnan(got) & np.isnan(wanted))).all())
