"""Cells and observations as they are kept and sent: packed, and read only where they are needed."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import msgspec

from redink.grader.digests import digest
from redink.records import Cell, CheckObservations, Observation

_CELLS: msgspec.msgpack.Decoder[tuple[Cell, ...]] = msgspec.msgpack.Decoder(tuple[Cell, ...])
_SEEN: msgspec.msgpack.Decoder[tuple[Observation, ...]] = msgspec.msgpack.Decoder(tuple[Observation, ...])


def pack_sources(cells: Sequence[Cell]) -> bytes:
    """Write a submission's cells as they are sent."""
    return zlib.compress(msgspec.msgpack.encode(tuple(cells)), 1)


def unpack_sources(data: bytes) -> tuple[Cell, ...]:
    """Read cells as they are sent."""
    return decode_sources(zlib.decompress(data))


def stored_sources(sent: bytes) -> bytes:
    """Return cells as the gradebook takes and gives them, which packs in its own way what it stores."""
    return zlib.decompress(sent)


def sent_sources(stored: bytes) -> bytes:
    """Return cells as they are sent: quick rather than small, since what was stored is judged on this machine."""
    return zlib.compress(stored, 0)


def decode_sources(stored: bytes) -> tuple[Cell, ...]:
    """Read cells as the gradebook gives them."""
    return _CELLS.decode(stored)


def pack_observations(seen: Sequence[Observation]) -> bytes:
    """Write what one check saw, all its trials in their order."""
    return msgspec.msgpack.encode(tuple(seen))


def unpack_observations(data: bytes) -> tuple[Observation, ...]:
    """Read what one check saw."""
    return _SEEN.decode(data)


def pack_check(check: str, key: str, seen: Sequence[Observation]) -> CheckObservations:
    """Pack what one check saw under the key of what it was seen of."""
    content = pack_observations(seen)
    return CheckObservations(check=check, key=key, digest=digest(content), content=content)
