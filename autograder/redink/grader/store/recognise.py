"""What kind of file is this? Read before anything is opened for writing, changed or put beside it.

A file that is not ours must be left exactly as it was: same mode, no `-wal`, no `-shm`, no lock. So the header is read as
bytes, and the content through SQLite's `immutable=1`, which takes no locks and makes no files. What cannot be seen this
way, in a gradebook whose writer was killed, is checked again later through a real connection.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote

from redink.errors import CourseError
from redink.grader.store.schema import APPLICATION_ID, SCHEMA

_MAGIC = b"SQLite format 3\0"
_HEADER = 100
_SCHEMA_1 = {"meta", "runs", "observations", "judgements", "sources", "results"}
_FAR = {"nfs", "nfs4", "lustre", "cifs", "smb3", "smbfs"}
_MOUNTS = Path("/proc/self/mountinfo")


def recognise(path: Path, secret: str) -> Path:
    """Return the file that `path` leads to, if it is a gradebook of this secret or may become one; raise otherwise."""
    header = _header(path)
    file = path.resolve()
    if header:
        _refuse_foreign(path, file, header, secret)
    elif not file.parent.is_dir():
        raise _unusable(path, f"there is no folder {file.parent}")
    _refuse_far(path, file)
    _refuse_unwritable(path, file)
    return file


def refuse_another_secret(path: Path | None, found: str, secret: str) -> None:
    """Raise unless the gradebook was made under this course secret."""
    if found != secret:
        raise CourseError(
            f"the gradebook {path} belongs to another course secret; use that secret, or another --gradebook"
        )


def refuse_newer(path: Path | None, version: int) -> None:
    """Raise if the gradebook has a schema that this Redink does not know yet."""
    if version > SCHEMA:
        raise CourseError(f"the gradebook {path} was written by a newer Redink; update Redink")


def file_system(folder: Path, mounts: str) -> str:
    """Return the type of the file system that a folder is on, from the text of /proc/self/mountinfo; '' if unknown."""
    deepest, kind = -1, ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) < 5 or not right:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        if folder.is_relative_to(point) and len(point.parts) >= deepest:  # of two on one place the later one is on top
            deepest, kind = len(point.parts), right.split(" ")[0]
    return kind


def refuse_far_file_system(path: Path, kind: str) -> None:
    """Raise for a network file system: two machines cannot share what SQLite keeps in memory."""
    if kind in _FAR:
        raise CourseError(
            f"{path} cannot be used as a gradebook: it is on a network file system ({kind}), where SQLite can lose data; "
            "name a file on a local disk with --gradebook, and copy it afterwards"
        )


def connect_to(file: Path, how: str) -> sqlite3.Connection:
    """Open a file that exists, in a way that never makes one."""
    return sqlite3.connect(f"file:{quote(os.fsencode(file))}?{how}", uri=True, isolation_level=None)


def _header(path: Path) -> bytes:
    """Read the first bytes of a file; none if there is no file, or an empty one."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device is not even opened
            raise _unusable(path, "it is not a file")
        with path.open("rb") as file:
            return file.read(_HEADER)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error


def _refuse_foreign(path: Path, file: Path, header: bytes, secret: str) -> None:
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise _foreign(path)
    version, application = (int.from_bytes(header[at : at + 4], "big") for at in (60, 68))
    if application == APPLICATION_ID:
        refuse_newer(path, version)
    elif (application, version) != (0, 0) or not _is_schema_1(path, file):
        raise _foreign(path)
    with contextlib.suppress(sqlite3.Error):  # only in its -wal yet: a real connection will see it
        for found in _look(file, "SELECT value FROM meta WHERE name = 'secret'"):
            refuse_another_secret(path, found, secret)


def _is_schema_1(path: Path, file: Path) -> bool:
    try:
        if tables := set(_look(file, "SELECT name FROM sqlite_master")):
            return tables >= _SCHEMA_1 and _look(file, "SELECT value FROM meta WHERE name = 'schema'") == ["1"]
        return _is_schema_1_in_its_wal(file)
    except (sqlite3.Error, OSError) as error:
        raise _unusable(path, str(error)) from error


def _is_schema_1_in_its_wal(file: Path) -> bool:
    """Tell whether a file without tables has those of schema 1 in its -wal: a short run that was killed left it so."""
    wal = file.with_name(file.name + "-wal")
    if not wal.exists():
        return False
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "book"
        shutil.copyfile(file, copy)
        shutil.copyfile(wal, copy.with_name("book-wal"))
        with contextlib.closing(connect_to(copy, "mode=rw")) as db:
            return {name for (name,) in db.execute("SELECT name FROM sqlite_master")} >= _SCHEMA_1


def _look(file: Path, question: str) -> list[str]:
    with contextlib.closing(connect_to(file, "mode=ro&immutable=1")) as db:
        return [answer for (answer,) in db.execute(question)]


def _refuse_far(path: Path, file: Path) -> None:
    if _MOUNTS.exists():
        refuse_far_file_system(path, file_system(file.parent, _MOUNTS.read_text("utf-8", "surrogateescape")))


def _refuse_unwritable(path: Path, file: Path) -> None:
    try:
        if file.exists():
            file.open("r+b").close()
    except OSError as error:
        raise _unusable(path, f"it cannot be written: {error.strerror}") from error


def _foreign(path: Path) -> CourseError:
    return _unusable(path, "what is in this file is not a gradebook; name another with --gradebook")


def _unusable(path: Path, why: str) -> CourseError:
    return CourseError(f"{path} cannot be used as a gradebook: {why}")
