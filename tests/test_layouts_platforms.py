"""A class as each platform hands it over: recognised by its content, told in one line, and everybody in it accounted for."""

from __future__ import annotations

import sys
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from redink.errors import CourseError
from redink.grader import plug_ins
from redink.grader.intake.layouts import recognising
from redink.grader.intake.layouts.gathered import Gathered, Sought, Taken, gathered
from redink.grader.pipeline.collect import Collected, collect
from redink.grader.pipeline.load import load
from tests.handing_in import EMPTY, Files, packed_by_tar, packed_by_zip, zip_bytes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")


def laid_out(top: Path, files: Files) -> Path:
    """Write files into a folder, as after unpacking a download."""
    for name, data in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(data)
    return top


HOW = {
    "unpacked": lambda path, files: laid_out(path / "download", files),
    "zip": lambda path, files: packed_by_zip(path / "download.zip", files),
    "tar": lambda path, files: packed_by_tar(path / "download.tgz", files, "w:gz"),
    "zip in a folder": lambda path, files: (
        packed_by_zip(laid_out(path / "d", {"README.md": b""}) / "x.zip", files).parent
    ),
    "folder around": lambda path, files: packed_by_zip(
        path / "d.zip", {f"week 3/{name}": data for name, data in files.items()}
    ),
}
anyhow = pytest.mark.parametrize("how", HOW)


def by_student(found: Collected) -> dict[str, Taken]:
    last = {one.student: one for one in sorted(found.gathered.taken, key=lambda one: one.attempt or 0)}
    assert {one.id for one in found.found} == {name.partition("+")[0] for name in last}  # a group is its first person's
    return last


def problems(found: Collected) -> dict[str, str | None]:
    return {one.id: load(one).reason for one in found.found}


def is_accounted_for(found: Collected, files: Files) -> None:
    """Each file is taken by somebody, or ignored with a reason, and none is both."""
    count = sum(bool(one.place) for one in found.gathered.taken) + sum(one.count for one in found.gathered.ignored)
    assert count == len(files)
    assert all(one.reason for one in found.gathered.ignored)


# -- Canvas ----------------------------------------------------------------------------------------------------------

CANVAS: Files = {
    "doeann_LATE_40527_700961_perceptron.ipynb": EMPTY,
    "leebob_40528_700900_perceptron.ipynb": b"1",
    "leebob_40528_700962_perceptron-1.ipynb": b"2",
    "leebob_40528_700990_perceptron-2.ipynb": EMPTY,
    "kimcho_40529_700963_Week 3_final_2.ipynb": EMPTY,
    "李小龙_40530_700964_perceptron.ipynb": EMPTY,
    "oneiljoe_40531_text.html": b"<p>here it is</p>",
    "oneilmoe_LATE_40532_700965_report.pdf": b"%PDF",
    "paul_40533_link.html": b"",
    "paul_40533_700966_perceptron.ipynb": EMPTY,
    "quist_40534_700967_homework.zip": b"",
    "doeann_40535_700968_perceptron.py": b"w = 1",
}


def canvas() -> Files:
    return {**CANVAS, "quist_40534_700967_homework.zip": zip_bytes({"hw/perceptron.ipynb": EMPTY})}


@anyhow
def test_a_canvas_download_is_recognised_and_told_in_one_line(tmp_path, how):
    files = canvas()
    found = collect("perceptron", HOW[how](tmp_path, files))
    assert found.gathered.layout == "canvas"
    assert found.gathered.told == (
        "Canvas download: 12 files, 9 students, 2 late, 1 resubmitted, 2 without a usable notebook"
    )
    is_accounted_for(found, files)
    assert problems(found) == {
        **dict.fromkeys(
            (
                "doeann_40527",
                "leebob_40528",
                "kimcho_40529",
                "李小龙_40530",
                "paul_40533",
                "quist_40534",
                "doeann_40535",
            )
        ),
        "oneiljoe_40531": "oneiljoe_40531 handed in a text entry, not a file",
        "oneilmoe_40532": (
            "the hand-in of oneilmoe_40532 holds no notebook, only oneilmoe_LATE_40532_700965_report.pdf, which is a PDF"
        ),
    }


