"""What a file holds, unpacked from gzip, bzip2 or xz while it is read: forwards, in parts, and not without end."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable
from typing import Protocol

from redink.errors import CourseError
from redink.grader.intake.archive import MOST_UNPACKED, PIECE, UNPACK_IT
from redink.grader.intake.forms import Form

_INPUT = 8192
_MOST_STREAMS = 10_000  # one after the other in a file, as programs write them that use all CPUs
_MOST_MEMORY = 100 << 20  # bytes for the dictionary of xz; its own program asks for 65 MB at most


class Stream:
    """What a file holds, and how far it was read."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self.at = 0

    def read(self, size: int) -> bytes:
        """Read exactly so many bytes."""
        data = self._read(size)
        if len(data) < size:
            raise CourseError("is cut off, or not an archive")
        self.at += size
        return data

    def go_to(self, place: int) -> None:
        """Go to a place."""
        self.at = self._file.seek(place)

    def _read(self, size: int) -> bytes:
        return self._file.read(size) or b""


class PackedStream(Stream):
    """What a compressed file holds; the way back is from the beginning."""

    def __init__(self, file: io.FileIO, make: Callable[[], _Decompressor]) -> None:
        super().__init__(file)
        self._make = make
        self._begin()

    def go_to(self, place: int) -> None:
        """Go to a place; one that is too far is refused before the way there."""
        _refuse_beyond(place)
        if place < self.at:
            self._begin()
        while self.at < place:
            self.read(min(place - self.at, PIECE))

    def _begin(self) -> None:
        self._file.seek(0)
        self.at = 0
        self._streams = 1
        self._stream = self._make()

    def _read(self, size: int) -> bytes:
        _refuse_beyond(self.at + size)
        parts = []
        while size > 0 and (packed := self._packed()) is not None:
            piece = self._stream.decompress(packed, size)
            if not (piece or packed):
                break  # cut off
            parts.append(piece)
            size -= len(piece)
        return b"".join(parts)

    def _packed(self) -> bytes | None:
        """Return what to unpack next, for a new stream where one has ended; None after the last."""
        if not self._stream.eof:
            return self._file.read(_INPUT) if self._stream.needs_input else b""
        packed = self._stream.unused_data.lstrip(b"\0") or (self._file.read(_INPUT) or b"").lstrip(b"\0")
        self._streams += 1
        if self._streams > _MOST_STREAMS:
            raise CourseError(f"is compressed in more than {_MOST_STREAMS} parts: {UNPACK_IT}")
        self._stream = self._make()
        return packed or None


def _refuse_beyond(end: int) -> None:
    if end > MOST_UNPACKED:
        raise CourseError(f"unpacks to more than {MOST_UNPACKED >> 20} MB: {UNPACK_IT}")


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Gzip:
    """The decompressor of zlib, in the manner of the other two."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


_DECOMPRESSORS: dict[Form, Callable[[], _Decompressor]] = {
    "gzip": _Gzip,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY),
}


def open_stream(file: io.FileIO, form: Form) -> Stream:
    """Open a file that is compressed in this form, or not at all."""
    file.seek(0)
    make = _DECOMPRESSORS.get(form)
    return Stream(file) if make is None else PackedStream(file, make)
