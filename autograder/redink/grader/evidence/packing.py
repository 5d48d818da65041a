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
    """Write a submission's cells as they are kept beside its run."""
    return zlib.compress(msgspec.msgpack.encode(tuple(cells)), 1)


def unpack_sources(data: bytes) -> tuple[Cell, ...]:
    """Read the cells of a run."""
    return _CELLS.decode(zlib.decompress(data))


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