def test_canvas_tells_ids_lateness_and_attempts(tmp_path):
    found = collect("perceptron", packed_by_zip(tmp_path / "submissions.zip", canvas()))
    last = by_student(found)
    assert (last["doeann_40527"].ids, last["doeann_40527"].name) == ({"canvas": "40527"}, "doeann")
    assert {id for id, one in last.items() if one.late} == {"doeann_40527", "oneilmoe_40532"}
    again = [(one.attempt, one.file) for one in found.gathered.taken if one.student == "leebob_40528"]
    assert again == [
        (1, "leebob_40528_700900_perceptron.ipynb"),
        (2, "leebob_40528_700962_perceptron-1.ipynb"),
        (3, "leebob_40528_700990_perceptron-2.ipynb"),
    ]
    (counts,) = [load(one) for one in found.found if one.id == "leebob_40528"]
    assert counts.data == EMPTY
    assert last["quist_40534"].file == "quist_40534_700967_homework.zip/hw/perceptron.ipynb"


def test_canvas_anonymous_and_its_test_student(tmp_path):
    files = {
        "anon_xY12_LATE_7_1_a.ipynb": EMPTY,
        "anon_91_700_perceptron.ipynb": EMPTY,
        "studenttest_5_6_x.ipynb": EMPTY,
    }
    last = by_student(collect("perceptron", packed_by_zip(tmp_path / "a.zip", files)))
    assert last["anon_91"].ids == {"anonymous": "91"}
    assert last["anon_91"].name is None
    assert last["studenttest_5"].flags == ("this looks like the test student of Canvas",)


def test_another_notebook_of_a_canvas_student_is_no_attempt(tmp_path):
    files = {"a_1_9_notes-3.ipynb": b"x", "a_1_8_perceptron.ipynb": EMPTY, "b_2_7_perceptron.ipynb": EMPTY}
    found = collect("perceptron", packed_by_zip(tmp_path / "a.zip", files))
    assert by_student(found)["a_1"].file == "a_1_8_perceptron.ipynb"
    assert [(one.file, one.reason) for one in found.gathered.ignored] == [
        ("a_1_9_notes-3.ipynb", "a_1_8_perceptron.ipynb is taken")
    ]


# -- Moodle ----------------------------------------------------------------------------------------------------------

MOODLE: Files = {
    "Ann Doe_40527_assignsubmission_file_/perceptron.ipynb": EMPTY,
    "Ann Doe_40527_assignsubmission_onlinetext_/onlinetext.html": b"",
    "Ann Doe_40528_assignsubmission_file/work/my perceptron.ipynb": EMPTY,
    "Jean-Luc O'Neil_40529_assignsubmission_file_/answers.docx": b"PK",
    "Zoë Ÿ_40530_assignsubmission_onlinetext_/onlinetext.html": b"",
    "Participant_40531_assignsubmission_file_/perceptron.ipynb": EMPTY,
}


@anyhow
def test_a_moodle_download_is_recognised_and_a_typed_text_makes_no_second_student(tmp_path, how):
    found = collect("perceptron", HOW[how](tmp_path, MOODLE))
    assert found.gathered.layout == "moodle"
    assert found.gathered.told == "Moodle download: 6 files, 5 students, 2 without a usable notebook"
    is_accounted_for(found, MOODLE)
    docx = "Jean-Luc O'Neil_40529_assignsubmission_file_/answers.docx"
    assert problems(found) == {
        "Ann Doe_40527": None,
        "Ann Doe_40528": None,
        "Jean-Luc O'Neil_40529": (
            f"the hand-in of Jean-Luc O'Neil_40529 holds no notebook, only {docx}, which is a text document"
        ),
        "Zoë Ÿ_40530": "Zoë Ÿ_40530 typed a text in the browser and handed in no file",
        "Participant_40531": None,
    }
    last = by_student(found)
    assert (last["Ann Doe_40528"].name, last["Ann Doe_40528"].ids) == ("Ann Doe", {"moodle": "40528"})
    assert last["Participant_40531"].name is None


def test_a_flat_moodle_download_is_recognised(tmp_path):
    files = {
        "Ann Doe_1_assignsubmission_file_perceptron.ipynb": EMPTY,
        "Ann Doe_1_assignsubmission_file_notes.pdf": b"",
        "Ann Doe_1_assignsubmission_onlinetext_onlinetext.html": b"",
        "Group A_2_assignsubmission_file_x_1.ipynb": EMPTY,
        "Default group_assignsubmission_file_x.ipynb": EMPTY,
    }
    found = collect("perceptron", laid_out(tmp_path / "d", files))
    assert problems(found) == {"Ann Doe_1": None, "Group A_2": None, "Default group": None}
    is_accounted_for(found, files)


