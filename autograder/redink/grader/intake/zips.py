"""Zip archives, by the standard library, with bounds that it does not have.

`zipfile` reads the whole list of members at once and makes an object of each, so it may not read much at once. Its
decompressors for bzip2 and LZMA return whatever a few bytes expand to, so only stored and deflated members are read.
It refuses everybody for one name that says it is UTF-8 and is not, so it never sees what such a name says.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
from collections.abc import Iterator

from redink.errors import CourseError, SubmissionError
from redink.files import Kind, kind_of
from redink.grader.intake.archive import PIECE, UNPACK_IT, Archive, Packed
from redink.grader.intake.unpacking import ENTRY, UnpackingLimit
from redink.texts import clean

_MOST_AT_ONCE = 6 << 20  # bytes: a list of members of this size has 130,000 at most, and they take 100 MB
_ENCRYPTED, _UTF8 = 0x1, 0x800  # flags of a member
_LISTED = b"PK\x01\x02"  # begins a member in the list
_FIXED = 46  # bytes of a member in the list before its name


class BoundedFile(io.FileIO):
    """A file of which nobody reads much at once; while its members are listed, none says what its name is not."""

    listing = True

    def read(self, size: int | None = -1) -> bytes:
        """Read so many bytes, or all that are left."""
        if size is None or size < 0:
            size = os.fstat(self.fileno()).st_size - self.tell()
        if size > _MOST_AT_ONCE:
            raise CourseError(f"has a list of members of {size >> 20} MB: {UNPACK_IT}")
        data = super().read(size) or b""
        return _without_lies(data) if self.listing and data.startswith(_LISTED) else data


def open_zip(descriptor: int, allowance: UnpackingLimit) -> Archive:
    """Open a zip archive, of which the descriptor stays open; what is raised says why that is not possible."""
    file = BoundedFile(descriptor, closefd=False)
    whole = zipfile.ZipFile(file)
    file.listing = False
    allowance.spend(ENTRY * len(whole.infolist()))
    return Archive(_members(whole), lambda member: _unpack(whole, member, allowance))


def _members(whole: zipfile.ZipFile) -> Iterator[Packed]:
    for number, (info, path) in enumerate(zip(whole.infolist(), _paths(whole), strict=True)):
        if info.header_offset < 0:
            raise CourseError("is damaged: its members are not where it says")
        yield Packed(path=path, kind=_kind(info), size=info.file_size, at=number, problem=_problem(info))


def _without_lies(members: bytes) -> bytes:
    """Return a list of members of which only those say that their names are UTF-8 whose names are."""
    changed = bytearray(members)
    at = 0
    while changed.startswith(_LISTED, at) and at + _FIXED <= len(changed):
        (flags,) = struct.unpack_from("<H", changed, at + 8)
        name, *more = struct.unpack_from("<3H", changed, at + 28)
        if not _is_utf8(changed[at + _FIXED : at + _FIXED + name]):
            struct.pack_into("<H", changed, at + 8, flags & ~_UTF8)
        at += _FIXED + name + sum(more)
    return bytes(changed)


def _is_utf8(name: bytearray) -> bool:
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _path(info: zipfile.ZipInfo) -> str:
    """Return a member's path, as UTF-8 whether it says so or not; other bytes stay bytes, so that no two become one."""
    path = info.orig_filename
    return path if info.flag_bits & _UTF8 else path.encode("cp437").decode("utf-8", "surrogateescape")


def _paths(whole: zipfile.ZipFile) -> Iterator[str]:
    """List the paths of all members; bytes that are no UTF-8 are read as old archives mean them, unless two become one."""
    paths = [_path(info) for info in whole.infolist()]
    taken = set(paths)
    for path, info in zip(paths, whole.infolist(), strict=True):
        old = info.orig_filename
        yield old if not path.isprintable() and old.isprintable() and old not in taken else path


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


def _unpack(whole: zipfile.ZipFile, member: Packed, allowance: UnpackingLimit) -> bytes:
    """Read a member; it ends where its size says."""
    allowance.spend(member.size)
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
