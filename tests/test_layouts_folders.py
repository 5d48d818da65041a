"""Folders and archives of no platform: a notebook is found where it lies, nobody vanishes, strangers cost themselves."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import sys
import zipfile

import pytest

from redink.errors import SubmissionError
from redink.grader.intake.scripts import read_script
from redink.grader.pipeline.collect import Collected, collect
from redink.grader.pipeline.load import load
from redink.notebook import MAX_CELLS, MAX_SOURCE, read_cells
from tests.handing_in import EMPTY, packed_by_tar, packed_by_zip, reasons, zip_bytes
from tests.test_layouts_platforms import is_accounted_for, laid_out, problems

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")


def notebook(*sources: str, **more: object) -> bytes:
    cells = [{"cell_type": "code", "metadata": {}, "source": source} for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, **more}).encode()


def files_of(found: Collected) -> dict[str, str]:
    return {one.id: one.file for one in found.found}


# -- where a notebook may lie ----------------------------------------------------------------------------------------


def test_a_notebook_is_found_some_levels_down_and_in_archives(tmp_path):
    inner = zip_bytes({"perceptron.ipynb": EMPTY})
    files = {
        "ada/perceptron/perceptron.ipynb": EMPTY,
        "ben/week 3/work/final.ipynb": EMPTY,
        "cy/homework.zip": zip_bytes({"homework/perceptron.ipynb": EMPTY, "__MACOSX/._x": b""}),
        "dan/outer.zip": zip_bytes({"inner.zip": inner}),
        "eve/three.zip": zip_bytes({"two.zip": zip_bytes({"one.zip": inner})}),
    }
    found = collect("perceptron", laid_out(tmp_path / "class", files))
    assert files_of(found) == {
        "ada": "ada/perceptron/perceptron.ipynb",
        "ben": "ben/week 3/work/final.ipynb",
        "cy": "cy/homework.zip/homework/perceptron.ipynb",
        "dan": "dan/outer.zip/inner.zip/perceptron.ipynb",
        "eve": "eve",
    }
    assert {id: reason for id, reason in problems(found).items() if reason} == {
        "eve": "the folder eve holds no notebook"
    }
    assert load(next(one for one in found.found if one.id == "dan")).data == EMPTY


@pytest.mark.parametrize("pack", [packed_by_tar, packed_by_zip])
def test_a_packed_folder_is_the_same_class(tmp_path, pack):
    files = {"ada/perceptron/perceptron.ipynb": EMPTY, "ben/hw.zip": zip_bytes({"a.ipynb": EMPTY})}
    packed, unpacked = (
        collect("perceptron", pack(tmp_path / "c", files)),
        collect("perceptron", laid_out(tmp_path / "d", files)),
    )
    assert files_of(packed) == files_of(unpacked)
    assert problems(packed) == {"ada": None, "ben": None}


def test_one_student_below_a_folder_of_the_assignment_keeps_the_name(tmp_path):
    path = packed_by_zip(tmp_path / "a.zip", {"ada/perceptron/perceptron.ipynb": EMPTY})
    assert files_of(collect("perceptron", path)) == {"ada": "ada/perceptron/perceptron.ipynb"}


def test_a_folder_around_a_class_on_disk_is_not_a_student(tmp_path):
    files = {"week 3/ada/perceptron.ipynb": EMPTY, "week 3/ben/perceptron.ipynb": EMPTY}
    assert set(files_of(collect("perceptron", laid_out(tmp_path / "d", files)))) == {"ada", "ben"}


def test_a_download_in_a_folder_of_its_own_is_opened_and_so_is_one_in_another(tmp_path):
    class_zip = zip_bytes({"ada.ipynb": EMPTY, "ben.ipynb": EMPTY})
    laid_out(tmp_path / "d", {"submissions.zip": class_zip, ".DS_Store": b""})
    assert set(files_of(collect("perceptron", tmp_path / "d"))) == {"ada", "ben"}
    assert set(files_of(collect("perceptron", packed_by_zip(tmp_path / "o.zip", {"s.zip": class_zip})))) == {
        "ada",
        "ben",
    }


def test_one_students_own_folder_is_one_student(tmp_path):
    files = {"perceptron.ipynb": EMPTY, "checks.py": b"", "assignment.toml": b"", "helper.py": b"", "out/old/x.ipynb": b"",
             "export.html": b"", "data/points.csv": b""}  # fmt: skip
    found = collect("perceptron", laid_out(tmp_path / "ada", files))
    assert files_of(found) == {"ada": "ada/perceptron.ipynb"}


# -- nobody vanishes -------------------------------------------------------------------------------------------------


def test_everybody_in_a_class_of_files_is_there_and_every_file_accounted_for(tmp_path):
    files = {
        "ada.ipynb": EMPTY, "ada.py": b"x = 1", "ben.py": b"x = 1", "cy.html": b"", "dan.pdf": b"", "eve.docx": b"",
        "fay.zip": zip_bytes({"my.ipynb": EMPTY}), "gus.zip": b"PK\x03\x04 broken", "checks.py": b"", "notes.txt": b"",
        "all.zip": zip_bytes({"a.ipynb": b"1", "b.ipynb": b"2"}), "ben.html": b"",
    }  # fmt: skip
    found = collect("perceptron", laid_out(tmp_path / "class", files))
    told = problems(found)
    assert told.pop("gus", "").startswith("gus.zip holds no notebook, and gus.zip cannot be opened: ")
    assert told == {
        "ada": None,
        "ben": None,
        "cy": "cy.html is a web page, not a notebook",
        "dan": "dan.pdf is a PDF, not a notebook",
        "eve": "eve.docx is a text document, not a notebook",
        "fay": None,
    }
    assert {one.file: one.reason for one in found.gathered.ignored} == {
        "ada.py": "ada is there already",
        "ben.html": "ben is there already",
        "checks.py": "part of the hand-out",
        "notes.txt": "not a notebook",
        "all.zip": "holds several notebooks, so it is not one student's",
    }
    assert found.gathered.lines()[0] == "Folder: 12 files, 7 students, 4 without a usable notebook"
    assert found.gathered.lines()[1].startswith("5 files ignored: ")


def test_a_folder_without_a_notebook_is_told_truly(tmp_path):
    files = {"ada/a.ipynb": EMPTY, "ben/report.pdf": b"", "cy/data.csv": b"", "dan/hw.zip": zip_bytes({"x.docx": b""}),
             "eve/hw.zip": b"PK\x03\x04", "fay/hw.rar": b"Rar!", "loose.py": b"", "gus/x.py": b"x = 1"}  # fmt: skip
    found = collect("perceptron", laid_out(tmp_path / "class", files))
    told = problems(found)
    assert (told["ada"], told["gus"]) == (None, None)
    assert told["ben"] == "the folder ben holds no notebook, only ben/report.pdf, which is a PDF"
    assert told["cy"] == "the folder cy holds no notebook"
    assert told["dan"] == "the folder dan holds no notebook, only dan/hw.zip/x.docx, which is a text document"
    assert (told["eve"] or "").startswith("the folder eve holds no notebook, and eve/hw.zip cannot be opened")
    assert "only fay/hw.rar, which is an archive that cannot be opened here" in (told["fay"] or "")
    assert [one.file for one in found.gathered.ignored if one.reason == "a script among folders"] == ["loose.py"]


def test_of_a_student_with_many_files_the_first_are_listed_and_the_rest_counted(tmp_path):
    files = {"ada/perceptron.ipynb": EMPTY, **{f"ada/{number}.txt": b"" for number in range(100)}, "b/x.ipynb": EMPTY}
    found = collect("perceptron", laid_out(tmp_path / "class", files))
    assert len(found.gathered.ignored) == 21
    is_accounted_for(found, files)


def test_a_class_of_300_is_all_there(tmp_path):
    files = {f"s{number}_{number}_{number}_perceptron.ipynb": EMPTY for number in range(300)}
    assert len(collect("perceptron", packed_by_zip(tmp_path / "a.zip", files)).found) == 300


# -- which of several ------------------------------------------------------------------------------------------------


def test_of_several_notebooks_the_one_about_the_assignment_is_taken(tmp_path):
    about = notebook("def step(w): pass", "def margin(w): pass", 'check("step")')
    files = {
        "ada/final.ipynb": about,
        "ada/notes.ipynb": notebook("print(1)"),
        "ben/1.ipynb": b"1",
        "ben/2.ipynb": b"2",
    }
    found = collect("perceptron", laid_out(tmp_path / "class", files), names_asked=["step", "margin"])
    assert files_of(found)["ada"] == "ada/final.ipynb"
    assert problems(found)["ben"] == (
        "the folder ben holds 2 notebooks and none is called perceptron.ipynb (ben/1.ipynb, ben/2.ipynb); keep one"
    )


def test_the_one_named_after_the_assignment_is_taken_and_another_like_it_is_flagged(tmp_path):
    files = {
        "ada/perceptron.ipynb": b"1",
        "ada/perceptron (1).ipynb": b"2",
        "ben/Perceptron.IPYNB": EMPTY,
        "ben/x.ipynb": b"",
    }
    found = collect("perceptron", laid_out(tmp_path / "class", files))
    assert files_of(found) == {"ada": "ada/perceptron.ipynb", "ben": "ben/Perceptron.IPYNB"}
    assert {one.student: one.flags for one in found.gathered.taken if one.flags} == {
        "ada": ("ada/perceptron.ipynb is taken, not ada/perceptron (1).ipynb",)
    }
    assert "1 to look at" in found.gathered.told


def test_copies_of_one_notebook_are_not_ambiguous(tmp_path):
    found = collect("perceptron", laid_out(tmp_path / "class", {"ada/a.ipynb": EMPTY, "ada/b.ipynb": EMPTY}))
    assert problems(found) == {"ada": None}


def test_two_of_the_assignments_name_in_different_folders_are_ambiguous(tmp_path):
    files = {"ada/x/perceptron.ipynb": b"1", "ada/y/perceptron.ipynb": b"2", "ben/perceptron.ipynb": EMPTY}
    (told,) = [reason for reason in problems(collect("perceptron", laid_out(tmp_path / "c", files))).values() if reason]
    assert told.startswith("the folder ada holds 2 notebooks called perceptron.ipynb (ada/x/perceptron.ipynb, ")


# -- scripts ---------------------------------------------------------------------------------------------------------


def test_a_script_becomes_cells_by_its_marks():
    text = "# ---\n# jupyter: x\n# ---\nimport numpy\n# %%\na = 1\n\n# %% [markdown]\n# prose\n# %% tags=[]\nb = 2\n"
    assert [(cell.index, cell.source) for cell in read_script(text.encode())] == [
        (1, "import numpy"),
        (2, "a = 1"),
        (4, "b = 2"),
    ]
    exported = "#!/usr/bin/env python\n# In[1]:\n\n\na = 1\n\n\n# In[ ]:\n\nb = 2\n"
    assert [cell.source for cell in read_script(exported.encode())] == ["#!/usr/bin/env python", "a = 1", "b = 2"]
    assert [cell.source for cell in read_script(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n")] == ["a = 1\nb = 2"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b" \n", "is empty"),
        (b"\xff\xfe", "its text is not UTF-8"),
        (b"a\0b", "zero byte"),
        (b"#" * (MAX_SOURCE + 1), "characters of code"),
        (bytes(5 * MAX_SOURCE), "characters of code"),
        (b"# %%\na\n" * (MAX_CELLS + 1), "cells that are allowed"),
    ],
)
def test_a_script_that_cannot_be_read_is_one_sentence(data, told):
    with pytest.raises(SubmissionError, match=told):
        read_script(data)


def test_the_hash_of_a_script_is_that_of_its_file(tmp_path):
    (tmp_path / "ada.py").write_bytes(b"# %%\nx = 1\n")
    (one,) = collect("perceptron", tmp_path / "ada.py").found
    submission = load(one)
    assert submission.name.sha256 == hashlib.sha256(b"# %%\nx = 1\n").hexdigest()
    assert [cell.source for cell in read_cells(submission.data)] == ["x = 1"]


COLAB = {
    "metadata": {
        "colab": {"provenance": [], "collapsed_sections": ["x"], "authorship_tag": "ABX9TyM"},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "accelerator": "GPU",
        "widgets": {"application/vnd.jupyter.widget-state+json": {}},
    },
    "nbformat_minor": 0,
}


def test_scripts_and_colab_exports_get_full_marks_by_the_command_itself(little):
    sources = list(little.sources().values())
    colab = json.loads(notebook(*sources)) | COLAB
    for cell in colab["cells"]:
        cell["metadata"] = {"id": "aBc", "colab": {"base_uri": "https://localhost:8080/"}, "outputId": "x"}
        cell["source"] = cell["source"].splitlines(keepends=True)
    percent = "\n\n".join(f"# %%\n{source}" for source in sources)
    plain = "\n\n".join(source for place, source in little.sources().items() if "while True" not in source)
    files = {
        "doeann_LATE_1_11_Copy_of_little.ipynb": json.dumps(colab).encode(),
        "leebob_2_12_little.py": percent.encode(),
        "kim_3_13_little.py": plain.encode(),
        "pdf_4_14_little.pdf": b"%PDF",
    }
    packed_by_zip(little.root / "submissions.zip", files)
    done = little.redink("grade", "little", "submissions.zip", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    results = {one["submission"]["id"]: one for one in json.loads((little.root / "out.json").read_text())["results"]}
    assert {id: (one["state"], one["score"]) for id, one in results.items()} == {
        "doeann_1": ("graded", 100.0), "leebob_2": ("graded", 100.0), "kim_3": ("graded", 100.0),
        "pdf_4": ("ungradable", 0.0),
    }  # fmt: skip
    assert "Canvas download: 4 files, 4 students, 1 late, 1 without a usable notebook" in " ".join(done.stdout.split())


# -- strangers -------------------------------------------------------------------------------------------------------

ODD = ["CON", "aux", "NUL.x", "\u202eadA", "a\nb", "\x1b[31mred", "é", "e\u0301", " ", "--help", "$(x)", "a" * 200]


@pytest.mark.parametrize("name", ODD, ids=ascii)
@pytest.mark.parametrize(
    "form", ["{}_1_2_perceptron.ipynb", "{}_7_assignsubmission_file_/a.ipynb", "perceptron-{}/a.ipynb"]
)
def test_any_name_in_any_layout_gives_a_printable_key_and_costs_nobody(tmp_path, name, form):
    others = [form.format(other) for other in ("honest", "other", "third")]
    files = {form.format(name): EMPTY, **dict.fromkeys(others, EMPTY)}
    found = collect("perceptron", packed_by_tar(tmp_path / "a.tar", files))
    assert all(one.id.isprintable() and one.file.isprintable() for one in found.found)
    assert len([one for one in found.found if "honest" in one.id and load(one).reason is None]) == 1
    assert all(line.isprintable() for line in found.gathered.lines())
    is_accounted_for(found, files)


def test_names_that_are_no_utf8_are_read_in_a_platforms_layout(tmp_path):
    files = {
        os.fsdecode(b"M\xfcller_1_assignsubmission_file_/a.ipynb"): EMPTY,
        "B_2_assignsubmission_file_/a.ipynb": EMPTY,
    }
    assert problems(collect("perceptron", packed_by_tar(tmp_path / "a.tar", files))) == {
        "M\\xfcller_1": None,
        "B_2": None,
    }


@pytest.mark.parametrize("name", ["aux.ipynb", "CON.ipynb", "com1.ipynb", "\u202ebpyi.ipynb"])
def test_names_of_devices_elsewhere_are_only_names(tmp_path, name):
    assert len(collect("perceptron", laid_out(tmp_path / "c", {name: EMPTY, "ada.ipynb": EMPTY})).found) == 2


@pytest.mark.parametrize("path", ["../{}", "/{}", "..\\{}", "C:{}"])
@pytest.mark.parametrize("around", ["", "week/"])
def test_paths_that_lead_out_are_told_in_every_layout_and_nothing_is_written(tmp_path, path, around):
    evil = path.format("mallory_9_9_perceptron.ipynb")
    files = {
        evil: EMPTY,
        path.format("x.txt"): b"",
        f"{around}ada_1_2_perceptron.ipynb": EMPTY,
        f"{around}b_3_4_p.ipynb": EMPTY,
    }
    found = collect("perceptron", packed_by_zip(tmp_path / "a.zip", files))
    told = problems(found)
    assert (told.pop("ada_1"), told.pop("b_3")) == (None, None)
    ((_, reason),) = told.items()
    assert "has a path that" in (reason or "")
    assert [one.count for one in found.gathered.ignored] == [1]
    assert list(tmp_path.iterdir()) == [tmp_path / "a.zip"]


def _bomb() -> bytes:
    return zip_bytes({"perceptron.ipynb": bytes(60 * 2**20)})


def _liar() -> bytes:
    data = bytearray(zip_bytes({"perceptron.ipynb": bytes(2**20)}))
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 100)
    return bytes(data)


def _many() -> bytes:
    listed = [
        struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0) + b"%07d" % number
        for number in range(100_000)
    ]
    whole = b"".join(listed)
    return b"PK\x03\x04" + whole + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, len(whole), 4, 0)


def _quine() -> bytes:
    data = zip_bytes({"perceptron.ipynb": EMPTY})
    for _ in range(20):
        data = zip_bytes({"deeper.zip": data})
    return data


NESTED = {
    "a notebook of zeros": (_bomb, "is 60 MB; 50 MB are allowed"),
    "a size that is a lie": (_liar, "is damaged in the archive"),
    "100,000 files": (_many, "more than 50000 files"),
    "archives without end": (_quine, "holds no notebook"),
    "a path that leads out": (lambda: zip_bytes({"../perceptron.ipynb": EMPTY}), "leads out of the archive"),
    "nothing": (lambda: b"", "holds no notebook, and "),
}


@pytest.mark.parametrize("case", NESTED)
@pytest.mark.parametrize("form", ["{}/hw.zip", "{}_1_2_hw.zip", "{}_7_assignsubmission_file_/hw.zip"])
def test_a_hostile_archive_in_a_students_hands_costs_that_student_alone(tmp_path, case, form):
    make, says = NESTED[case]
    files = {form.format("mallory"): make()}
    files |= {form.format(name).replace("hw.zip", "perceptron.ipynb"): EMPTY for name in ("ada", "honest")}
    found = problems(collect("perceptron", packed_by_zip(tmp_path / "a.zip", files)))
    (mallory,) = [reason for id, reason in found.items() if "mallory" in id]
    assert says in (mallory or "")
    assert [reason for id, reason in found.items() if "mallory" not in id] == [None, None]
    assert list(tmp_path.iterdir()) == [tmp_path / "a.zip"]


def test_links_in_an_archive_in_an_archive_are_not_followed(tmp_path):
    info = zipfile.ZipInfo("perceptron.ipynb")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    files = {"ada/hw.zip": (tmp_path / "inner.zip").read_bytes(), "ben/a.ipynb": EMPTY}
    assert problems(collect("perceptron", laid_out(tmp_path / "c", files))) == {
        "ada": "ada/hw.zip/perceptron.ipynb is a link, and links are not followed",
        "ben": None,
    }


def test_no_more_than_ten_archives_of_one_student_are_opened(tmp_path):
    files = {f"ada/{number:02}.zip": zip_bytes({"x.txt": b""}) for number in range(30)} | {"ben/a.ipynb": EMPTY}
    found = collect("perceptron", laid_out(tmp_path / "c", files))
    assert problems(found)["ben"] is None
    assert sum(one.count for one in found.gathered.ignored) >= 30


def test_one_student_cannot_make_a_class_look_like_another_platforms(tmp_path):
    files = {f"s{number}/perceptron.ipynb": EMPTY for number in range(5)}
    files |= {
        "submission_metadata.yml": b"submission_1: {}",
        "x_1_2_a.ipynb": EMPTY,
        "m_1_assignsubmission_file_/a.ipynb": EMPTY,
    }
    files |= {"perceptron-a/x.ipynb": EMPTY, "a+perceptron+2024-01-01 00:00:00 UTC/a.ipynb": EMPTY}
    found = collect("perceptron", laid_out(tmp_path / "c", files))
    assert found.gathered.layout == "folder"
    assert {f"s{number}" for number in range(5)} <= set(files_of(found))


@pytest.mark.parametrize(
    ("beside", "more"),
    [({"readme.txt": b"hello"}, {}), ({"mallory.ipynb": EMPTY}, {"mallory": None}), ({"notes/a.txt": b"x"}, None)],
)
def test_what_lies_beside_the_folder_of_a_class_leaves_nobody_out(tmp_path, beside, more):
    files = {"class/ada/little.ipynb": EMPTY, "class/ben/little.ipynb": EMPTY, **beside}
    found = reasons(packed_by_zip(tmp_path / "class.zip", files))
    if more is not None:
        assert found == {"ada": None, "ben": None, **more}
    else:  # two folders: which is around whom cannot be told, and that is said
        assert "holds 2 notebooks" in (found["class"] or "")


def test_a_notebook_that_a_browser_saved_with_another_ending_is_taken(tmp_path):
    files = {"ada.ipynb.txt": EMPTY, "ben/perceptron.ipynb.json": EMPTY, "cy.ipynb": EMPTY}
    assert sorted(reasons(packed_by_zip(tmp_path / "a.zip", files)).items()) == [
        ("ada", None),
        ("ben", None),
        ("cy", None),
    ]
    canvas = {"doeann_1_2_perceptron.ipynb.txt": EMPTY, "leebob_3_4_perceptron.ipynb": EMPTY}
    assert set(reasons(packed_by_zip(tmp_path / "b.zip", canvas)).values()) == {None}