# -- Gradescope ------------------------------------------------------------------------------------------------------

METADATA = b"""---
submission_123:
  :submitters:
  - :name: Ada Lovelace
    :sid: '00123'
    :email: ada@example.edu
  :created_at: 2024-02-01 10:00:00.123456789 -08:00
  :score: 10.0
  :results: &1
    tests:
    - output: |
        submission_9:
          :submitters: nobody
submission_124:
  :submitters:
  - :name: "Ben \\xC4"
    :sid:
    :email: ben@example.edu
  - :name: 'Cy O''Neil'
    :email: cy@example.edu
  :created_at: 2024-02-02 09:00:00 Z
  :results: *1
submission_130:
  :submitters:
  - :name: Ada Lovelace
    :email: ada@example.edu
  :created_at: 2024-02-03T10:00:00+01:00
submission_131:
  :submitters:
  - :name: Gone
"""
GRADESCOPE: Files = {
    "assignment_7_export/submission_metadata.yml": METADATA,
    "assignment_7_export/submission_123/perceptron.ipynb": b"1",
    "assignment_7_export/submission_124/perceptron.ipynb": EMPTY,
    "assignment_7_export/submission_124/data/points.csv": b"",
    "assignment_7_export/submission_125/answer.ipynb": EMPTY,
    "assignment_7_export/submission_130/perceptron.ipynb": EMPTY,
}


@anyhow
def test_a_gradescope_export_is_recognised_with_groups_attempts_and_times(tmp_path, how):
    found = collect("perceptron", HOW[how](tmp_path, GRADESCOPE))
    assert found.gathered.told == (
        "Gradescope export: 5 files, 4 students, 1 resubmitted, 1 without a usable notebook, 1 to look at"
    )
    last = by_student(found)
    ada = last["ada@example.edu"]
    assert ada.ids == {"email": "ada@example.edu", "gradescope": "130"}
    assert (ada.attempt, ada.handed_in) == (2, datetime(2024, 2, 3, 9, tzinfo=UTC))
    first = next(one for one in found.gathered.taken if one.file == "submission_123/perceptron.ipynb")
    assert first.ids["sis"] == "00123"
    assert first.handed_in == datetime(2024, 2, 1, 10, 0, 0, 123456, tzinfo=timezone(timedelta(hours=-8)))
    group = last["ben@example.edu+cy@example.edu"]
    assert [one.name for one in group.members] == ["Ben Ä", "Cy O'Neil"]
    handed = next(one.handed for one in found.found if one.id == "ben@example.edu")
    assert handed is not None
    assert (handed.name, handed.email, handed.members) == ("Ben Ä", "ben@example.edu", ("cy@example.edu",))
    assert last["submission_125"].flags == ("submission_metadata.yml does not say whose submission_125 is",)
    assert last["Gone"].problem == "submission_metadata.yml names submission_131, and there is no such folder"


BAD_METADATA = {
    "no YAML": b"{[}",
    "no text": b"\xff\xfe\x00",
    "a list": b"- 1\n",
    "nothing": b"",
    "a tag that would run something": b"!!python/object/apply:os.system ['touch /tmp/pwned']",
    "many references": b"a: &a [1]\n" + b"".join(b"b%d: [*a, *a, *a]\n" % n for n in range(1000)),
    "deep": b"[" * 10_000,
    "deep mappings": b"{a: " * 10_000,
    "odd people": b"submission_1: {':submitters': [1, [2], {':name': {a: b}}], ':created_at': 2024-99-99 99:99:99 Z}",
    "a name of a megabyte": b"submission_1: {':submitters': [{':name': '" + b"x" * 2**20 + b"'}]}",
}


@pytest.mark.parametrize("case", BAD_METADATA)
def test_metadata_of_any_kind_costs_names_and_nobodys_notebook(tmp_path, case):
    files = {
        "submission_metadata.yml": BAD_METADATA[case],
        "submission_1/a.ipynb": EMPTY,
        "submission_2/a.ipynb": EMPTY,
    }
    found = collect("perceptron", packed_by_zip(tmp_path / "a.zip", files))
    assert found.gathered.layout == "gradescope"
    usable = [one for one in found.found if load(one).reason is None]
    assert len(usable) == 2
    assert all(len(one.id) < 300 and one.id.isprintable() for one in found.found)


