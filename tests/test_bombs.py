"""Archives that unpack to more than anybody has: they cost themselves, and the grader neither memory nor long."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redink.errors import CourseError, SubmissionError
from redink.grader.intake import unpacking
from redink.grader.intake.archive import MOST_UNPACKED
from redink.grader.intake.tree import MOST_ENTRIES
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.load import load
from tests.handing_in import EMPTY, header, patched

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")

PEAK = """
import resource, sys
from pathlib import Path
from redink.errors import CourseError
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.load import load

resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
try:
    for one in collect("little", Path(sys.argv[1])).found:
        print(one.id, load(one).reason)
except CourseError as error:
    print("refused", error)
print(int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) // 1024)
"""


def _zip_of_zeros(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            with archive.open(f"s{number}.ipynb", "w") as member:
                for _ in range(49 if number else 200):
                    member.write(bytes(2**20))
        archive.writestr("honest/little.ipynb", EMPTY)


def _zip_that_claims_little(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("s.ipynb", "w") as member:
            for _ in range(500):
                member.write(bytes(2**20))
        archive.writestr("honest/little.ipynb", EMPTY)
    patched(path, "s.ipynb", 24, struct.pack("<I", 1000))


def _zip_of_overlapping_members(path: Path) -> None:
    """One member of 49 MB, listed a thousand times."""
    one = io.BytesIO()
    with zipfile.ZipFile(one, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("s.ipynb", bytes(49 * 2**20))
    data = one.getvalue()
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entry = data[start:end]
    listed = [entry[:28] + b"\x0d\0" + entry[30:46] + b"%07d.ipynb" % number for number in range(1000)]
    whole = b"".join(listed)
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1000, 1000, len(whole), start, 0)
    path.write_bytes(data[:start] + whole + tail)


def _zip_of_many(count: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        listed = [
            struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0)
            + b"%07d" % number
            for number in range(count)
        ]
        whole = b"".join(listed)
        tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, len(whole), 4, 0)
        path.write_bytes(b"PK\x03\x04" + whole + tail)

    return make


def _zip_of_one_students_blanks(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mallory/0.ipynb", b" " * (50 * 2**20))
        archive.writestr("honest/little.ipynb", EMPTY)
    data = path.read_bytes()
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    first = data[start : data.index(b"PK\x01\x02", start + 1)]
    listed = [first.replace(b"0.ipynb", b"%c.ipynb" % (97 + number)) for number in range(21)]
    whole = b"".join(listed) + data[start:end]
    path.write_bytes(data[:start] + whole + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 23, 23, len(whole), start, 0))


def _zip_by(method: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("s.ipynb", bytes(49 * 2**20))
            archive.writestr(zipfile.ZipInfo("honest/little.ipynb"), EMPTY)

    return make


def _tar_of(kind: str, *blocks: tuple[bytes, int]) -> Callable[[Path], None]:
    """Write blocks, each so many times."""

    def make(path: Path) -> None:
        opened: Any = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}[kind](path, "wb")
        with opened as file:
            for block, times in blocks:
                for _ in range(times):
                    file.write(block)

    return make


MEGABYTE, END = bytes(2**20), bytes(1024)
FILE = header("ada.ipynb", 0)
HONEST = header("honest/little.ipynb", 512) + EMPTY.ljust(512)
BOMBS: dict[str, tuple[Callable[[Path], None], str, bool]] = {  # what is told, and whether honest goes on
    "zeros in a zip": (_zip_of_zeros, "s0.ipynb is 200 MB; 50 MB are allowed", True),
    "a zip that claims little": (_zip_that_claims_little, "s.ipynb is damaged in the archive", True),
    "a zip of overlapping members": (_zip_of_overlapping_members, "of notebooks; 1024 MB are allowed", False),
    "one student's blanks in a zip": (_zip_of_one_students_blanks, "the folder mallory holds 22 notebooks", True),
    "a zip of 100,000": (_zip_of_many(100_000), "more than 50000 files", False),
    "a zip of a million": (_zip_of_many(1_000_000), "a list of members of 50 MB", False),
    "a zip by bzip2": (_zip_by(zipfile.ZIP_BZIP2), "unusual method", True),
    "a zip by lzma": (_zip_by(zipfile.ZIP_LZMA), "unusual method", True),
    "zeros by gzip": (_tar_of("gz", (header("s.ipynb", 2**33), 1), (MEGABYTE, 150)), "unpacks to more than", False),
    "zeros by bzip2": (_tar_of("bz2", (header("s.ipynb", 2**33), 1), (MEGABYTE, 150)), "unpacks to more than", False),
    "zeros by xz": (_tar_of("xz", (header("s.ipynb", 2**33), 1), (MEGABYTE, 150)), "unpacks to more than", False),
    "a file that is too large": (
        _tar_of("gz", (header("s.ipynb", 90 * 2**20), 1), (MEGABYTE, 90), (HONEST, 1), (END, 1)),
        "s.ipynb is 90 MB; 50 MB are allowed", True,
    ),
    **{
        f"one student's zeros by {kind}": (
            _tar_of(kind, (header("mallory/data.bin", 150 * 2**20), 1), (MEGABYTE, 150), (HONEST, 1), (END, 1)),
            "mallory the folder mallory holds no notebook", True,
        )
        for kind in ("gz", "bz2", "xz")
    },
    "a tar of nothing but headers": (
        _tar_of("gz", (header("x", 0, tarfile.XHDTYPE), 150_000)), "more than 50000 files", False
    ),
    "a tar of one name": (_tar_of("gz", (header("s.ipynb", 0), 150_000)), "more than 50000 files", False),
    "long names": (
        _tar_of("gz", (header("x", 60_000, tarfile.GNUTYPE_LONGNAME) + b"a/" * 30_000 + bytes(416) + FILE, 1000),
                (HONEST, 1), (END, 1)),
        "honest None", True,
    ),
    "many folders": (_tar_of("gz", *((header(f"{n}/" + "a/" * 18 + "x", 0), 1) for n in range(3000)), (END, 1)),
                     "more than 50000 files", False),
    "holes": (_tar_of("gz", (header("s.ipynb", 0, tarfile.GNUTYPE_SPARSE), 1), (b"\1" * 512, 1000)), "holes", False),
}  # fmt: skip


def _peak(path: Path) -> tuple[str, int]:
    done = subprocess.run([sys.executable, "-c", PEAK, path], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    *told, peak = done.stdout.splitlines()
    return "\n".join(told), int(peak)


@pytest.mark.parametrize("case", BOMBS)
def test_a_bomb_costs_itself_and_takes_neither_memory_nor_long(tmp_path, case):
    make, says, goes_on = BOMBS[case]
    make(tmp_path / "class")
    told, peak = _peak(tmp_path / "class")
    assert says in told, told
    assert ("honest None" in told) == goes_on
    assert peak < 300  # MB, with Python and numpy


def _zeros(kind: str, megabytes: int) -> Callable[[Path], None]:
    """Zeros in a tar that is compressed in this way."""

    def make(folder: Path) -> None:
        _tar_of(kind, (header("data.bin", megabytes * 2**20), 1), (MEGABYTE, megabytes), (END, 1))(folder / "0.tar.x")

    return make


def _a_zip_of_many(folder: Path) -> None:
    _zip_of_many(30_000)(folder / "0.tar.x")


def _a_tar_of_many(folder: Path) -> None:
    _tar_of("gz", (header("x", 0), 30_000), (END, 1))(folder / "0.tar.x")


TENFOLD = {
    **{f"zeros by {kind}": _zeros(kind, 150) for kind in ("gz", "bz2", "xz")},
    "many in a zip": _a_zip_of_many,
    "many in a tar": _a_tar_of_many,
}


@pytest.mark.parametrize("case", TENFOLD)
def test_ten_zeros_one_student_unpack_to_no_more_than_one_may(tmp_path, case):
    for name in ("mallory", "honest"):
        (tmp_path / "class" / name).mkdir(parents=True)
    (tmp_path / "class/honest/little.ipynb").write_bytes(EMPTY)
    TENFOLD[case](tmp_path / "class/mallory")
    for number in range(10):
        shutil.copy(tmp_path / "class/mallory/0.tar.x", tmp_path / f"class/mallory/{number}.tar.gz")
    (tmp_path / "class/mallory/0.tar.x").unlink()
    told, peak = _peak(tmp_path / "class")
    assert "honest None" in told
    assert "cannot be opened: this student's archives unpack to more than 1024 MB; unpack them" in told
    assert peak < 300


def test_an_archive_that_is_opened_again_counts_again(tmp_path):
    """To compare notebooks by what they hold, each is read, and each time all that stands before it is unpacked."""
    mallory = tmp_path / "class/mallory"
    mallory.mkdir(parents=True)
    names = [header(f"{name}.ipynb", 512) + EMPTY.ljust(512) for name in "abcdef"]
    blocks = [(header("data.bin", 300 * 2**20), 1), (MEGABYTE, 300), (b"".join(names), 1), (END, 1)]
    _tar_of("gz", *blocks)(mallory / "all.tar.gz")
    started = time.process_time()
    (one,) = collect("little", tmp_path / "class").found
    assert one.problem == "the folder mallory holds 6 notebooks and none is called little.ipynb; keep one"
    with pytest.raises(SubmissionError, match="unpack to more than 1024 MB"):
        one.tree.read(one.place)
    assert (
        time.process_time() - started < 20
    )  # s; each of the six would take as long as both of which there was room for


def test_all_archives_of_a_source_have_one_bound_and_what_is_not_packed_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "_MOST_OF_A_SOURCE", 2 << 20)
    for name in ("ada", "ben"):
        (tmp_path / name).mkdir()
        with zipfile.ZipFile(tmp_path / name / "work.zip", "w") as archive:
            archive.writestr("little.ipynb", EMPTY + b" " * 400_000)
    (tmp_path / "cy.ipynb").write_bytes(EMPTY)
    problems = {one.id: load(one).reason or "" for one in collect("little", tmp_path).found}
    assert problems["ada"] == problems["cy"] == ""
    assert "the archives of all students unpack to more than 2 MB; unpack them" in problems["ben"]


def test_what_is_refused_is_not_counted():
    source = unpacking.of_a_source()
    student = source.of_a_student()
    with pytest.raises(CourseError):
        student.spend(MOST_UNPACKED + 1)
    student.spend(MOST_UNPACKED)
    source.of_a_student().spend(MOST_UNPACKED)


def test_xz_may_not_ask_for_a_large_dictionary(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**29}]
    with lzma.open(tmp_path / "class", "wb", filters=filters) as file:
        file.write(HONEST + bytes(1024))
    told, peak = _peak(tmp_path / "class")
    assert "Memory usage limit exceeded" in told
    assert peak < 300


def test_the_bounds_are_those_that_are_documented():
    assert (MOST_ENTRIES, MOST_UNPACKED) == (50_000, 2**30)
    text = (Path(__file__).parents[1] / "docs/instructor/grading.md").read_text(encoding="utf-8")
    assert "50,000 files" in text and "1 GB" in text
