"""What a call answered, with its value decoded once for everything that judges, compares or shows it."""

from __future__ import annotations

from typing import Any, NamedTuple

from redink.errors import WireError
from redink.records import Observation
from redink.wire import decode, frozen


class Answer(NamedTuple):
    """One observation as the judge reads it."""

    status: str
    value: Any = None  # decoded and read-only, when returned
    error: str = ""
    where: str = ""
    modified: tuple[str, ...] = ()
    data: bytes = b""  # the value as it was stored


def read_answer(seen: Observation) -> Answer:
    """Decode an observation; bytes that are not plain data count as a call that died."""
    if seen.status != "returned":
        return Answer(seen.status, None, seen.error, seen.where, seen.modified)
    try:
        return Answer("returned", frozen(decode(seen.value)), "", "", seen.modified, seen.value)
    except WireError as error:
        return Answer("died", None, str(error))
