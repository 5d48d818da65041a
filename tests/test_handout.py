"""What a student is handed: the files that ship, and nothing else; work is never overwritten."""

import io
import json
import os
import subprocess
import sys
import zipfile

import pytest

from redink.assignment.handout import file_names, list_assignments, read_handout, replace_folder, shelf, unpack, zipped
from redink.errors import AuthorError, CourseError

SHIPPED = ["README.md", "assignment.toml", "checks.py", "published.json", "tiny.ipynb"]


def toml(slug, order):
    question = '[[questions]]\nid = "q"\ntitle = "Q"\npoints = 100\nasks = ["f"]\n'
    return f'title = "T"\nslug = "{slug}"\norder = {order}\n{question}'


def place(root, slug, order):
    folder = root / "assignments" / slug
    folder.mkdir(parents=True)
    (folder / "assignment.toml").write_text(toml(slug, order), encoding="utf-8")
    return folder


def redink(*words, cwd):
    environment = {**os.environ, "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "redink_cli", *map(str, words)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_the_shelf_is_that_of_the_course_around_us(tmp_path):
    folder = place(tmp_path, "a", 1)
    deep = tmp_path / "class" / "ada"
    deep.mkdir(parents=True)
    assert shelf(deep) == shelf(folder) == tmp_path.resolve() / "assignments"


def test_without_a_course_the_shelf_is_what_came_with_redink(tmp_path):
    found = shelf(tmp_path)
    assert tmp_path not in found.parents
    assert (found / "perceptron" / "assignment.toml").is_file()


def test_a_folder_that_is_merely_called_assignments_is_no_shelf(tmp_path):
    (tmp_path / "assignments").mkdir()
    assert shelf(tmp_path) != tmp_path / "assignments"


def test_a_course_without_assignments_is_a_shelf_without_any(tmp_path):
    for name in ("assignments", "solutions"):
        (tmp_path / name).mkdir()
    assert shelf(tmp_path) == tmp_path / "assignments"
    done = redink("list", cwd=tmp_path)
    assert done.stdout == f"there are no assignments in {tmp_path / 'assignments'} yet; `redink new SLUG` writes one\n"
    assert redink("start", "perceptron", cwd=tmp_path).stderr.endswith(
        "no assignment 'perceptron' here; there are none yet\n"
    )


def test_assignments_are_listed_in_the_order_of_the_course(tmp_path):
    for slug, order in [("a", 3), ("b", 1), ("d", 2), ("c", 2)]:
        place(tmp_path, slug, order)
    (tmp_path / "assignments" / "empty").mkdir()
    assert [spec.slug for spec in list_assignments(tmp_path / "assignments")] == ["b", "c", "d", "a"]


def test_a_handout_is_the_files_that_ship_and_no_others(tiny):
    (tiny.assignment / "notes_for_myself.txt").write_text("the answer is 42")
    (tiny.assignment / "__pycache__").mkdir(exist_ok=True)
    assert sorted(read_handout(tiny.assignment)) == SHIPPED


def test_data_ships_too(tiny):
    path = tiny.assignment / "assignment.toml"
    path.write_text('data = ["data/points.csv"]\n' + path.read_text(encoding="utf-8"), encoding="utf-8")
    (tiny.assignment / "data").mkdir()
    (tiny.assignment / "data" / "points.csv").write_bytes(b"1,2\n")
    files = read_handout(tiny.assignment)
    unpack(files, tiny.root / "mine")
    assert (tiny.root / "mine" / "data" / "points.csv").read_bytes() == b"1,2\n"


def test_a_handout_that_was_not_built_is_refused_with_what_it_lacks(tmp_path):
    folder = place(tmp_path, "a", 1)
    with pytest.raises(
        CourseError, match=r"lacks a\.ipynb, README\.md, checks\.py, published\.json; run `redink build a`"
    ):
        read_handout(folder)
    with pytest.raises(AuthorError, match=r"has no assignment\.toml"):
        read_handout(tmp_path)


def test_unpacking_makes_the_folder(tmp_path):
    unpack({"a.txt": b"1", "data/b.bin": bytes(3)}, tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder" / "a.txt").read_bytes() == b"1"
    assert (tmp_path / "new" / "folder" / "data" / "b.bin").read_bytes() == bytes(3)


def test_unpacking_into_an_empty_folder_is_fine(tmp_path):
    unpack({"a.txt": b"1"}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_unpacking_never_overwrites_work(tmp_path):
    (tmp_path / "a.txt").write_text("two weeks of work")
    with pytest.raises(CourseError, match="exists and is not empty; move it away, or choose another folder with --to"):
        unpack({"a.txt": b"1", "b.txt": b"2"}, tmp_path)
    assert (tmp_path / "a.txt").read_text() == "two weeks of work"
    assert not (tmp_path / "b.txt").exists()


def test_a_bundle_is_written_afresh(tmp_path):
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "old.txt").write_text("old")
    replace_folder({"a.txt": b"1"}, tmp_path / "bundle")
    assert [path.name for path in (tmp_path / "bundle").iterdir()] == ["a.txt"]


def test_the_same_files_make_the_same_zip_in_any_order():
    files = {"b.txt": b"2", "a.txt": b"1"}
    assert zipped("t", files) == zipped("t", dict(sorted(files.items())))
    assert zipped("t", files) != zipped("t", {**files, "a.txt": b"3"})


def test_a_zip_has_one_folder_and_files_that_can_be_read():
    with zipfile.ZipFile(io.BytesIO(zipped("t", {"b.txt": b"2", "data/a.txt": b"1"}))) as archive:
        assert archive.namelist() == ["t/b.txt", "t/data/a.txt"]
        assert archive.read("t/data/a.txt") == b"1"
        assert all(entry.external_attr >> 16 & 0o444 == 0o444 for entry in archive.infolist())
        assert archive.testzip() is None


def test_start_unpacks_what_ships_and_refuses_a_second_time(tiny):
    first = redink("start", "tiny", "--to", "mine", cwd=tiny.root)
    assert first.returncode == 0, first.stderr
    assert "tiny.ipynb is ready" in first.stdout
    assert sorted(path.name for path in (tiny.root / "mine").iterdir()) == SHIPPED
    (tiny.root / "mine" / "tiny.ipynb").write_text("my work")
    second = redink("start", "tiny", "--to", "mine", cwd=tiny.root)
    assert second.returncode == 1
    assert second.stderr.startswith("redink: mine exists and is not empty")
    assert (tiny.root / "mine" / "tiny.ipynb").read_text() == "my work"


def test_start_with_an_unknown_name_tells_the_known_ones(tiny):
    done = redink("start", "tny", cwd=tiny.root)
    told = "redink: there is no assignment 'tny' here; did you mean tiny? The assignments are tiny\n"
    assert (done.returncode, done.stderr) == (1, told)


def test_start_does_not_write_into_a_file(tiny):
    (tiny.root / "mine").write_text("a file")
    done = redink("start", "tiny", "--to", "mine", cwd=tiny.root)
    assert done.returncode == 1
    assert done.stderr.startswith("redink: ")
    assert "Traceback" not in done.stderr
    assert (tiny.root / "mine").read_text() == "a file"


def test_list_shows_people_lines_and_programs_json(tiny):
    people = redink("list", cwd=tiny.root)
    assert people.stdout.split()[:2] == ["1", "tiny"]
    (listed,) = json.loads(redink("list", "--json", "-", cwd=tiny.root).stdout)
    assert (listed["slug"], [question["id"] for question in listed["questions"]]) == ("tiny", ["centre"])


def test_the_names_that_ship_follow_the_slug(tiny):
    (spec,) = list_assignments(tiny.root / "assignments")
    assert sorted(file_names(spec)) == SHIPPED