# -- nbgrader --------------------------------------------------------------------------------------------------------

SUBMITTED: Files = {
    "submitted/ada/perceptron/perceptron.ipynb": EMPTY,
    "submitted/ada/perceptron/timestamp.txt": b"2015-02-02 14:58:23.948203 America/Los_Angeles\n",
    "submitted/ada/ridge/ridge.ipynb": b"another assignment",
    "submitted/ben/perceptron/Untitled.ipynb": EMPTY,
    "submitted/ben/perceptron/timestamp.txt": b"2015-02-03 14:58:23 UTC",
    "submitted/cy/ridge/ridge.ipynb": EMPTY,
    "submitted/dan/perceptron/perceptron.html": b"",
    "submitted/eve/perceptron/perceptron.ipynb": EMPTY,
    "submitted/eve/perceptron/timestamp.txt": b"\x1b[2Jyesterday",
}


@anyhow
def test_nbgraders_submitted_folder_is_recognised_with_times(tmp_path, how):
    found = collect("perceptron", HOW[how](tmp_path, SUBMITTED))
    assert found.gathered.layout == "nbgrader"
    last = by_student(found)
    assert set(last) == {"ada", "ben", "dan", "eve"}
    assert last["ada"].handed_in is not None
    assert last["ada"].handed_in.astimezone(UTC) == datetime(2015, 2, 2, 22, 58, 23, 948203, tzinfo=UTC)
    assert last["ben"].handed_in == datetime(2015, 2, 3, 14, 58, 23, tzinfo=UTC)
    assert last["eve"].handed_in is None
    assert last["eve"].flags == ("its time cannot be read: [2Jyesterday",)
    assert [(one.student, one.reason) for one in found.gathered.ignored] == [("cy", "holds no folder perceptron")]
    assert "only dan/perceptron/perceptron.html, which is a web page" in (problems(found)["dan"] or "")


def test_a_course_of_nbgraders_is_read_from_its_root(tmp_path):
    files = {**SUBMITTED, "source/perceptron/perceptron.ipynb": b"s", "release/perceptron/perceptron.ipynb": b"r"}
    assert set(by_student(collect("perceptron", laid_out(tmp_path / "course", files)))) == {"ada", "ben", "dan", "eve"}


