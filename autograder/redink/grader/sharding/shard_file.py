"""A shard: what became of one share of a packed class, in a file that is only added to.

::

    MAGIC
    the head      of which packed class it is, which share, and how many submissions that has
    a result      a seal, and what became of a submission, by pseudonym; of two for one submission the later one counts
    …

Each part has its length before it. A shard is whole when it has a result for each of its submissions; one that was
interrupted keeps those that it has, and goes on. It comes from another machine: lengths are checked before anything is
read, and every result has a seal that only whoever opened the packed class can set.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple

import msgspec

from redink.errors import CourseError
from redink.grader.digests import digest
from redink.grader.pipeline.job import Done
from redink.grader.sharding.bonds import SEAL_BYTES, is_sealed, refuse_other_versions, seal
from redink.records import Record

MAGIC = b"redink/shard/1\n"
MOST_HEAD = 1 << 16
MOST_RESULT = 1 << 28
_LENGTH = struct.Struct("<Q")


class ShardHead(Record, frozen=True):
    """Which shard it is."""

    versions: str
    job: str
    assignment: str
    secret: str  # the fingerprint of the course secret
    answer_key: str  # the digest of the key
    number: int
    of: int
    submissions: int


class ShardResult(Record, frozen=True):
    """What became of one submission."""

    pseudonym: str
    done: Done


class ResultPlace(NamedTuple):
    """Where a result stands, whose it is, and what it says."""

    path: Path
    offset: int
    size: int
    pseudonym: str
    state: str
    score: float | None  # None without a grade
    says: str  # a digest of the grade and of all verdicts and hints, without times
    digest: str  # of all bytes


class Shard(NamedTuple):
    """A shard as it was read: its head, its results, and where the last whole one ends."""

    path: Path
    head: ShardHead
    results: dict[str, ResultPlace]
    end: int
    torn: bool


def read_shard(path: Path, secret_of: Callable[[ShardHead], bytes]) -> Shard:
    """Read a shard without keeping its results; `secret_of` checks the head and returns by what it is sealed."""
    try:
        with path.open("rb") as file:
            return _read(path, file, secret_of)
    except OSError as error:
        raise CourseError(f"the shard {path} cannot be read: {error.strerror}") from error


def read_result(place: ResultPlace) -> Done:
    """Read one result again."""
    with place.path.open("rb") as file:
        file.seek(place.offset)
        data = file.read(place.size)
    if digest(data) != place.digest:
        raise CourseError(f"{place.path} was changed while it was read")
    return msgspec.msgpack.decode(data, type=ShardResult).done


def _read(path: Path, file: BinaryIO, secret_of: Callable[[ShardHead], bytes]) -> Shard:
    size = os.fstat(file.fileno()).st_size
    if file.read(len(MAGIC)) != MAGIC:
        raise CourseError(f"{path} is no shard: `redink grade --from` writes one")
    told = _part(file, size, MOST_HEAD, path)
    if told is None:
        raise CourseError(f"{path} is cut off: copy it again")
    try:
        head = msgspec.msgpack.decode(told, type=ShardHead)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} is damaged, or another version of Redink wrote it: {error}") from error
    refuse_other_versions(str(path), head.versions)
    by = secret_of(head)
    found: dict[str, ResultPlace] = {}
    end = file.tell()
    while (part := _part(file, size, MOST_RESULT, path)) is not None:
        if not is_sealed(by, told, part[SEAL_BYTES:], part[:SEAL_BYTES]):
            raise CourseError(
                f"{path} is damaged, or not all of it was written by a grader of this class; grade it again"
            )
        place = _place(path, end + _LENGTH.size + SEAL_BYTES, part[SEAL_BYTES:])
        found[place.pseudonym] = place
        end = file.tell()
    return Shard(path, head, found, end, torn=end < size)


def _part(file: BinaryIO, size: int, most: int, path: Path) -> bytes | None:
    """Read the next part; None where it is not whole, or there is no more."""
    length = file.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    (claimed,) = _LENGTH.unpack(length)
    if claimed > most:
        raise CourseError(f"{path} is damaged: a part of it claims {claimed} bytes; grade it again")
    if claimed > size - file.tell():
        return None
    return file.read(claimed)


def _place(path: Path, offset: int, data: bytes) -> ResultPlace:
    one = msgspec.msgpack.decode(data, type=ShardResult)  # it has our seal
    questions = one.done.assessment.questions if one.done.assessment else ()
    score = one.done.assessment.score if one.done.assessment else 0.0
    return ResultPlace(
        path=path,
        offset=offset,
        size=len(data),
        pseudonym=one.pseudonym,
        state=one.done.state,
        score=None if one.done.state == "internal_error" else score,
        says=saying(one.done.state, score, msgspec.msgpack.encode(questions)),
        digest=digest(data),
    )


def saying(state: str, score: float, questions: bytes) -> str:
    """Return a digest of what a result says to a student: two that say the same agree, however long they took."""
    return digest(state, repr(float(score)), questions)


class ShardWriter:
    """A shard that is being written, by one process at a time; what is in it already stays."""

    def __init__(self, path: Path, head: ShardHead, by: bytes) -> None:
        self._told = msgspec.msgpack.encode(head)
        self._by = by
        try:
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        except OSError as error:
            raise CourseError(f"the shard {path} cannot be written: {error.strerror}") from error
        try:
            self._lock(path)
            self.results = self._begun(path, head)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            os.fsync(self._file.fileno())
        self._file.close()

    def add(self, who: str, done: Done) -> None:
        """Add what became of a submission."""
        content = msgspec.msgpack.encode(ShardResult(pseudonym=who, done=done))
        part = seal(self._by, self._told, content) + content
        self._file.write(_LENGTH.pack(len(part)) + part)
        self._file.flush()

    def _begun(self, path: Path, head: ShardHead) -> dict[str, ResultPlace]:
        """Read what is there already, and cut off what was being written when it was interrupted."""
        beginning = MAGIC + _LENGTH.pack(len(self._told)) + self._told
        if beginning.startswith(self._file.read(len(beginning) + 1)):  # nothing, or not even the head
            self._file.seek(0)
            self._file.write(beginning)
            self._file.flush()
            return {}

        def secret_of(found: ShardHead) -> bytes:
            if found != head:
                raise CourseError(f"{path} is a shard of something else: remove it, or write elsewhere with --to")
            return self._by

        begun = read_shard(path, secret_of)
        self._file.truncate(begun.end)
        self._file.seek(begun.end)
        return begun.results

    def _lock(self, path: Path) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CourseError(f"another process is writing {path}: each share is graded by one") from None
        except OSError:  # a file system without locks
            pass
