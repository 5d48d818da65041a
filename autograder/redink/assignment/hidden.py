"""What tests in another tool's notebook know besides the handout: secret trials and hidden checks, packed into a text.

It is no secret from whoever can read it: the tool alone keeps it from students, until its tests run in their kernel.
"""

from __future__ import annotations

import base64
import binascii
import zlib

import msgspec

from redink.errors import CourseError
from redink.records import Observation, Record, Trial


class HiddenTests(Record, frozen=True):
    """What is hidden of one question."""

    question: str
    checks: str  # the source of the hidden checks, of all questions
    trials: tuple[Trial, ...]  # secret ones, of its public and its hidden checks
    expected: dict[str, Observation]  # by trial id


def pack(hidden: HiddenTests) -> str:
    """Write it as one line of letters; the same content gives the same line."""
    data = msgspec.msgpack.encode(hidden, order="deterministic")
    return base64.b64encode(zlib.compress(data, 9)).decode()


def unpack(text: str) -> HiddenTests:
    """Read what `pack` wrote; line breaks do not matter."""
    try:
        return msgspec.msgpack.decode(zlib.decompress(base64.b64decode(text)), type=HiddenTests)
    except (binascii.Error, zlib.error, msgspec.MsgspecError) as error:
        raise CourseError(f"the hidden tests are damaged, or of another version of Redink: {error}") from error
