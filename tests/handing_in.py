"""Handing things in, honestly and otherwise: what the tests of folders, archives and bombs share."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from redink.errors import CourseError
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.load import Submission, load

EMPTY = b'{"cells": []}'
LINK = "is a link, and links are not followed"


def loaded(path: Path) -> dict[str, Submission]:
    """Read everything that was handed in, by id."""
    found = [load(one) for one in collect("little", path).found]
    assert len({one.name.id for one in found}) == len(found)
    return {one.name.id: one for one in found}


def reasons(path: Path) -> dict[str, str | None]:
    return {id: one.reason for id, one in loaded(path).items()}


def refusal(path: Path) -> str:
    with pytest.raises(CourseError) as told:
        collect("little", path)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 1000
    return str(told.value)


Files = dict[str, bytes]


def packed_by_zip(path: Path, files: Files, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def zip_bytes(files: Files) -> bytes:
    """Pack files into a zip that can lie in another one."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def packed_by_tar(path: Path, files: Files, mode: str = "w", style: int = tarfile.PAX_FORMAT) -> Path:
    with tarfile.open(path, mode, format=style) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


PACK: dict[str, Callable[[Path, Files], Path]] = {
    "a.zip": packed_by_zip,
    "stored.zip": lambda path, files: packed_by_zip(path, files, zipfile.ZIP_STORED),
    "a.tar": packed_by_tar,
    "gnu.tar": lambda path, files: packed_by_tar(path, files, style=tarfile.GNU_FORMAT),
    "ustar.tar": lambda path, files: packed_by_tar(path, files, style=tarfile.USTAR_FORMAT),
    "a.tar.gz": lambda path, files: packed_by_tar(path, files, "w:gz"),
    "a.tgz": lambda path, files: packed_by_tar(path, files, "w:gz"),
    "a.tar.bz2": lambda path, files: packed_by_tar(path, files, "w:bz2"),
    "a.tar.xz": lambda path, files: packed_by_tar(path, files, "w:xz"),
    "called_anything": packed_by_zip,
}  # fmt: skip


def patched(path: Path, name: str, at: int, value: bytes) -> Path:
    """Write over a field of a member in the list of members."""
    data = bytearray(path.read_bytes())
    start = data.rindex(name.encode()) - 46
    assert data[start : start + 4] == b"PK\x01\x02"
    data[start + at : start + at + len(value)] = value
    path.write_bytes(data)
    return path


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)
