"""A sealed file: the answer keys of some assignments, encrypted, and what they were made for.

Encryption hides a key, and says nothing about who wrote it; a key is code that judges. So whoever opens one states the
SHA-256 of the file that the course sealed, and that is compared before anything is decrypted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from importlib import metadata
from pathlib import Path

import msgspec

from redink.assignment.handout import installed_shelf, read_handout
from redink.errors import CourseError
from redink.grader.answer_key.key import AnswerKey, decode_key
from redink.grader.digests import box_stamp, code_stamp, digest
from redink.grader.sealing.age import decrypt
from redink.records import Record

SCHEMA = "redink/sealed-keys/1"
MOST_BYTES = 256 << 20


class SealedKey(Record, frozen=True):
    """One assignment: its answer key, the public files that it belongs to, and when hidden results may be shown."""

    key: bytes
    public: str  # the digest of the files that students have
    shown_from: datetime | None = None  # None: there is no due date


class SealedKeys(Record, frozen=True):
    """What is encrypted."""

    redink: str  # the version that sealed it,
    code: str  # and a digest of its code
    assignments: tuple[SealedKey, ...]
    schema: str = SCHEMA


class Unsealed(Record, frozen=True):
    """An answer key that was sealed, ready to grade."""

    key: AnswerKey
    shown_from: datetime | None = None
    told: tuple[str, ...] = ()  # what an instructor should know about it


class _Version(Record, frozen=True, forbid_unknown_fields=False):
    """All of a sealed file that must be read to see who wrote it."""

    schema: str
    redink: str


def file_hash(data: bytes) -> str:
    """Return what a course pins."""
    return hashlib.sha256(data).hexdigest()


def public_digest(folder: Path) -> str:
    """Return a digest of the files that students have of an assignment."""
    return digest(*(part for name, content in sorted(read_handout(folder).items()) for part in (name, content)))


def unseal(path: Path, sha256: str, identities: Sequence[str]) -> tuple[Unsealed, ...]:
    """Read a sealed file that has this SHA-256; what is decrypted stays in memory."""
    data = _read(path)
    if (found := file_hash(data)) != sha256.strip().lower():
        raise CourseError(
            f"{path} is not the file that was pinned: its SHA-256 is {found}; was it changed, cut off, or sealed again?"
        )
    sealed = _decode(decrypt(data, identities, str(path)), str(path))
    return tuple(_opened(one, sealed, str(path)) for one in sealed.assignments)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise CourseError(f"the sealed key {path} cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise CourseError(f"{path} is too large for a sealed key: more than {MOST_BYTES >> 20} MB")
    return data


def _decode(plain: bytes, where: str) -> SealedKeys:
    try:
        version = msgspec.msgpack.decode(plain, type=_Version)
    except msgspec.MsgspecError as error:
        raise CourseError(f"{where} holds no answer keys: something else was encrypted") from error
    ours = metadata.version("redink")
    if version.schema != SCHEMA or version.redink != ours:
        raise CourseError(
            f"{where} is outdated: Redink {version.redink} sealed it and this is {ours}; seal it again, or install that"
        )
    try:
        sealed = msgspec.msgpack.decode(plain, type=SealedKeys)
    except msgspec.MsgspecError as error:
        raise CourseError(f"{where} is damaged: {error}") from error
    if sealed.code != code_stamp():
        raise CourseError(
            f"{where} is outdated: a Redink {ours} with other code sealed it; seal it again, or install the same wheel"
        )
    return sealed


def _opened(one: SealedKey, sealed: SealedKeys, where: str) -> Unsealed:
    key = decode_key(one.key, where)
    folder = installed_shelf() / key.slug
    if folder.is_dir() and public_digest(folder) != one.public:
        raise CourseError(
            f"{where} is outdated: it was sealed for other public files of {key.slug} than this Redink has; seal it again"
        )
    told = []
    if any(part.stamp != box_stamp(key.spec.packages) for part in key.parts):
        told.append(
            f"the answers of {key.slug} were made with another Python, numpy or torch than this machine has: "
            "numbers near a tolerance may differ"
        )
    if not key.reference and any(question.uses for question in key.spec.questions):
        told.append(f"this key of {key.slug} has no reference: carrying unknown errors forward is not tried")
    return Unsealed(key=key, shown_from=one.shown_from, told=tuple(told))
