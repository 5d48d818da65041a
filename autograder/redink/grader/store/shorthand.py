"""What the gradebook writes in short: bytes as what differs from a dictionary, digests as bytes, names as numbers.

A right notebook answers what the reference answers, and most of a result is what every result has. So zlib is given a
*dictionary*: what an answer key leads to expect of a check, a notebook or a result. The gradebook keeps each dictionary
that it has used, under its digest; none is ever changed or removed (triggers refuse it), and each is made from an answer
key alone. So all can be read from this one file whatever becomes of the key, and nothing is shared between students.

What zlib writes names its dictionary by a checksum and ends with another of the content: what was written with one
dictionary is never misread with another.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Mapping
from typing import NamedTuple

from redink.grader.digests import digest

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Expected(NamedTuple):
    """What an answer key leads to expect; nothing depends on it but how much space it takes to store what came."""

    result: bytes = b""
    sources: bytes = b""
    observations: Mapping[str, bytes] = {}

    def observation(self, check: str) -> bytes:
        """Return what a check sees of right answers; of `a with b`, in which the reference borrows, that is as of `a`."""
        return self.observations.get(check) or self.observations.get(check.partition(" with ")[0], b"")


NOTHING = Expected()


class Shorthand:
    """Writes and reads what is kept in short, in an open gradebook."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.forget()

    def forget(self) -> None:
        """Forget what was written: after a transaction that was rolled back it is not there."""
        self._dictionaries: dict[bytes, int] = {}
        self._contents: dict[int, bytes] = {}
        self._checks: dict[str, int] = {}

    def pack(self, content: bytes, like: bytes = b"") -> tuple[int | None, bytes]:
        """Return the number of a dictionary, if one is used, and what to store."""
        if not like:
            return None, zlib.compress(content)
        packer = zlib.compressobj(zdict=like)
        return self.dictionary(like), packer.compress(content) + packer.flush()

    def unpack(self, dictionary: int | None, stored: bytes | None) -> bytes:
        """Return what was packed, or the dictionary where that is all of it; raise zlib.error for damaged bytes."""
        if dictionary is None:
            return zlib.decompress(stored or b"")
        like = self._content(dictionary)
        if stored is None:
            return like
        unpacker = zlib.decompressobj(zdict=like)
        content = unpacker.decompress(stored)
        if not unpacker.eof:
            raise zlib.error("what is stored is cut off")
        return content

    def number(self, check: str) -> int:
        """Return the number of a check, which may be new."""
        if check not in self._checks:
            self._db.execute("INSERT OR IGNORE INTO checks (name) VALUES (?)", (check,))
            (self._checks[check],) = self._db.execute("SELECT id FROM checks WHERE name = ?", (check,)).fetchone()
        return self._checks[check]

    def dictionary(self, like: bytes) -> int:
        """Return the number of a dictionary, which may be new."""
        if like not in self._dictionaries:
            name = short(digest(like))
            self._db.execute(
                "INSERT OR IGNORE INTO dictionaries (digest, content) VALUES (?, ?)", (name, zlib.compress(like))
            )
            (found,) = self._db.execute("SELECT id FROM dictionaries WHERE digest = ?", (name,)).fetchone()
            self._dictionaries[like] = found
        return self._dictionaries[like]

    def _content(self, dictionary: int) -> bytes:
        if dictionary not in self._contents:
            row = self._db.execute("SELECT content FROM dictionaries WHERE id = ?", (dictionary,)).fetchone()
            if row is None:
                raise zlib.error(f"the gradebook has no dictionary {dictionary}")
            self._contents[dictionary] = zlib.decompress(row[0])
        return self._contents[dictionary]


def short(name: str) -> bytes | str:
    """Return a digest as bytes, and anything else as it is."""
    return bytes.fromhex(name) if _DIGEST.fullmatch(name) else name


def long(stored: bytes | str) -> str:
    """Return the text of what `short` returned."""
    return stored.hex() if isinstance(stored, bytes) else stored