def test_the_inbound_folder_of_nbgraders_exchange_has_attempts_by_time(tmp_path):
    files = {
        "ada+perceptron+2024-02-02 10:00:00.000001 UTC+x/perceptron.ipynb": EMPTY,
        "ada+perceptron+2024-02-01 10:00:00.000001 UTC+y/perceptron.ipynb": b"1",
        "ben+perceptron+2024-02-01 10:00:00 UTC/perceptron.ipynb": EMPTY,
        "ben+ridge+2024-02-01 10:00:00 UTC/ridge.ipynb": EMPTY,
    }
    found = collect("perceptron", laid_out(tmp_path / "inbound", files))
    assert found.gathered.told == "nbgrader folder: 4 files, 2 students, 1 resubmitted"
    assert problems(found) == {"ada": None, "ben": None}
    assert by_student(found)["ada"].handed_in == datetime(2024, 2, 2, 10, 0, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize("around", ["", "downloaded/perceptron/archive/", "downloaded/perceptron/extracted/"])
def test_files_that_nbgrader_collects_from_archives_are_read(tmp_path, around):
    files = {
        "Week 3_ada_attempt_2016-01-30-20-30-10_perceptron.ipynb": EMPTY,
        "Week 3_ada_attempt_2016-01-30-20-30-10.txt": b"what the platform says of it",
        "Week 3_ben_attempt_2016-01-30-20-30-10_perceptron.ipynb": b"1",
        "Week 3_ben_attempt_2016-02-01-20-30-10_perceptron.ipynb": EMPTY,
    }
    found = collect("perceptron", laid_out(tmp_path / "c", {f"{around}{name}": data for name, data in files.items()}))
    assert found.gathered.layout == "nbgrader"
    assert problems(found) == {"ada": None, "ben": None}
    assert by_student(found)["ben"].handed_in == datetime(2016, 2, 1, 20, 30, 10, tzinfo=UTC)


# -- GitHub Classroom ------------------------------------------------------------------------------------------------


@anyhow
def test_clones_of_github_classroom_are_named_by_their_users(tmp_path, how):
    files = {
        "perceptron-ada/perceptron.ipynb": EMPTY,
        "perceptron-ada/.github/classroom/autograding.json": b"{}",
        "perceptron-ben-b/notebooks/perceptron.ipynb": EMPTY,
        "perceptron-cy/README.md": b"",
        "fall-perceptron-dan/perceptron.ipynb": EMPTY,
    }
    found = collect("perceptron", HOW[how](tmp_path, files))
    assert found.gathered.layout == "classroom"
    assert problems(found) == {
        "ada": None,
        "ben-b": None,
        "cy": "the folder perceptron-cy holds no notebook",
        "dan": None,
    }
    assert by_student(found)["ben-b"].ids == {"github": "ben-b"}


# -- choosing the layout ---------------------------------------------------------------------------------------------


def test_a_layout_can_be_insisted_on(tmp_path):
    path = packed_by_zip(tmp_path / "a.zip", {"doe_1_2_a.ipynb": EMPTY, "x_3_4_b.ipynb": EMPTY})
    assert set(by_student(collect("perceptron", path))) == {"doe_1", "x_3"}
    assert set(by_student(collect("perceptron", path, insist="folder"))) == {"doe_1_2_a", "x_3_4_b"}


def test_an_unknown_layout_is_told_with_the_known_ones(tmp_path):
    with pytest.raises(
        CourseError, match=r"there is no layout 'canvass'; there are gradescope, moodle, canvas, nbgrader"
    ):
        collect("perceptron", tmp_path, insist="canvass")


def test_insisting_on_what_it_is_not_says_what_was_ignored(tmp_path):
    path = packed_by_zip(tmp_path / "a.zip", {"ada.ipynb": EMPTY})
    with pytest.raises(CourseError, match=r"1 file ignored: ada.ipynb \(not named as Canvas names files\)"):
        collect("perceptron", path, insist="canvas")


class Ilias:
    """A layout of another package."""

    name, title = "ilias", "ILIAS download"

    def recognise(self, tree, sought: Sought) -> bool:
        return any(one.name == "ilias.txt" for one in tree.entries())

    def read(self, tree, sought: Sought) -> Gathered:
        one = Taken(student="ada", file="x/a.ipynb", tree=tree, place=("x", "a.ipynb"))
        return gathered(self.name, self.title, [one], [])


@pytest.mark.parametrize("made", [Ilias, Ilias()])
def test_other_packages_add_layouts(tmp_path, monkeypatch, made):
    class Point:
        name = "ilias"

        def load(self):
            return made

    monkeypatch.setattr(plug_ins, "entry_points", lambda group: [Point()] if group == "redink.intake" else [])
    plug_ins.plug_ins.cache_clear()
    try:
        found = collect("perceptron", laid_out(tmp_path / "d", {"ilias.txt": b"", "x/a.ipynb": EMPTY}))
        assert found.gathered.told == "ILIAS download: 1 file, 1 student"
        assert "ilias" in recognising.layouts()
    finally:
        plug_ins.plug_ins.cache_clear()


def test_a_layout_of_another_package_that_fails_is_one_sentence(tmp_path, monkeypatch):
    class Point:
        name = "broken"

        def load(self):
            raise ImportError("no module named x")

    monkeypatch.setattr(plug_ins, "entry_points", lambda group: [Point()])
    plug_ins.plug_ins.cache_clear()
    with pytest.raises(CourseError, match="the layout broken of another package fails"):
        collect("perceptron", laid_out(tmp_path / "d", {"ada.ipynb": EMPTY}))
    plug_ins.plug_ins.cache_clear()


# -- a platform that nobody knows --------------------------------------------------------------------------------------


def test_a_pattern_reads_the_names_of_an_unknown_platform(tmp_path):
    files = {
        "Ann_Doe_123_hw_1.ipynb": EMPTY,
        "Bo_77_x.ipynb": EMPTY,
        "Cy_78_x.pdf": b"",
        "Bo_Li_s12_x.ipynb": EMPTY,
        "odd.ipynb": EMPTY,
    }
    found = collect("perceptron", laid_out(tmp_path / "d", files), names="{name}_{id}_{file}")
    last = by_student(found)
    assert (last["Ann_Doe_123"].name, last["Ann_Doe_123"].ids) == ("Ann_Doe", {"id": "123"})
    assert problems(found) == {
        "Ann_Doe_123": None,
        "Bo_77": None,
        "Cy_78": "the hand-in of Cy_78 holds no notebook, only Cy_78_x.pdf, which is a PDF",
        "Bo_Li_s12_x.ipynb": (
            "Bo_Li_s12_x.ipynb fits the pattern in 2 ways: "
            "name Bo, id Li, file s12_x.ipynb or name Bo_Li, id s12, file x.ipynb"
        ),
    }
    assert [(one.file, one.reason) for one in found.gathered.ignored] == [("odd.ipynb", "does not fit the pattern")]
    is_accounted_for(found, files)


@pytest.mark.parametrize(
    ("pattern", "path", "student"),
    [
        ("{id}/{file}", "17/deep/perceptron.ipynb", "17"),
        ("{name} ({email})/{file}", "Ann Doe (a@b.c)/perceptron.ipynb", "Ann Doe"),
        ("{skip}-{id}-try{attempt}-{file}", "HW-3-17-try2-x.ipynb", "17"),
        ("[{name}].*+?_{file}", "[Ann].*+?_x.ipynb", "Ann"),
    ],
)
def test_a_pattern_has_fields_and_is_no_regular_expression(tmp_path, pattern, path, student):
    assert set(by_student(collect("perceptron", laid_out(tmp_path / "d", {path: EMPTY}), names=pattern))) == {student}


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("{name}{id}_{file}", "nothing stands between {name} and {id}"),
        ("{nme}_{file}", "{nme} is no field; the fields are {name}, {id}, {email}, {attempt}, {file}, {skip}"),
        ("{name", "a brace lacks its other half"),
        ("{file}", "it must have {file}, and {name}, {id} or {email}"),
        ("{id}_{id}_{file}", "{id} stands in it twice"),
        ("", "it must have {file}"),
    ],
)
def test_a_wrong_pattern_is_one_clear_sentence(tmp_path, pattern, told):
    with pytest.raises(CourseError) as error:
        collect("perceptron", tmp_path, names=pattern)
    assert told in str(error.value)
    assert str(error.value).endswith("for example {name}_{id}_{file}")


