"""Archives are read without being unpacked: each member is what it says, or told why not; nothing leads elsewhere."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.handing_in import EMPTY, LINK, PACK, header, loaded, packed_by_tar, packed_by_zip, patched, reasons, refusal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")

OUT, STRANGE, LONG = (
    "leads out of the archive",
    "means different things on different machines",
    "a path that is too long",
)
any_kind = pytest.mark.parametrize("kind", PACK)


@any_kind
def test_an_archive_has_the_same_layout_as_a_folder(tmp_path, kind):
    files = {"cyd/other.ipynb": b"c", "ben/little.ipynb": b"b", "ben/scratch.ipynb": b"x", "ada.ipynb": b"a" * 200_000,
             "notes.txt": b"", "empty/x.txt": b"", ".hidden/ada.ipynb": b"", "two/1.ipynb": b"1",
             "two/2.ipynb": b"2"}  # fmt: skip
    found = loaded(PACK[kind](tmp_path / kind, files))
    data = {id: (one.name.file, one.data) for id, one in found.items() if one.reason is None}
    assert data == {
        "ada": ("ada.ipynb", b"a" * 200_000), "ben": ("ben/little.ipynb", b"b"), "cyd": ("cyd/other.ipynb", b"c")
    }  # fmt: skip
    assert found["empty"].reason == "the folder empty holds no notebook"
    assert found["two"].reason == (
        "the folder two holds 2 notebooks and none is called little.ipynb (two/1.ipynb, two/2.ipynb); keep one"
    )


@any_kind
def test_the_same_bytes_have_the_same_name_in_an_archive_and_in_a_folder(tmp_path, kind):
    folder = tmp_path / "class"
    (folder / "honest").mkdir(parents=True)
    (folder / "honest/little.ipynb").write_bytes(EMPTY)
    archive = PACK[kind](tmp_path / kind, {"honest/little.ipynb": EMPTY, "x/little.ipynb": b""})
    assert loaded(archive)["honest"] == loaded(folder)["honest"]


@any_kind
def test_one_folder_around_a_class_is_not_a_student(tmp_path, kind):
    folders = PACK[kind](tmp_path / kind, {"class/ada/little.ipynb": EMPTY, "class/ben/little.ipynb": EMPTY})
    assert reasons(folders) == {"ada": None, "ben": None}
    files = PACK[kind](tmp_path / f"files_{kind}", {"class/ada.ipynb": EMPTY, "class/ben.ipynb": EMPTY})
    assert reasons(files) == {"ada": None, "ben": None}
    alone = PACK[kind](tmp_path / f"alone_{kind}", {"ada/hw.ipynb": EMPTY, "ada/data/x.csv": b""})
    assert reasons(alone) == {"ada": None}


@any_kind
@pytest.mark.parametrize("name", ["little.ipynb", "mallory.ipynb"])
@pytest.mark.parametrize("others", [("ada.ipynb", "ben.ipynb"), ("ada/little.ipynb", "ben/hw.ipynb")])
def test_no_notebook_beside_a_class_makes_one_student_of_it(tmp_path, kind, name, others):
    files = {f"class/{other}": EMPTY for other in (name, *others)}
    mallory = "class" if name == "little.ipynb" else "mallory"
    assert reasons(PACK[kind](tmp_path / kind, files)) == {"ada": None, "ben": None, mallory: None}


@pytest.mark.parametrize("kind", ["ada.zip", "ada.tar.gz", "ada.tgz", "ada"])
def test_an_archive_of_one_notebook_is_named_like_its_folder(tmp_path, kind):
    pack = packed_by_zip if kind in ("ada.zip", "ada") else PACK["a.tar.gz"]
    (found,) = loaded(pack(tmp_path / kind, {"little.ipynb": EMPTY})).values()
    assert (found.name.id, found.name.file, found.reason) == ("ada", "ada/little.ipynb", None)


@any_kind
def test_nothing_is_written_to_disk(tmp_path, kind):
    archive = PACK[kind](tmp_path / kind, {"ada.ipynb": EMPTY, "../evil.ipynb": EMPTY, "/evil.ipynb": EMPTY})
    loaded(archive)
    assert list(tmp_path.iterdir()) == [tmp_path / kind]


BAD_PATHS = {
    "../ada.ipynb": OUT, "a/../../ada.ipynb": OUT, "honest/../honest.ipynb": OUT, "/ada.ipynb": OUT, "//ada.ipynb": OUT,
    "/etc/little.ipynb": OUT, "C:/ada.ipynb": STRANGE, "c:ada.ipynb": STRANGE, "a\\little.ipynb": STRANGE,
    "..\\..\\ada.ipynb": STRANGE, "\\\\server\\ada.ipynb": STRANGE, "x" * 300 + "/little.ipynb": LONG,
    "a/" * 25 + "little.ipynb": LONG, "y" * 260 + ".ipynb": LONG,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["a.zip", "a.tar", "gnu.tar", "a.tar.gz"])
@pytest.mark.parametrize("path", BAD_PATHS, ids=lambda path: path[:20])
def test_a_path_that_could_lead_elsewhere_is_refused_and_stops_nobody(tmp_path, kind, path):
    found = reasons(PACK[kind](tmp_path / kind, {path: EMPTY, "honest/little.ipynb": EMPTY}))
    assert found.pop("honest") is None
    ((id, reason),) = found.items()
    assert BAD_PATHS[path] in (reason or "")
    assert len(id) < 300


@pytest.mark.parametrize("around", ["", "class/"])
@pytest.mark.parametrize("kind", ["a.zip", "a.tar.gz"])
def test_paths_that_are_refused_are_their_students_problem_and_make_no_other_students(tmp_path, kind, around):
    files = {f"{around}mallory/x\\{number}.ipynb": b"" for number in range(300)}
    files |= {f"{around}ben/x\\1.ipynb": b"", f"{around}cyd/x\\1.ipynb": b"", f"{around}cyd/little.ipynb": EMPTY}
    found = reasons(PACK[kind](tmp_path / kind, {**files, f"{around}honest/little.ipynb": EMPTY}))
    assert found == {
        "mallory": f"mallory/x\\\\0.ipynb has a path that {STRANGE} (and 299 more like it)",
        "ben": f"ben/x\\\\1.ipynb has a path that {STRANGE}",
        "cyd": None,
        "honest": None,
    }


@pytest.mark.parametrize("around", ["", "class/"])
@pytest.mark.parametrize(
    "path", ["../{}.ipynb", "m{}\\little.ipynb", "mallory/" + "d/" * 20 + "{}.ipynb", "C:{}.ipynb"]
)
def test_paths_that_are_refused_and_nobodys_are_one_row_with_their_number(tmp_path, path, around):
    files = {f"{around if path.startswith('mal') else ''}{path.format(number)}": b"" for number in range(300)}
    honest = {f"{around}honest/little.ipynb": EMPTY, f"{around}ada/little.ipynb": EMPTY}
    found = reasons(packed_by_zip(tmp_path / "a.zip", files | honest))
    assert (found.pop("honest"), found.pop("ada")) == (None, None)
    ((_, reason),) = found.items()
    assert (reason or "").endswith("(and 299 more like it)")


@any_kind
def test_a_member_that_stands_twice_is_refused_and_stops_nobody(tmp_path, kind):
    with pytest.warns(UserWarning) if "zip" in kind or kind == "called_anything" else contextlib.nullcontext():
        pairs = _Twice({"ada/little.ipynb": EMPTY, "honest/little.ipynb": EMPTY})
        found = reasons(PACK[kind](tmp_path / kind, pairs))
    assert found == {"ada": "ada/little.ipynb stands in the archive more than once; keep one", "honest": None}


class _Twice(dict[str, bytes]):
    """Files of which the first is packed again at the end."""

    def items(self) -> Any:
        listed = list(super().items())
        return [*listed, (listed[0][0], b"another")]


@pytest.mark.parametrize("kind", ["a.zip", "a.tar"])
def test_a_file_and_a_folder_of_one_name_are_told_and_stop_nobody(tmp_path, kind):
    files = {"ada": b"x", "ada/little.ipynb": EMPTY, "honest/little.ipynb": EMPTY}
    found = reasons(PACK[kind](tmp_path / kind, files))
    assert found["honest"] is None
    assert "more than once" in (found["ada"] or "")


# -- zip -------------------------------------------------------------------------------------------------------------


def zipped(path: Path, *members: tuple[zipfile.ZipInfo | str, bytes], honest: bool = True) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in members:
            archive.writestr(info, data)
        if honest:
            archive.writestr("honest/little.ipynb", EMPTY)
    return path


def with_mode(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


@pytest.mark.parametrize(
    ("mode", "told"),
    [(stat.S_IFLNK, LINK), (stat.S_IFIFO, "is a pipe"), (stat.S_IFCHR, "is a device"), (stat.S_IFSOCK, "is a socket")],
)
def test_a_member_of_a_zip_that_says_it_is_no_file_is_told_as_such(tmp_path, mode, told):
    path = zipped(
        tmp_path / "a.zip",
        (with_mode("ada/little.ipynb", mode | 0o777), b"../honest/little.ipynb"),
        (with_mode("ben.ipynb", mode | 0o777), b"/etc/passwd"),
    )
    found = reasons(path)
    assert found["honest"] is None
    assert f"ada/little.ipynb {told}" in (found["ada"] or "")
    assert f"ben.ipynb {told}" in (found["ben"] or "")


def test_a_folder_of_a_zip_that_is_a_link_is_told_as_such(tmp_path):
    found = reasons(zipped(tmp_path / "a.zip", (with_mode("ada", stat.S_IFLNK | 0o777), b"honest")))
    assert found == {"ada": f"ada {LINK}", "honest": None}


FIELDS = {
    "encrypted": (8, b"\x01\x00", "ada.ipynb is encrypted"),
    "strongly encrypted": (8, b"\x41\x00", "ada.ipynb is encrypted"),
    "an unknown method": (10, b"\x63\x00", "unusual method"),
    "bzip2": (10, b"\x0c\x00", "unusual method"),
    "lzma": (10, b"\x0e\x00", "unusual method"),
    "another method": (10, b"\x00\x00", "is damaged in the archive"),
    "another checksum": (16, b"\1\2\3\4", "is damaged in the archive: Bad CRC-32"),
    "a smaller size": (24, b"\1\0\0\0", "is damaged in the archive"),
    "a larger size": (24, b"\0\1\0\0", "ada.ipynb is "),
    "a huge size": (24, b"\0\0\0\xf0", "ada.ipynb is 3840 MB; 50 MB are allowed"),
    "less that is compressed": (20, b"\1\0\0\0", "ada.ipynb is "),
    "another place": (42, b"\7\0\0\0", "is damaged in the archive"),
    "a place outside": (42, b"\0\0\0\x70", "is damaged in the archive"),
}


@pytest.mark.parametrize("case", FIELDS)
def test_a_member_of_a_zip_that_lies_is_refused_and_stops_nobody(tmp_path, case):
    at, value, told = FIELDS[case]
    found = reasons(patched(zipped(tmp_path / "a.zip", ("ada.ipynb", EMPTY * 3)), "ada.ipynb", at, value))
    assert found["honest"] is None
    assert told in (found["ada"] or "")


def test_another_name_in_the_member_than_in_the_list_is_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", ("ada.ipynb", EMPTY))
    path.write_bytes(path.read_bytes().replace(b"ada.ipynb", b"eve.ipynb", 1))
    found = reasons(path)
    assert found["honest"] is None
    assert "ada.ipynb is damaged in the archive" in (found["ada"] or "")


def test_names_that_are_no_utf8_and_utf8_that_does_not_say_so_are_read(tmp_path):
    path = zipped(tmp_path / "a.zip", ("mXYller.ipynb", EMPTY), ("Zoe.ipynb", EMPTY), ("\u4e2d.ipynb", EMPTY))
    data = path.read_bytes().replace(b"mXYller", "m\u00fcller".encode()).replace(b"Zoe", b"Zo\x89")
    path.write_bytes(data)
    assert reasons(path) == {"honest": None, "m\u00fcller": None, "Zo\u00eb": None, "\u4e2d": None}


def test_two_names_that_are_alike_in_another_encoding_stay_two_students(tmp_path):
    path = zipped(tmp_path / "a.zip", ("Ren\u00e9.ipynb", EMPTY), ("Renx.ipynb", EMPTY))
    path.write_bytes(path.read_bytes().replace(b"Renx", b"Ren\x82"))
    assert reasons(path) == {"honest": None, "Ren\u00e9": None, "Ren\\x82": None}


def test_a_name_that_says_it_is_utf8_and_is_not_costs_itself_alone(tmp_path):
    path = zipped(tmp_path / "a.zip", ("\u4e2d.ipynb", EMPTY), ("Ren\u00e9.ipynb", EMPTY))
    path.write_bytes(path.read_bytes().replace("\u4e2d".encode(), b"\xff\xfe\xff"))
    found = reasons(path)
    assert (found["honest"], found["Ren\u00e9"]) == (None, None)
    assert "is damaged in the archive" in (found["\\xff\\xfe\\xff"] or "")


def test_a_name_with_a_nul_is_refused_and_stops_nobody(tmp_path):
    path = zipped(tmp_path / "a.zip", ("ada.ipynbX.ipynb", EMPTY))
    path.write_bytes(path.read_bytes().replace(b"ada.ipynbX", b"ada.ipynb\0"))
    found = reasons(path)
    assert found.pop("honest") is None
    assert STRANGE in (found.popitem()[1] or "")


DAMAGED_ZIPS: dict[str, Callable[[bytes], bytes]] = {
    "no end": lambda data: data[:-22],
    "cut in the middle": lambda data: data[: len(data) // 2],
    "nothing but a start": lambda data: b"PK\x03\x04",
    "nothing but letters": lambda data: b"PK",
    "a list elsewhere": lambda data: data[:-6] + b"\xff\xff\xff\x7f"[:4] + data[-2:],
    "a list that is too large": lambda data: data[:-10] + b"\xff\xff\xff\x7f" + data[-6:],
    "a list of another form": lambda data: data.replace(b"PK\x01\x02", b"PK\x01\x03"),
    "a later version": lambda data: data.replace(b"PK\x01\x02\x14\x03\x14", b"PK\x01\x02\x14\x03\xff"),
}


@pytest.mark.parametrize("case", DAMAGED_ZIPS)
def test_a_zip_that_cannot_be_read_is_one_sentence(tmp_path, case):
    path = zipped(tmp_path / "a.zip", ("\u4e2d.ipynb", EMPTY))
    path.write_bytes(DAMAGED_ZIPS[case](path.read_bytes()))
    assert refusal(path).startswith(f"{path} ")


# -- tar -------------------------------------------------------------------------------------------------------------


def tarred(path: Path, *members: tuple[tarfile.TarInfo, bytes], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        honest = tarfile.TarInfo("honest/little.ipynb")
        honest.size = len(EMPTY)
        archive.addfile(honest, io.BytesIO(EMPTY))
    return path


def of_type(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info, b""


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (tarfile.SYMTYPE, LINK),
        (tarfile.LNKTYPE, LINK),
        (tarfile.FIFOTYPE, "is a pipe, not a file"),
        (tarfile.CHRTYPE, "is a device, not a file"),
        (tarfile.BLKTYPE, "is a device, not a file"),
        (tarfile.DIRTYPE, "is a folder, not a file"),
        (b"Z", "is of an unknown kind"),
    ],
)
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_member_of_a_tar_that_is_no_file_is_told_as_such(tmp_path, kind, told, mode):
    target = "honest/little.ipynb"
    path = tarred(
        tmp_path / "a", of_type("ada/little.ipynb", kind, target), of_type("b.ipynb", kind, target), mode=mode
    )
    assert reasons(path) == {"ada": f"ada/little.ipynb {told}", "b": f"b.ipynb {told}", "honest": None}


def test_a_folder_of_a_tar_that_is_a_link_is_told_as_such_and_what_lies_below_it_is_not_read(tmp_path):
    below = tarfile.TarInfo("eve/little.ipynb"), EMPTY
    path = tarred(
        tmp_path / "a", of_type("ada", tarfile.SYMTYPE, "/etc"), of_type("eve", tarfile.SYMTYPE, "honest"), below
    )
    found = reasons(path)
    assert (found["ada"], found["honest"]) == (f"ada {LINK}", None)
    assert "more than once" in (found["eve"] or "")


MAGICS = [b"PKumar", b"PK\x03\x04", b"PK\x05\x06", b"BZhang", b"BZh91AY&SY", b"\x1f\x8b\x08", b"\xfd7zXZ"]


@pytest.mark.parametrize("style", [tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
@pytest.mark.parametrize("name", MAGICS, ids=ascii)
def test_a_tar_may_begin_with_any_name(tmp_path, name, style):
    path = tmp_path / "a.tar"
    packed_by_tar(path, {f"{os.fsdecode(name)}/little.ipynb": EMPTY, "honest/little.ipynb": EMPTY}, style=style)
    found = reasons(path)
    assert len(found) == 2
    assert set(found.values()) == {None}


def test_a_zip_whose_first_name_makes_it_look_like_a_tar_is_a_zip(tmp_path):
    path = zipped(tmp_path / "a.zip", ("0" * 118 + "checksum" + "0" * 100 + "/" + "0" * 250 + ".ipynb", EMPTY))
    data = path.read_bytes()
    total = sum(data[:148]) + 8 * ord(" ") + sum(data[156:512])
    path.write_bytes(data.replace(b"checksum", b"%08o" % total))
    assert tarfile.TarInfo.frombuf(path.read_bytes()[:512], "utf-8", "surrogateescape").chksum == total
    assert reasons(path)["honest"] is None


def test_a_file_with_holes_is_told_as_such(tmp_path):
    info = tarfile.TarInfo("ada.ipynb")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "99999999999"}
    found = reasons(tarred(tmp_path / "a.tar", (info, b"1\n0\n5\n" + bytes(506) + b"hello")))
    assert found == {"ada": "ada.ipynb is a file with holes (tar --sparse)", "honest": None}


def test_names_in_a_tar_that_are_no_utf8_are_read(tmp_path):
    for style in (tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT):
        names = {os.fsdecode(b"m\xfcller.ipynb"): EMPTY, "honest/little.ipynb": EMPTY}
        assert reasons(packed_by_tar(tmp_path / f"{style}.tar", names, style=style)) == {
            "m\\xfcller": None,
            "honest": None,
        }


@any_kind
def test_long_names_are_read(tmp_path, kind):
    name = "n" * 90 + ("/" if kind == "ustar.tar" else "m" * 150 + "/") + "o" * 90 + ".ipynb"
    found = loaded(PACK[kind](tmp_path / kind, {name: EMPTY, "honest/little.ipynb": EMPTY}))
    assert [one.name.file for one in found.values() if one.reason is None] == ["honest/little.ipynb", name] or [
        one.name.file for one in found.values()
    ] == [name, "honest/little.ipynb"]


def records(*given: bytes) -> bytes:
    content = b"".join(given)
    return header("x", len(content), tarfile.XHDTYPE) + content + bytes(-len(content) % 512)


FILE = header("ada.ipynb", 0)
DAMAGED_TARS: dict[str, bytes] = {
    "no end": FILE,
    "cut in a header": FILE[:300],
    "a wrong checksum": FILE[:10] + b"x" + FILE[11:] + bytes(1024),
    "a member that is cut off": header("ada.ipynb", 5000) + b"x" * 4096,
    "a negative size": header("ada.ipynb", -5) + bytes(1024),
    "an enormous size": header("ada.ipynb", 2**60) + bytes(1024),
    "a long name without end": header("x", 2**40, tarfile.GNUTYPE_LONGNAME) + bytes(4096),
    "a long name of negative size": header("x", -1, tarfile.GNUTYPE_LONGNAME) + bytes(4096),
    "an extended header without end": header("x", 2**30, tarfile.XHDTYPE) + bytes(4096),
    "a record of no length": records(b"0 path=x\n") + FILE + bytes(1024),
    "a record of negative length": records(b"-9 path=x\n") + FILE + bytes(1024),
    "a record without a number": records(b"nothing at all here") + FILE + bytes(1024),
    "a size that is no number": records(b"13 size=many\n") + FILE + bytes(1024),
    "a size below zero": records(b"11 size=-5\n") + FILE + bytes(1024),
    "records without end": records(b"5 a=\n" * 1000) + FILE + bytes(1024),
    "old holes": header("ada.ipynb", 0, tarfile.GNUTYPE_SPARSE) + bytes(1024),
    "no tar at all": b"Dear professor, my work is attached." * 100,
    "nothing": b"",
    "gzip of nothing": b"\x1f\x8b\x08\x00",
    "gzip that is cut off": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xed\xcf",
    "bzip2 of nonsense": b"BZh9" + b"nonsense" * 100,
    "xz of nonsense": b"\xfd7zXZ\x00" + b"nonsense" * 100,
    "rar": b"Rar!\x1a\x07\x01\x00" + bytes(100),
    "7z": b"7z\xbc\xaf\x27\x1c" + bytes(1000),
}


@pytest.mark.parametrize("case", DAMAGED_TARS)
def test_what_is_no_archive_is_one_sentence_and_never_a_student(tmp_path, case):
    path = tmp_path / "class.tar"
    path.write_bytes(DAMAGED_TARS[case])
    assert refusal(path).startswith(f"{path} ")


def test_a_pipe_in_place_of_an_archive_is_one_sentence(tmp_path):
    os.mkfifo(tmp_path / "class.zip")
    assert refusal(tmp_path / "class.zip") == f"{tmp_path / 'class.zip'} is a pipe, not a file"


def test_what_is_not_there_is_told_as_such(tmp_path):
    assert refusal(tmp_path / "x") == f"there is no {tmp_path / 'x'}"


def test_a_compressed_tar_is_unpacked_twice_at_most(tmp_path, monkeypatch):
    """Once to list it, once to read it, though students are not in the order of their names."""
    from redink.grader.intake.unpacking import PackedStream

    begun = []
    begin = PackedStream._begin
    monkeypatch.setattr(PackedStream, "_begin", lambda self: (begun.append(1), begin(self)))
    files = {f"s{number * 37 % 100:02}/little.ipynb": b"%d" % number * 1000 for number in range(100)}
    found = loaded(packed_by_tar(tmp_path / "a.tgz", files, "w:gz"))
    assert {one.name.file: one.data for one in found.values()} == files
    assert len(begun) == 2
