"""Strangers' folders, archives and documents of every shape: submissions or a sentence, never an error."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import stat
import sys
import tarfile
import tempfile
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import strategies as st

from redink.errors import CourseError, SubmissionError
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.load import load
from redink.notebook import read_cells
from tests.test_fuzz import fuzzed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")

EMPTY = b'{"cells": []}'


def read_all(path: Path) -> None:
    """Collect and load; whatever comes of it can be shown, and nobody is there twice."""
    try:
        found = collect("little", path).found
    except CourseError as error:
        assert str(error) and "\n" not in str(error)
        return
    assert found
    assert len({one.id for one in found}) == len(found)
    for one in found:
        submission = load(one)
        assert submission.name.id.isprintable() and submission.name.file.isprintable()
        assert len(submission.name.id) < 1100
        assert submission.reason is None or submission.reason.isprintable()
        assert submission.reason is None or submission.data == b""


pieces = st.sampled_from(
    [
        "ada",
        "ben",
        "little",
        ".ipynb",
        ".txt",
        "/",
        "..",
        ".",
        "\\",
        "C:",
        "\u202e",
        "\x1b[2J",
        "\n",
        "\udcff",
        " ",
        "é",
    ]
)
paths = st.lists(pieces, min_size=1, max_size=6).map("".join)
contents = st.sampled_from([EMPTY, b"", b"x" * 700, bytes(3000)]) | st.binary(max_size=40)
kinds = st.sampled_from(["file", "file", "file", "folder", "link", "pipe", "loop"])


def _harmless(name: str) -> str:
    return name.replace("/..", "/x").lstrip("/").replace("\0", "")


def _make(top: Path, name: str, kind: str, data: bytes) -> None:
    """Put something at a place below the top, as far as the disk allows."""
    place = top / _harmless(name)
    if ".." in place.parts:
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "file":
            place.write_bytes(data)
        elif kind == "folder":
            place.mkdir()
        elif kind == "pipe":
            os.mkfifo(place)
        else:
            place.symlink_to(place if kind == "loop" else "/etc/passwd" if data else top)
    except (OSError, ValueError):
        pass


@fuzzed(st.lists(st.tuples(paths, kinds, contents), max_size=8))
def test_any_folder_gives_submissions_or_a_sentence(things: list[tuple[str, str, bytes]]) -> None:
    top = Path(tempfile.mkdtemp())
    try:
        for name, kind, data in things:
            if not (kind == "file" and _is_occupied(top, name)):
                _make(top, name, kind, data)
        read_all(top)
    finally:
        shutil.rmtree(top)


def _is_occupied(top: Path, name: str) -> bool:
    """Tell whether writing there could go through a link or wait for a pipe."""
    place = top
    for part in Path(_harmless(name)).parts:
        place /= part
        if place.is_symlink() or place.is_fifo():
            return True
    return False


modes = st.sampled_from([0, 0, 0, stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR, 0o170000])
members = st.lists(st.tuples(paths, modes, contents, st.booleans()), max_size=8)


def _zip(given: list[tuple[str, int, bytes, bool]]) -> bytes:
    held = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(held, "w") as archive:
        warnings.simplefilter("ignore")
        for name, mode, data, deflated in given:
            info = zipfile.ZipInfo(name.replace("\udcff", "\u00ff"))
            info.external_attr = mode << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED)
    return held.getvalue()


types = st.sampled_from([bytes([one]) for one in b"000\x001234567LKxgSZ"])


def _tar(given: list[tuple[str, bytes, bytes, int]]) -> bytes:
    held = io.BytesIO()
    for name, kind, data, style in given:
        info = tarfile.TarInfo(name)
        info.type, info.size, info.linkname = kind, len(data), "ada"
        held.write(info.tobuf(style, "utf-8", "surrogateescape") + data + bytes(-len(data) % 512))
    return held.getvalue() + bytes(1024)


tars = st.lists(
    st.tuples(paths, types, contents | st.just(b"18 path=ada.ipynb\n"), st.sampled_from([0, 1, 2])), max_size=8
)
packers = st.sampled_from([bytes, gzip.compress, bz2.compress, lzma.compress])
whole = members.map(_zip) | st.builds(lambda pack, given: pack(_tar(given)), packers, tars)
edits = st.lists(st.tuples(st.integers(0, 10_000), st.binary(min_size=1, max_size=6)), max_size=4)


def _edited(data: bytes, changes: list[tuple[int, bytes]], cut: int) -> bytes:
    """Write over some bytes, and perhaps leave out the end."""
    edited = bytearray(data)
    for at, value in changes:
        at %= len(edited) + 1
        edited[at : at + len(value)] = value
    return bytes(edited if cut > 300 else edited[: len(edited) * cut // 300])


archives = whole | st.builds(_edited, whole, edits, st.integers(0, 2000)) | st.binary(max_size=600)


@fuzzed(archives)
def test_any_archive_gives_submissions_or_a_sentence(data: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        read_all(Path(file.name))


tokens = st.sampled_from(
    ['"cells"', '"cell_type"', '"code"', '"source"', '"outputs"', '"worksheets"', '"metadata"', "NaN", "-Infinity", "null",
     '"\\ud800"', '"\\ud83d\\ude00"', '"\\\\ud800"', "[", "]", "{", "}", ",", ":", '"', "\\", "1e999", "9" * 50, " ",
     "\ufeff"]
)  # fmt: skip
cells = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown"]) | tokens,
        "source": tokens | st.lists(tokens, max_size=3) | st.integers(),
        "outputs": st.lists(st.floats() | tokens, max_size=3),
        "metadata": st.dictionaries(tokens, tokens, max_size=2),
    },
)
good = st.fixed_dictionaries({"cells": st.lists(cells, max_size=4)}).map(lambda tree: json.dumps(tree).encode())
documents = (
    good
    | st.lists(tokens, max_size=25).map(lambda words: "".join(words).encode())
    | st.builds(_edited, good, edits, st.integers(0, 2000))
    | good.map(lambda data: b"\xef\xbb\xbf" + data)
)


@fuzzed(documents)
def test_any_document_gives_cells_or_one_printable_sentence(data: bytes) -> None:
    try:
        found = read_cells(data)
    except SubmissionError as error:
        assert str(error).startswith(("is ", "has "))
        assert str(error).isprintable()
    else:
        assert all(cell.source.encode() is not None for cell in found)


@fuzzed(good)
def test_a_document_that_any_reader_of_json_reads_is_read_as_that_does(data: bytes) -> None:
    tree = json.loads(data)
    code = [(place, cell) for place, cell in enumerate(tree["cells"], start=1) if cell.get("cell_type") == "code"]
    expected = {}
    for place, cell in code:
        source = cell.get("source", "")
        expected[place] = "".join(source) if isinstance(source, list) else source
    if all(isinstance(source, str) for source in expected.values()):
        assert {cell.index: cell.source for cell in read_cells(data)} == expected
