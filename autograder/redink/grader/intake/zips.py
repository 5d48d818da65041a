"""Zip archives, by the standard library, with bounds that it does not have.

`zipfile` reads the whole list of members at once and makes an object of each, so it may not read much at once. Its
decompressors for bzip2 and LZMA return whatever a few bytes expand to, so only stored and deflated members are read.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Iterator

from redink.errors import CourseError, SubmissionError
from redink.files import Kind, kind_of
from redink.grader.intake.archive import PIECE, UNPACK_IT, Archive, Packed
from redink.texts import clean

_MOST_AT_ONCE = 6 << 20  # bytes: a list of members of this size has 130,000 at most, and they take 100 MB
_ENCRYPTED, _UTF8 = 0x1, 0x800  # flags of a member


class BoundedFile(io.FileIO):
    """A file of which nobody reads much at once."""

    def read(self, size: int | None = -1) -> bytes:
        """Read so many bytes, or all that are left."""
        if size is None or size < 0:
            size = os.fstat(self.fileno()).st_size - self.tell()
        if size > _MOST_AT_ONCE:
            raise CourseError(f"has a list of members of {size >> 20} MB: {UNPACK_IT}")
        return super().read(size) or b""


def open_zip(descriptor: int) -> Archive:
    """Open a zip archive, of which the descriptor stays open; what is raised says why that is not possible."""
    whole = zipfile.ZipFile(BoundedFile(descriptor, closefd=False))
    return Archive(_members(whole), lambda member: _unpack(whole, member))


def _members(whole: zipfile.ZipFile) -> Iterator[Packed]:
    for number, info in enumerate(whole.infolist()):
        if info.header_offset < 0:
            raise CourseError("is damaged: its members are not where it says")
        yield Packed(path=_path(info), kind=_kind(info), size=info.file_size, at=number, problem=_problem(info))


def _path(info: zipfile.ZipInfo) -> str:
    """Return a member's path; many programs write UTF-8 without saying so."""
    path = info.orig_filename
    if not info.flag_bits & _UTF8:
        try:
            return path.encode("cp437").decode("utf-8")
        except UnicodeDecodeError:
            pass
    return path


def _kind(info: zipfile.ZipInfo) -> Kind:
    mode = info.external_attr >> 16
    if info.orig_filename.endswith("/"):
        return "folder"
    return kind_of(mode) if stat.S_IFMT(mode) else "file"


def _problem(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is compressed by an unusual method; make the archive again, with deflate"
    return ""


def _unpack(whole: zipfile.ZipFile, member: Packed) -> bytes:
    """Read a member; it ends where its size says."""
    data = io.BytesIO()
    try:
        with whole.open(whole.infolist()[member.at]) as stream:
            while piece := stream.read(PIECE):
                data.write(piece)
    except Exception as error:  # zipfile raises many kinds
        raise SubmissionError(f"is damaged in the archive: {clean(str(error))}") from error
    if data.tell() != member.size:
        raise SubmissionError("is not as large as the archive says")
    return data.getvalue()
