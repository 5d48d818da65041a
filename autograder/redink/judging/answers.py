"""What a call answered, with its value decoded once for everything that judges, compares or shows it."""

from __future__ import annotations

from typing import Any, NamedTuple

from redink.errors import WireError
from redink.records import Observation
from redink.wire import MAX_NODES, SizeError, decode, frozen


class Answer(NamedTuple):
    """One observation as the judge reads it."""

    status: str
    value: Any = None  # decoded and read-only, when returned
    error: str = ""
    where: str = ""
    modified: tuple[str, ...] = ()
    data: bytes = b""  # the value as it was stored


def read_answer(seen: Observation, most: int = MAX_NODES) -> Answer:
    """Decode an observation of at most so many parts; bytes that are not plain data count as a call that died."""
    if seen.status != "returned":
        return Answer(seen.status, None, seen.error, seen.where, seen.modified)
    try:
        return Answer("returned", frozen(decode(seen.value, most=most)), "", "", seen.modified, seen.value)
    except SizeError as error:
        return Answer("too_large", None, f"{error}, far more than expected")
    except WireError as error:
        return Answer("died", None, str(error))
