"""The form of an archive by its first bytes: a tar may begin with any name, so what can be a tar is one."""

from __future__ import annotations

import re
import tarfile
from typing import Literal

Form = Literal["zip", "gzip", "bzip2", "xz", "tar"]

START = 512  # bytes that tell the form: the first header of a tar
_NAME = 100  # bytes at the start of a header, filled up with zeros
_FORMS: dict[Form, re.Pattern[bytes]] = {
    "zip": re.compile(rb"PK(\x03\x04|\x05\x06|\x07\x08)"),
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bzip2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),  # a block, or the end
    "xz": re.compile(rb"\xfd7zXZ\x00"),
}


def form_of(start: bytes) -> Form:
    """Tell the form of a file that begins so; what has no other form can only be a tar, or nothing."""
    if _is_header(start):
        return "tar"
    return next((form for form, magic in _FORMS.items() if magic.match(start)), "tar")


def _is_header(start: bytes) -> bool:
    """Tell whether this is a member's header in a tar; a zip can have the right sum, but zeros amid the name too."""
    try:
        tarfile.TarInfo.frombuf(start[:START], "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return b"\0" not in start[:_NAME].rstrip(b"\0")
