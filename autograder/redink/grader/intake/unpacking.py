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

ENTRY = 4096  # bytes that each file or folder of an archive counts for besides, as it would on a disk
_MOST_OF_A_SOURCE = 64 << 30  # bytes of all archives of students
_INPUT = 8192
_MOST_STREAMS = 10_000  # one after the other in a file, as programs write them that use all CPUs
_MOST_MEMORY = 100 << 20  # bytes for the dictionary of xz; its own program asks for 65 MB at most


class UnpackingLimit:
    """How much may still be unpacked of one student's archives, each time that one is opened, or of all in a source."""

    def __init__(self, most: int, whose: str, within: UnpackingLimit | None = None) -> None:
        self._left = self._most = most
        self._whose = whose
        self._within = within

    def of_a_student(self) -> UnpackingLimit:
        """Return a part of this, for one student."""
        return UnpackingLimit(MOST_UNPACKED, "this student's archives", self)

    def spend(self, size: int) -> None:
        """Take so many bytes of it; if there are not so many left, `CourseError` says so, and none are taken."""
        if size > self._left:
            raise CourseError(f"{self._whose} unpack to more than {self._most >> 20} MB; unpack them")
        if self._within is not None:
            self._within.spend(size)
        self._left -= size


def of_a_source() -> UnpackingLimit:
    """Return what all archives of students in one source may unpack to."""
    return UnpackingLimit(_MOST_OF_A_SOURCE, "the archives of all students")


UNLIMITED = UnpackingLimit(1 << 62, "")  # for what an instructor names: of that, each archive has a bound of its own


class Stream:
    """What a file holds, and how far it was read."""

    def __init__(self, file: io.FileIO, allowance: UnpackingLimit) -> None:
        self._file = file
        self._allowance = allowance
        self.at = 0

    def read(self, size: int) -> bytes:
        """Read exactly so many bytes."""
        self._allowance.spend(size)
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
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

    def __init__(self, file: io.FileIO, allowance: UnpackingLimit, make: Callable[[], _Decompressor]) -> None:
        super().__init__(file, allowance)
        self._make = make
        self._begin()

    def go_to(self, place: int) -> None:
        """Go to a place; one that is too far is refused before the way there."""
        _refuse_beyond(place)
        if place < self.at:
            self._begin()
        self._allowance.spend(place - self.at)
        while self.at < place:
            self._exactly(min(place - self.at, PIECE))

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


def open_stream(file: io.FileIO, form: Form, allowance: UnpackingLimit) -> Stream:
    """Open a file that is compressed in this form, or not at all."""
    file.seek(0)
    make = _DECOMPRESSORS.get(form)
    return Stream(file, allowance) if make is None else PackedStream(file, allowance, make)
