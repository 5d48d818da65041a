"""Tar archives, compressed or not: one header after the other, parsed by the standard library.

`tarfile` itself follows whatever a header asks for (sparse maps and extended headers of any size, which it builds in
memory), so we go from header to header ourselves, and take from the extended ones only a long name and a large size.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator

from redink.errors import CourseError
from redink.files import Kind
from redink.grader.intake.archive import PIECE, UNPACK_IT, Archive, Packed
from redink.grader.intake.forms import Form
from redink.grader.intake.tree import MOST_ENTRIES
from redink.grader.intake.unpacking import ENTRY, Stream, UnpackingLimit, open_stream

_BLOCK = 512
_MOST_HEADERS = 2 * MOST_ENTRIES
_LARGEST_HEADER, _MOST_RECORDS = 1 << 16, 64
_KINDS: dict[bytes, Kind] = {
    tarfile.REGTYPE: "file", tarfile.AREGTYPE: "file", tarfile.CONTTYPE: "file", tarfile.DIRTYPE: "folder",
    tarfile.SYMTYPE: "link", tarfile.LNKTYPE: "link", tarfile.FIFOTYPE: "pipe",
    tarfile.CHRTYPE: "device", tarfile.BLKTYPE: "device",
}  # fmt: skip


def open_tar(descriptor: int, form: Form, allowance: UnpackingLimit) -> Archive:
    """Open a tar archive of this form, of which the descriptor stays open; what is raised says why it cannot be."""
    stream = open_stream(io.FileIO(descriptor, closefd=False), form, allowance)
    return Archive(_members(stream, allowance), lambda member: _unpack(stream, member))


def _members(stream: Stream, allowance: UnpackingLimit) -> Iterator[Packed]:
    """List the members, up to the mark of the end."""
    told: dict[bytes, bytes] = {}  # by the extended headers of the next member
    for _ in range(_MOST_HEADERS):
        block = stream.read(_BLOCK)
        if not any(block):
            return
        allowance.spend(ENTRY)
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if header.type == tarfile.GNUTYPE_LONGNAME:
            told[b"path"] = _read_header(stream, header.size).partition(b"\0")[0]
        elif header.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
            told |= _records(_read_header(stream, header.size))
        elif header.type in (tarfile.GNUTYPE_LONGLINK, tarfile.XGLTYPE):
            _read_header(stream, header.size)
        else:
            member = _member(header, told, stream.at)
            told = {}
            yield member
            stream.go_to(_next_block(member.at + member.size))
    raise CourseError(f"holds more than {MOST_ENTRIES} files and folders: {UNPACK_IT}")


def _member(header: tarfile.TarInfo, told: dict[bytes, bytes], at: int) -> Packed:
    kind = _KINDS.get(header.type, "refused")
    size = int(told.get(b"size", header.size)) if kind in ("file", "refused") else 0
    if size < 0 or header.type == tarfile.GNUTYPE_SPARSE:
        raise CourseError(f"is damaged, or holds a file with holes (tar --sparse): {UNPACK_IT}")
    problem = "is of an unknown kind" if kind == "refused" else ""
    if any(name.startswith(b"GNU.sparse") for name in told):
        problem = "is a file with holes (tar --sparse)"
    path = told[b"path"].decode("utf-8", "surrogateescape") if b"path" in told else header.name
    return Packed(path=path, kind=kind, size=size, at=at, problem=problem)


def _read_header(stream: Stream, size: int) -> bytes:
    """Read the content of an extended header."""
    if not 0 <= size <= _LARGEST_HEADER:
        raise CourseError(f"has a name of {size} bytes, or is damaged: {UNPACK_IT}")
    content = stream.read(size)
    stream.go_to(_next_block(stream.at))
    return content


def _records(content: bytes) -> dict[bytes, bytes]:
    """Read the records of an extended header, each of them `LENGTH NAME=VALUE` and a new line."""
    found: dict[bytes, bytes] = {}
    start = 0
    for _ in range(_MOST_RECORDS):
        if start >= len(content):
            return found
        space = content.index(b" ", start, start + 8)
        end = start + int(content[start:space])
        name, _, value = content[space + 1 : end - 1].partition(b"=")
        found[name] = value
        start = max(end, space)
    raise CourseError(f"has an extended header that cannot be read: {UNPACK_IT}")


def _next_block(at: int) -> int:
    return -(-at // _BLOCK) * _BLOCK


def _unpack(stream: Stream, member: Packed) -> bytes:
    """Read a member of at most `MAX_BYTES`."""
    stream.go_to(member.at)
    data = io.BytesIO()
    while left := member.size - data.tell():
        data.write(stream.read(min(left, PIECE)))
    return data.getvalue()
