"""What is handed in is read safely: folders with everything in them that a stranger can put there."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.load import load
from redink.notebook import MAX_BYTES
from redink.texts import file_name
from tests.conftest import read_results
from tests.handing_in import EMPTY, LINK, loaded, packed_by_zip, reasons, refusal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    """A class of one, and a notebook outside of it that nobody may hand in."""
    (tmp_path / "solved.ipynb").write_bytes(EMPTY)
    folder = tmp_path / "class"
    (folder / "honest").mkdir(parents=True)
    (folder / "honest/little.ipynb").write_bytes(EMPTY)
    return folder


# -- links, pipes, sockets, devices ----------------------------------------------------------------------------------


def test_a_link_to_a_file_is_told_as_such(handed_in):
    (handed_in / "mallory").mkdir()
    (handed_in / "mallory/little.ipynb").symlink_to("../honest/little.ipynb")
    (handed_in / "eve.ipynb").symlink_to("../solved.ipynb")
    assert reasons(handed_in) == {
        "eve": f"eve.ipynb {LINK}",
        "honest": None,
        "mallory": f"mallory/little.ipynb {LINK}",
    }


@pytest.mark.parametrize("target", ["honest", "..", "/", "nowhere", "mallory", "../solved.ipynb"])
def test_a_link_in_place_of_a_folder_is_told_as_such(handed_in, target):
    (handed_in / "mallory").symlink_to(target)
    assert reasons(handed_in) == {"honest": None, "mallory": f"mallory {LINK}"}


def test_a_link_is_told_where_nobody_has_a_folder(tmp_path):
    (tmp_path / "ada.ipynb").write_bytes(EMPTY)
    (tmp_path / "mallory").symlink_to("/etc")
    assert reasons(tmp_path) == {"ada": None, "mallory": f"mallory {LINK}"}


def test_a_notebook_beside_a_link_is_still_a_notebook(handed_in):
    (handed_in / "honest/other.ipynb").symlink_to("/etc/passwd")
    (handed_in / "honest/data").symlink_to("/")
    assert reasons(handed_in) == {"honest": None}


def test_a_folder_that_becomes_a_link_after_it_was_collected_is_not_followed(handed_in):
    (one,) = collect("little", handed_in).found
    (handed_in / "honest").rename(handed_in / "gone")
    (handed_in / "honest").symlink_to("gone")
    assert "honest/little.ipynb cannot be read: " in (load(one).reason or "")


def test_the_path_that_an_instructor_types_may_be_a_link(handed_in, tmp_path):
    (tmp_path / "this_week").symlink_to(handed_in)
    assert reasons(tmp_path / "this_week") == {"honest": None}
    (tmp_path / "bob.ipynb").symlink_to(handed_in / "honest/little.ipynb")
    assert reasons(tmp_path / "bob.ipynb") == {"bob": None}
    (tmp_path / "packed.zip").symlink_to(packed_by_zip(tmp_path / "real.zip", {"cyd.ipynb": EMPTY}))
    assert reasons(tmp_path / "packed.zip") == {"cyd": None}


@contextlib.contextmanager
def listening(path: Path) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as one:
        at = os.open(path.parent, os.O_RDONLY)
        one.bind(f"/proc/self/fd/{at}/{path.name}")  # the address of a socket is short
        os.close(at)
        yield


def test_pipes_sockets_devices_and_folders_are_told_as_such_and_nothing_waits(handed_in):
    (handed_in / "b").mkdir()
    os.mkfifo(handed_in / "b/little.ipynb")
    os.mkfifo(handed_in / "a.ipynb")
    (handed_in / "d.ipynb").mkdir()
    expected = {"a": "a.ipynb is a pipe, not a file", "b": "b/little.ipynb is a pipe, not a file",
                "c": "c.ipynb is a socket, not a file", "d": "d.ipynb is a folder, not a file", "honest": None}  # fmt: skip
    if os.geteuid() == 0:
        os.mknod(handed_in / "z.ipynb", 0o666 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero
        expected["z"] = "z.ipynb is a device, not a file"
    with listening(handed_in / "c.ipynb"):
        assert reasons(handed_in) == expected


def test_pipes_and_sockets_that_are_no_notebooks_are_nobodys(handed_in):
    os.mkfifo(handed_in / "pipe")
    with listening(handed_in / "socket"):
        assert reasons(handed_in) == {"honest": None}


def test_a_notebook_that_is_too_large_is_told_its_true_size_and_not_read(handed_in):
    with (handed_in / "honest/little.ipynb").open("wb") as file:
        file.truncate(300 * 2**20)
    (found,) = loaded(handed_in).values()
    assert found.reason == "honest/little.ipynb is 300 MB; 50 MB are allowed: clear its outputs"
    assert found.data == b""


def test_one_byte_too_many_is_not_told_as_what_is_allowed(handed_in):
    with (handed_in / "honest/little.ipynb").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "is 51 MB; 50 MB are allowed" in (reasons(handed_in)["honest"] or "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission_is_one_students_problem(handed_in):
    (handed_in / "locked").mkdir(mode=0o000)
    found = reasons(handed_in)
    assert found["honest"] is None
    assert "the folder locked cannot be read: Permission denied" in (found["locked"] or "")


def test_a_folder_of_too_many_files_is_one_students_problem(handed_in):
    for name, count in (("full", 5000), ("many", 5001)):
        (handed_in / name).mkdir()
        (handed_in / name / "little.ipynb").write_bytes(EMPTY)
        for number in range(count - 1):
            (handed_in / name / f"{number}.ipynb").touch()
    told = "the folder many cannot be read: holds more than 5000 files"
    assert reasons(handed_in) == {"full": None, "honest": None, "many": told}


def test_of_a_folder_of_many_notebooks_only_their_number_is_kept(handed_in):
    (handed_in / "many").mkdir()
    for number in range(4000):
        (handed_in / "many" / f"{number}.ipynb").touch()
    assert reasons(handed_in)["many"] == (
        "the folder many holds 4000 notebooks and none is called little.ipynb; keep one"
    )


@pytest.mark.parametrize(
    "error", [MemoryError(), RecursionError("deep"), ValueError("no\nvalue"), OSError(5, "broken")]
)
def test_whatever_is_raised_while_one_is_read_is_that_ones_reason(handed_in, error):
    class Failing:
        def read(self, file: tuple[str, ...]) -> bytes:
            raise error

    (one,) = collect("little", handed_in).found
    reason = load(type(one)(id=one.id, file=one.file, tree=Failing(), place=one.place)).reason or ""
    assert reason.startswith("honest/little.ipynb cannot be read: ")
    assert reason.isprintable()


def test_collecting_leaves_no_descriptor_open(handed_in, tmp_path):
    archive = packed_by_zip(tmp_path / "a.zip", {"ada.ipynb": EMPTY})
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in (handed_in, archive, handed_in / "honest/little.ipynb") * 3:
        reasons(path)
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04")
    refusal(tmp_path / "broken.zip")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# -- names -----------------------------------------------------------------------------------------------------------

NAMES = [
    b"m\xfcller", b"\xff\xfe", "ada\u202egpj".encode(), b"\x1b[2J\x1b[31mada", b"ada\nben", b"\r100 points", b"\x07\x08",
    "e\u0301ve".encode(), "\u200b".encode(), b"| ada | 100 |", b"a" * 240, "\U0001f600".encode() * 60, b"-rf", b"con",
    b"C:", b"a\\b", b"ada\x7f", b"\xc2\x85", b"%s%n", b"$(reboot)", b"ada.", b" ",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_student_of_any_name_is_read_and_the_name_can_be_shown(tmp_path, name):
    folder, alone = tmp_path / "folders", tmp_path / "files"
    folder.mkdir()
    alone.mkdir()
    named = os.fsdecode(name)
    (folder / named).mkdir()
    (folder / named / "little.ipynb").write_bytes(EMPTY)
    (alone / f"{named}.ipynb").write_bytes(EMPTY)
    shown = file_name(named)
    for place, file in ((folder, f"{shown}/little.ipynb"), (alone, f"{shown}.ipynb")):
        (found,) = loaded(place).values()
        assert (found.name.id, found.name.file, found.reason) == (shown, file, None)
        assert found.name.id.isprintable() and found.name.file.isprintable()
        found.name.id.encode()
        assert len(found.name.id) <= 1020


def test_a_notebook_of_any_name_in_a_folder_is_read(tmp_path):
    for number, name in enumerate(NAMES):
        folder = tmp_path / f"s{number:02}"
        folder.mkdir()
        (folder / f"{os.fsdecode(name)}.ipynb").write_bytes(EMPTY)
    found = loaded(tmp_path)
    assert {id: one.reason for id, one in found.items()} == {f"s{number:02}": None for number in range(len(NAMES))}
    assert all(one.name.file.isprintable() for one in found.values())


def test_a_broken_file_of_a_hostile_name_is_told_in_one_printable_line(tmp_path):
    (tmp_path / "x\x1b]0;pwned\x07\ny.ipynb").symlink_to("/etc/passwd")
    (reason,) = reasons(tmp_path).values()
    assert reason is not None
    assert reason.isprintable()
    assert reason.endswith(LINK)


def test_what_systems_hide_in_a_folder_is_nobodys(handed_in):
    for name in (
        "._honest.ipynb",
        ".ipynb_checkpoints/x.ipynb",
        "__MACOSX/honest/._little.ipynb",
        "honest/._other.ipynb",
    ):
        (handed_in / name).parent.mkdir(parents=True, exist_ok=True)
        (handed_in / name).write_bytes(b"\0\5\x16\7")
    assert reasons(handed_in) == {"honest": None}


# -- the same student twice ------------------------------------------------------------------------------------------


def test_the_same_student_twice_is_one_submission_that_says_so_and_stops_nobody(handed_in):
    (handed_in / "ada.ipynb").write_bytes(EMPTY)
    (handed_in / "ada").mkdir()
    (handed_in / "ada/little.ipynb").write_bytes(EMPTY)
    assert reasons(handed_in) == {
        "ada": "ada was handed in more than once, as ada.ipynb and ada/little.ipynb; keep one of them",
        "honest": None,
    }


def test_a_link_and_a_folder_of_one_name_are_the_same_student_twice(handed_in):
    (handed_in / "honest.ipynb").symlink_to("honest/little.ipynb")
    (handed_in / "other").mkdir()
    (handed_in / "other/little.ipynb").write_bytes(EMPTY)
    assert "as honest.ipynb and honest/little.ipynb" in (reasons(handed_in)["honest"] or "")
    assert reasons(handed_in)["other"] is None


# -- graded ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def hostile(little, tmp_path) -> Path:
    """An honest student among others who are not."""
    folder = little.root / "class"
    little.hand_in("honest")
    little.hand_in(os.fsdecode(b"m\xfcller"))
    little.hand_in("x\x1b[31m\n| ada | 100 |")
    (folder / "mallory.ipynb").symlink_to("honest/little.ipynb")
    (folder / "eve").symlink_to("honest")
    (folder / "honest2").mkdir()
    (folder / "honest2/little.ipynb").symlink_to("../honest/little.ipynb")
    os.mkfifo(folder / "pipe.ipynb")
    (folder / "twice.ipynb").write_bytes((folder / "honest/little.ipynb").read_bytes())
    little.hand_in("twice")
    with (folder / "large.ipynb").open("wb") as file:
        file.truncate(60 * 2**20)
    return folder


EXPECTED = {
    "honest": 100.0, "m\\xfcller": 100.0, "x\\x1b[31m\\n| ada | 100 |": 100.0, "mallory": 0.0, "eve": 0.0, "honest2": 0.0,
    "pipe": 0.0, "twice": 0.0, "large": 0.0,
}  # fmt: skip


def test_an_honest_student_keeps_full_marks_beside_everything_hostile(little, hostile):
    done = little.redink("grade", "little", "class", "--json", "out.json", "--summary", "out.md")
    assert done.returncode == 0, done.stderr
    assert "\x1b[31m\n" not in done.stdout + (little.root / "out.md").read_text(encoding="utf-8")
    results = read_results(little.root / "out.json")
    assert {id: one["score"] for id, one in results.items()} == EXPECTED
    assert all((one["state"] == "graded") == (one["score"] == 100) for one in results.values())


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_the_same_class_in_a_tar_gets_the_same_grades(little, hostile, mode):
    with tarfile.open(little.root / "class.tar", mode) as archive:
        archive.add(hostile, "class")
    assert {id: one["score"] for id, one in little.grade("class.tar").items()} == EXPECTED


def test_a_zip_is_graded_and_what_was_graded_from_a_folder_is_reused(little):
    little.hand_in("honest")
    little.hand_in("ben")
    assert len(little.grade("class")) == 2
    names = {
        f"class/{name}/little.ipynb": (little.root / "class" / name / "little.ipynb").read_bytes()
        for name in ("ben", "honest")
    }
    packed_by_zip(little.root / "class.zip", names)
    done = little.redink("grade", "little", "class.zip", boxes=False)
    assert "0 new, 2 reused" in done.stdout, done.stderr


# -- one notebook ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["run", "check"])
def test_one_notebook_that_is_none_is_one_sentence_and_nothing_waits(tiny, command):
    os.mkfifo(tiny.assignment / "pipe.ipynb")
    (tiny.assignment / "folder.ipynb").mkdir()
    for name, told in (
        ("pipe.ipynb", "pipe"),
        ("folder.ipynb", "folder"),
        ("/dev/zero", "device"),
        ("nowhere.ipynb", ""),
    ):
        done = tiny.redink(command, tiny.assignment / name)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1, done.stderr
        expected = f"is a {told}, not a file" if told else "No such file"
        if command == "check":
            expected = "is a folder: name a notebook" if told == "folder" else "is not a file"
        assert expected in done.stderr


def test_one_notebook_that_is_too_large_is_told_its_true_size(tiny):
    with (tiny.root / "large.ipynb").open("wb") as file:
        file.truncate(300 * 2**20)
    assert "large.ipynb is 300 MB; 50 MB are allowed" in tiny.redink("run", "large.ipynb").stderr
