"""A packed class: one file with an answer key and pseudonymous submissions, everything in it encrypted for key pairs.

::

    MAGIC
    a submission    encrypted, on its own: a shard reads its own ones and no others
    …
    the contents    encrypted: the answer key, and where each submission stands, with the SHA-256 of its bytes
    END             the length of the contents, and their SHA-256

The contents are pinned by their SHA-256, as a sealed key is, and they pin everything else.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec

from redink.errors import CourseError
from redink.grader.answer_key.key import AnswerKey, decode_key
from redink.grader.pipeline.job import Job, pack
from redink.grader.sealing.age import decrypt, encrypt
from redink.grader.sharding.bonds import refuse_other_versions
from redink.records import Record

MAGIC = b"redink/class-job/1\n"
MOST_CONTENTS = 1 << 28
MOST_SUBMISSION = 1 << 28
_END = struct.Struct("<Q32s16s")
_LAST = b"redink: the end\n"


class PackedOne(Record, frozen=True):
    """Where a submission stands."""

    pseudonym: str
    offset: int
    size: int
    sha256: bytes


class Contents(Record, frozen=True):
    """What a packed class is, and what is in it."""

    versions: str  # what packed it
    job: str  # its own name, by chance
    sealing: bytes  # with which its shards are sealed
    key: bytes
    submissions: tuple[PackedOne, ...]


def write_class(
    target: Path,
    jobs: Iterable[tuple[str, Job]],
    contents: Callable[[Sequence[PackedOne]], Contents],
    recipients: Sequence[str],
) -> tuple[Contents, str]:
    """Write a packed class, whole or not at all; return what is in it, and the SHA-256 to pin."""
    part = target.with_name(f".{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(MAGIC)
            whole = contents([_write_one(file, who, job, recipients) for who, job in jobs])
            sealed = encrypt(msgspec.msgpack.encode(whole), recipients)
            digest = hashlib.sha256(sealed)
            file.write(sealed)
            file.write(_END.pack(len(sealed), digest.digest(), _LAST))
        part.replace(target)
    except OSError as error:
        raise CourseError(f"{target} cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    return whole, digest.hexdigest()


def _write_one(file: BinaryIO, who: str, job: Job, recipients: Sequence[str]) -> PackedOne:
    data = encrypt(pack(job), recipients)
    one = PackedOne(pseudonym=who, offset=file.tell(), size=len(data), sha256=hashlib.sha256(data).digest())
    file.write(data)
    return one


class PackedClass:
    """A packed class that is open; only what is asked for is read."""

    def __init__(self, path: Path, sha256: str, identities: Sequence[str]) -> None:
        """Open it, if its contents have this SHA-256."""
        self.path = path
        self._identities = identities
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise CourseError(f"the packed class {path} cannot be read: {error.strerror}") from error
        try:
            self.contents = self._decoded(self._sealed_contents(sha256.strip().lower()))
            self.key: AnswerKey = decode_key(self.contents.key, str(path))
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> PackedClass:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def jobs(self, some: Iterable[PackedOne]) -> Iterator[tuple[str, Job]]:
        """Read submissions, one at a time."""
        for one in some:
            data = self._read(one.offset, one.size) if 0 <= one.size <= MOST_SUBMISSION and one.offset >= 0 else b""
            if hashlib.sha256(data).digest() != one.sha256:
                raise CourseError(f"{self.path} is damaged: a submission in it was changed; copy the file again")
            plain = decrypt(data, self._identities, str(self.path))
            try:
                yield one.pseudonym, msgspec.msgpack.decode(plain, type=Job)
            except msgspec.MsgspecError as error:
                raise CourseError(f"{self.path} is damaged: {error}") from error

    def _sealed_contents(self, sha256: str) -> bytes:
        """Read the contents as they are encrypted, and compare them with what was pinned."""
        if self._read(0, len(MAGIC)) != MAGIC:
            raise CourseError(f"{self.path} is no packed class: `redink pack` writes one")
        size = os.fstat(self._file.fileno()).st_size
        end = self._read(max(size - _END.size, len(MAGIC)), _END.size)
        if len(end) != _END.size or not end.endswith(_LAST):
            raise CourseError(f"{self.path} is cut off: copy it again")
        length, found, _ = _END.unpack(end)
        if length > min(MOST_CONTENTS, size - _END.size - len(MAGIC)):
            raise CourseError(f"{self.path} is damaged: it claims {length} bytes of contents; copy it again")
        sealed = self._read(size - _END.size - length, length)
        if hashlib.sha256(sealed).digest() != found:
            raise CourseError(f"{self.path} is damaged: its contents were changed; copy it again")
        if found.hex() != sha256:
            raise CourseError(
                f"{self.path} is not the packed class that was pinned: its SHA-256 is {found.hex()}; was it packed again?"
            )
        return sealed

    def _decoded(self, sealed: bytes) -> Contents:
        plain = decrypt(sealed, self._identities, str(self.path))
        try:
            contents = msgspec.msgpack.decode(plain, type=Contents)
        except msgspec.MsgspecError as error:
            raise CourseError(f"{self.path} was packed by another version of Redink: {error}") from error
        refuse_other_versions(str(self.path), contents.versions)
        return contents

    def _read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(size)