@pytest.mark.parametrize(
    "name",
    [
        "i\u0307brahimo\u011fluzlatan",
        unicodedata.normalize("NFD", "m\u00fcllerj\u00fcrgen"),
        "\u0936\u0930\u094d\u092e\u093e\u0905\u0928\u093f\u0932",
        "\u0e43\u0e08\u0e14\u0e35\u0e2a\u0e38\u0e17\u0e34\u0e19",
        "m?llerj?rgen",
        "m#U00fcllerj#U00fcrgen",
    ],
)
def test_canvas_names_of_any_script_are_taken(tmp_path, name):
    files = {f"{name}_41000_700001_perceptron.ipynb": EMPTY, "doeann_40527_700002_perceptron.ipynb": EMPTY}
    found = collect("perceptron", packed_by_zip(tmp_path / "a.zip", files), insist="canvas")
    assert found.gathered.layout == "canvas"
    assert {one.handed.ids["canvas"] for one in found.found if one.handed} == {"41000", "40527"}
    assert not found.gathered.ignored


def test_a_canvas_download_full_of_combining_marks_is_still_one(tmp_path):
    files = {f"i\u0307pek{letter}_4100{at}_7_perceptron.ipynb": EMPTY for at, letter in enumerate("abc")}
    assert collect("perceptron", packed_by_zip(tmp_path / "a.zip", files)).gathered.layout == "canvas"


def test_a_notebook_that_is_nobodys_is_told_apart_from_what_is_ignored(tmp_path):
    files = {**canvas(), "my best work.ipynb": EMPTY}
    found = collect("perceptron", packed_by_zip(tmp_path / "a.zip", files))
    told = "1 notebook is nobody's, and not taken: my best work.ipynb (not named as Canvas names files)"
    assert [line for line in found.gathered.lines() if line.startswith(told)]
    assert not [
        line for line in collect("perceptron", laid_out(tmp_path / "b", canvas())).gathered.lines() if "nobody" in line
    ]
