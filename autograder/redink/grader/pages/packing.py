"""File names for students, and feedback packed as Canvas and Moodle take it back.

Both know whose file it is by the name that they gave to what was handed in, so only students whose submission still has
such a name can be packed: Canvas `ada_40527_700961_perceptron.ipynb` (the student, the file), Moodle
`Ada Lovelace_123_assignsubmission_file/…` (the participant).
"""

from __future__ import annotations

import hashlib
import io
import re
import unicodedata
import zipfile
from collections.abc import Mapping

_PLAIN = re.compile(r"[a-z0-9_][a-z0-9_-]{0,59}")
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")  # files that Windows cannot have
_CANVAS = re.compile(r"(?:[^/]*?_)?\d+_\d+_")
_MOODLE = re.compile(r"[^/_]*_\d+_assignsubmission_(?:file|onlinetext)(?=[_/])")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same pages make the same zip


def page_name(student: str) -> str:
    """Return a name for a student's files, safe on every disk and in every address; no two students have one name.

    A simple id is its own name; of any other, what is simple in it, a dot, and a digest. No simple name has a dot.
    """
    if _PLAIN.fullmatch(student) and not _DEVICES.fullmatch(student):
        return student
    ascii = unicodedata.normalize("NFKD", student[:200]).encode("ascii", "ignore").decode().casefold()
    simple = re.sub(r"[^a-z0-9_]+", "-", ascii).strip("-")[:40] or "student"
    return f"{simple}.{hashlib.sha256(student.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def canvas_name(file: str) -> str | None:
    """Return what Canvas knows a student's feedback by: the prefix that it gave to the file that was handed in.

    What lies in a student's zip has a name that the student chose, which may be like somebody else's.
    """
    match = _CANVAS.match(file.split("/", 1)[0])
    return _safe(f"{match[0]}feedback.html") if match else None


def moodle_name(file: str) -> str | None:
    """Return what Moodle knows a student's feedback by: the folder, or the prefix, that it gave to what was handed in."""
    match = _MOODLE.match(f"{file}/")
    return _safe(f"{match[0].replace('onlinetext', 'file')}/feedback.html") if match else None


def packed(pages: Mapping[str, bytes]) -> bytes:
    """Zip pages by their names, in their order; the same pages make the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in pages.items():
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), page, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _safe(name: str) -> str | None:
    """Return the name, unless no zip should hold it: with a backslash or control characters, or leading elsewhere."""
    return name if name.isprintable() and "\\" not in name and ".." not in name else None
