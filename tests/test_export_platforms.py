"""Grades into the files of Canvas, Moodle and Gradescope, as these write them: only the intended cells change."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys

import msgspec
import pytest

from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.export.accounting import account_lines
from redink.grader.rules.tables import parse_table
from redink.grader.store.gradebook import Gradebook
from tests.graded_class import export_as, hand_in, make_class

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Little One (12345),Other (12346),Assignments Current Score\r\n"
    ",,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,10.00,100.00,(read only)\r\n"
    '"Lovelace, Ada",401,s1,ada,"A and B",,3.00,91.2\r\n'
    '"Ali, Ben",402,s2,ben,A,,EX,\r\n'
    '"Young, Cy",403,s3,cy,A,,"",\r\n'
    '王小明,404,s4,dee,"A ""x""",,,\r\n'
    '"O\'Neil, Ève",405,s5,eve,B,,,\r\n'
    '"Stranger, Sam",406,s6,sam,B,7.00,,\r\n'
    '"Student, Test",499,,0fd3,A,,,\r\n'
)
MOODLE = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",'
    '"Last modified (submission)","Last modified (grade)","Feedback comments"\n'
    '"Participant 71","Ada Lovelace",ada@x.edu,"Submitted for grading",-,100.00,Yes,'
    '"Sunday, 1 March 2026, 10:00 AM",-,"say ""hi"", please"\n'
    '"Participant 72","Ben Ali",ben@x.edu,"Submitted for grading",,100.00,Yes,"Monday, 2 March 2026, 11:00 PM",-,\n'
    '"Participant 73","Cy Young",cy@x.edu,"No submission",-,100.00,Yes,-,-,\n'
    '"Participant 74","小明 王",dee@x.edu,Submitted,-,100.00,Yes,-,-,"two\nlines"\n'
    '"Participant 75","Ève O\'Neil",eve@x.edu,Submitted,,100.00,Yes,-,-,\n'
)
GERMAN = (
    "ID;Vollständiger Name;E-Mail-Adresse;Status;Bewertung;Bestwertung;Bewertung kann geändert werden;"
    "Zuletzt geändert (Abgabe);Zuletzt geändert (Bewertung);Feedback als Kommentar\r\n"
    "Teilnehmer/in71;Ada Lovelace;ada@x.edu;Abgegeben;-;20,00;Ja;-;-;\r\n"
    "Teilnehmer/in72;Ben Ali;ben@x.edu;Abgegeben;12,50;20,00;Ja;-;-;\r\n"
    "Teilnehmer/in75;Ève O'Neil;eve@x.edu;Abgegeben;;20,00;Nein;-;-;\r\n"
)
GRADESCOPE = (
    "First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,Submission ID,Submission Time\n"
    "Ada,Lovelace,s1,ada@x.edu,,,50.0,Ungraded,1,2026-03-01 10:00:00 +0100\n"
    "Ben,Ali,s2,BEN@x.edu,,10.0,50.0,Graded,2,2026-03-02 23:00:00 +0100\n"
    "Cy,Young,s3,cy@x.edu,,,50.0,Missing,,\n"
    "Ève,O'Neil,s5,eve@x.edu,,,50.0,Graded,3,\n"
)
COLUMN = "Little One (12345)"


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.setenv("REDINK_SECRET", "test")
    return make_class(tmp_path)


def lines(done) -> str:
    return "\n".join(account_lines(done))


def changed(before: str | bytes, after: bytes) -> dict[str, str]:
    """Return what the cells that differ say now, by the first cell of their row; the tables must be alike otherwise."""
    old, new = parse_table(before.encode() if isinstance(before, str) else before), parse_table(after)
    assert (old.bom, old.encoding, old.separator, len(old.rows)) == (
        new.bom,
        new.encoding,
        new.separator,
        len(new.rows),
    )
    found = {}
    for one, other in zip(old.rows, new.rows, strict=True):
        assert one.end == other.end
        for was, is_now in zip(one.cells, other.cells, strict=True):
            if was.written != is_now.written:
                assert one.cells[0].text not in found
                found[one.cells[0].text] = is_now.written
    return found


def test_a_gradebook_of_canvas_is_filled_and_every_other_byte_is_kept(course):
    data, done = export_as(course, "canvas", CANVAS, column=COLUMN)
    assert changed(CANVAS, data) == {"Lovelace, Ada": "7.00", "Ali, Ben": "5.00", "O'Neil, Ève": "0.00"}
    told = lines(done)
    assert f"3 grades in '{COLUMN}'" in told
    assert "of 10: scores × 0.1" in told
    assert "after lateness" in told
    assert "lateness took points from 1: Ben Ali (ben)" in told
    assert "1 blank, handed in nothing: Cy Young (cy)" in told
    assert "1 blank, not graded yet: 小明 王 (dee)" in told
    assert "1 rows of nobody in the gradebook, left as they are: Stranger, Sam (row 9)" in told
    assert "1 could not be graded and have 0: Ève O'Neil (eve)" in told
    assert told.endswith(f"written to {course / 'out.csv'}")


@pytest.mark.parametrize("column", ["little one (12345)", "Little One", "12345"])
def test_the_column_of_canvas_may_be_named_by_title_or_number(course, column):
    assert export_as(course, "canvas", CANVAS, column=column)[1].column == COLUMN


def test_without_a_column_one_is_suggested_and_nothing_is_written(course):
    with pytest.raises(CourseError, match=r'--column "Little One \(12345\)"; the others are \'Other \(12346\)\''):
        export_as(course, "canvas", CANVAS)
    assert not (course / "out.csv").exists()


@pytest.mark.parametrize("column", ["Assignments Current Score", "Section", "Litle", "ID"])
def test_a_column_that_is_not_there_or_read_only_is_refused_with_those_there_are(course, column):
    with pytest.raises(CourseError, match=r"no column .* that can be filled; it has: 'Little One \(12345\)'"):
        export_as(course, "canvas", CANVAS, column=column)


def test_two_columns_of_one_title_need_the_whole_name(course):
    twice = CANVAS.replace("Other (12346)", "Little One (12346)")
    with pytest.raises(CourseError, match="2 columns that 'Little One' could mean"):
        export_as(course, "canvas", twice, column="Little One")
    assert export_as(course, "canvas", twice, column="Little One (12346)")[1].maximum == 100


def test_an_excused_student_stays_excused_and_a_grade_that_stood_there_is_told(course):
    data, done = export_as(course, "canvas", CANVAS, column="Other")
    assert changed(CANVAS, data) == {"Lovelace, Ada": "70.00", "O'Neil, Ève": "0.00"}
    assert "1 left as they are: Ben Ali (ben): EX stays" in lines(done)
    assert "1 changed: Ada Lovelace (ada): 3.00 → 70.00" in lines(done)


def test_those_who_handed_in_nothing_have_zero_on_request_but_nobody_who_is_not_graded(course):
    data, _ = export_as(course, "canvas", CANVAS, column=COLUMN, missing_is_zero=True)
    assert changed(CANVAS, data)["Young, Cy"] == "0.00"
    assert "王小明" not in changed(CANVAS, data)


def test_a_zero_for_nothing_replaces_no_grade_that_a_teacher_wrote(course):
    theirs = CANVAS.replace('cy,A,,"",', 'cy,A,6.00,"",')
    data, done = export_as(course, "canvas", theirs, column=COLUMN, missing_is_zero=True)
    assert "Young, Cy" not in changed(theirs, data)
    assert "Cy Young (cy): handed in nothing; 6.00 stays" in lines(done)


def test_where_the_platform_deducts_scores_before_lateness_are_exported_and_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("REDINK_SECRET", "test")
    course = make_class(tmp_path, lateness="platform")
    data, done = export_as(course, "canvas", CANVAS, column=COLUMN)
    assert changed(CANVAS, data)["Ali, Ben"] == "7.00"
    assert "before lateness: the platform deducts for it" in lines(done)


def test_a_score_above_the_maximum_is_capped_and_listed_unless_told(course):
    hand_in(course, "dee", 110.0)
    data, done = export_as(course, "canvas", CANVAS, column=COLUMN)
    assert changed(CANVAS, data)["王小明"] == "10.00"
    assert "1 above the maximum, written as 10 (--above-maximum keeps them): 小明 王 (dee): 11" in lines(done)
    data, done = export_as(course, "canvas", CANVAS, column=COLUMN, above_maximum=True)
    assert changed(CANVAS, data)["王小明"] == "11.00"
    assert done.capped == ()


def test_overridden_people_are_listed_apart(course):
    with Gradebook(Course(course).gradebook_path(), Course(course).secret_name()) as book:
        book.decisions.override("little", "ben", "", 90.0, reason="oral", who="k")
    data, done = export_as(course, "canvas", CANVAS, column=COLUMN)
    assert changed(CANVAS, data)["Ali, Ben"] == "9.00"
    assert "1 set by a person: Ben Ali (ben)" in lines(done)


def test_a_student_with_a_grade_and_no_row_is_refused_with_the_list(course):
    hand_in(course, "zed", 50.0, name="Zed Zed")
    theirs = CANVAS.replace('"Ali, Ben",402,s2,ben', '"Else, Somebody",409,s9,else')
    with pytest.raises(CourseError) as refused:
        export_as(course, "canvas", theirs, column=COLUMN)
    told = str(refused.value).splitlines()
    assert told[0].startswith("nothing was written")
    assert told[1:] == [
        "  Ben Ali (ben) has a grade and no row",
        "add what the platform calls them to the roster (docs/instructor/export.md), or mend the file;",
        "who has left the course: take them out of the roster, and they are left out here",
    ]
    assert not (course / "out.csv").exists()


def test_who_has_left_the_course_stops_no_export_once_taken_out_of_the_roster(course):
    theirs = CANVAS.replace('"Ali, Ben",402,s2,ben', '"Else, Somebody",409,s9,else')
    roster = (course / "people.csv").read_text()
    (course / "people.csv").write_text("".join(line for line in roster.splitlines(True) if "Ben Ali" not in line))
    data, done = export_as(course, "canvas", theirs, column=COLUMN)
    assert changed(theirs, data)["Lovelace, Ada"] == "7.00"
    assert "1 with a grade who are neither in the file nor in the roster, and left out: ben" in lines(done)
    (course / "course.toml").write_text("")
    with pytest.raises(CourseError, match="ben has a grade and no row"):
        export_as(course, "canvas", theirs, column=COLUMN)


def test_a_student_without_a_grade_and_without_a_row_is_only_told(course):
    theirs = "".join(line for line in CANVAS.splitlines(keepends=True) if "Young" not in line)
    _, done = export_as(course, "canvas", theirs, column=COLUMN)
    assert "1 without a grade who are not in the file: Cy Young (cy)" in lines(done)


def test_two_rows_of_one_student_are_refused(course):
    twice = CANVAS + '"Lovelace, Ada",401,s1,ada,C,,,\r\n'
    with pytest.raises(CourseError, match=r"ada has several rows: Lovelace, Ada \(row 4\), Lovelace, Ada \(row 11\)"):
        export_as(course, "canvas", twice, column=COLUMN)


def test_ids_that_contradict_each_other_are_refused(course):
    mixed = CANVAS.replace("401,s1", "401,s2")
    with pytest.raises(CourseError, match=r"Lovelace, Ada \(row 4\) could be ada or ben"):
        export_as(course, "canvas", mixed, column=COLUMN)


def test_somebody_of_the_same_name_and_another_id_is_somebody_else(course):
    other = CANVAS.replace('"Stranger, Sam",406,s6,sam', '"Lovelace, Ada",406,s6,ada2')
    data, done = export_as(course, "canvas", other, column=COLUMN)
    assert parse_table(data).rows[8].texts()[5] == "7.00"
    assert done.nobodys == ("Lovelace, Ada (row 9)",)
    without = other.replace("401,s1,ada,", "498,,,")
    with pytest.raises(CourseError, match=r"Ada Lovelace .ada. has a grade and no row"):
        export_as(course, "canvas", without, column=COLUMN)


def test_a_worksheet_of_moodle_is_filled(course):
    data, done = export_as(course, "moodle", codecs.BOM_UTF8 + MOODLE.encode())
    assert changed(codecs.BOM_UTF8 + MOODLE.encode(), data) == {
        "Participant 71": "70.00",
        "Participant 72": "50.00",
        "Participant 75": "0.00",
    }
    assert done.column == "Grade"


def test_a_german_worksheet_has_german_numbers_and_a_locked_grade_stays(course):
    data, done = export_as(course, "moodle", GERMAN.encode("cp1252"))
    assert changed(GERMAN.encode("cp1252"), data) == {"Teilnehmer/in71": "14,00", "Teilnehmer/in72": "10,00"}
    assert done.maximum == 20
    assert "Ève O'Neil (eve): Moodle does not let this grade be changed" in lines(done)


def test_a_decimal_comma_in_a_file_of_commas_is_quoted(course):
    theirs = (
        "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung\n"
        '"Teilnehmer/in71",Ada,ada@x.edu,,,"15,50"\n"Teilnehmer/in72",Ben,ben@x.edu,,,"15,50"\n'
        '"Teilnehmer/in75",Eve,eve@x.edu,,,"15,50"\n'
    )
    data, _ = export_as(course, "moodle", theirs)
    assert changed(theirs, data) == {
        "Teilnehmer/in71": '"10,85"',
        "Teilnehmer/in72": '"7,75"',
        "Teilnehmer/in75": '"0,00"',
    }


def test_a_worksheet_in_a_language_that_nobody_foresaw_is_read_by_what_it_holds(course):
    theirs = (
        "識別子,氏名,メールアドレス,ステータス,評点,最大評点,変更可\n"
        "参加者 71,Ada,ada@x.edu,済,-,10,はい\n参加者 72,Ben,ben@x.edu,済,-,10,はい\n参加者 75,E,eve@x.edu,済,-,10,はい\n"
    )
    data, done = export_as(course, "moodle", theirs)
    assert changed(theirs, data) == {"参加者 71": "7", "参加者 72": "5", "参加者 75": "0"}
    assert done.column == "評点"
    unclear = theirs.replace("はい", "5")
    with pytest.raises(CourseError, match="say it with --column"):
        export_as(course, "moodle", unclear)
    assert export_as(course, "moodle", unclear, column="評点")[1].maximum == 10


def test_participants_are_numbered_anew_in_each_assignment_so_addresses_and_names_do_as_well(course):
    theirs = MOODLE.replace("Participant 7", "Participant 99").replace("ada@x.edu", "").replace("BEN", "ben")
    data, _ = export_as(course, "moodle", theirs)
    assert changed(theirs, data) == {
        "Participant 991": "70.00",
        "Participant 992": "50.00",
        "Participant 995": "0.00",
    }


def test_a_worksheet_that_uses_a_scale_is_refused(course):
    with pytest.raises(CourseError, match="uses a scale cannot be filled"):
        export_as(course, "moodle", MOODLE.replace("100.00", "Competent"))


def test_the_scores_of_gradescope_are_filled(course):
    data, done = export_as(course, "gradescope", GRADESCOPE)
    assert changed(GRADESCOPE, data) == {"Ada": "35", "Ben": "25", "Ève": "0"}
    assert (done.column, done.maximum) == ("Total Score", 50)


@pytest.mark.parametrize(
    ("format", "content", "complaint"),
    [
        ("canvas", MOODLE, "no header with Student and ID; its first row is: 'Identifier', 'Full name'"),
        ("canvas", CANVAS.replace("Points Possible", "Punkte"), "begins with Points Possible"),
        ("canvas", CANVAS.replace("10.00", ""), "has no points possible"),
        ("canvas", CANVAS.replace("10.00", "0"), "has 0 points possible"),
        ("canvas", "", "is empty"),
        ("moodle", CANVAS, "is no grading worksheet of Moodle"),
        ("moodle", MOODLE.splitlines()[0], "has no row of a participant"),
        ("gradescope", CANVAS, "it should have Email, Total Score and Max Points; it has: 'Student', 'ID'"),
        ("gradescope", GRADESCOPE.replace("50.0", "?"), "Max Points should be one number"),
        ("canvas", codecs.BOM_UTF16_LE + b"a\x00,\x00\x00\xd8", "bytes that are no text"),
        ("excel", CANVAS, "there is no format 'excel'; there are canvas, csv, gradescope, moodle"),
        ("canvas", None, "name the file that is to be filled with --into: the gradebook that Canvas exports"),
    ],
)
def test_what_is_not_such_a_file_is_refused_in_a_sentence(course, format, content, complaint):
    column = COLUMN if format == "canvas" else ""
    with pytest.raises(CourseError, match=complaint.replace("?", r"\?")):
        export_as(course, format, content, column=column)
    assert not (course / "out.csv").exists()


@pytest.mark.parametrize(
    ("format", "content", "column"),
    [("canvas", CANVAS, COLUMN), ("moodle", MOODLE, ""), ("moodle", GERMAN, ""), ("gradescope", GRADESCOPE, "")],
)
@pytest.mark.parametrize("zero", [False, True])
def test_a_file_that_was_filled_is_not_changed_by_filling_it_again(course, format, content, column, zero):
    once, _ = export_as(course, format, content, column=column, missing_is_zero=zero)
    again, done = export_as(course, format, once, column=column, missing_is_zero=zero)
    assert again == once
    assert all(one.old == one.new for one in done.filled)


def test_the_file_that_is_read_is_never_written(course):
    (course / "link.csv").symlink_to(course / "theirs.csv")
    for to in ("theirs.csv", "link.csv"):
        with pytest.raises(CourseError, match="is the file that is read"):
            export_as(course, "canvas", CANVAS, column=COLUMN, to=course / to)
    assert (course / "theirs.csv").read_bytes() == CANVAS.encode()


@pytest.mark.parametrize("name", ["people.csv", "course.toml", ".redink/gradebook.sqlite"])
def test_nothing_that_the_course_is_made_of_is_written_over(course, name):
    before = (course / name).read_bytes()
    with pytest.raises(CourseError, match="is a file of the course"):
        export_as(course, "csv", to=course / name)
    assert (course / name).read_bytes() == before


def test_by_default_the_filled_file_lies_beside_the_one_that_was_read(course):
    _, done = export_as(course, "canvas", CANVAS, column=COLUMN, to=None)
    assert done.to == str(course / "theirs.filled.csv")


def test_a_folder_that_is_not_there_or_a_full_disk_is_one_sentence_and_leaves_nothing(course, monkeypatch):
    with pytest.raises(CourseError, match=r"none/out.csv cannot be written: No such file"):
        export_as(course, "canvas", CANVAS, column=COLUMN, to=course / "none/out.csv")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (course / "out.csv").write_text("as it was")
    before = sorted(course.iterdir())
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CourseError, match="cannot be written: No space left on device"):
        export_as(course, "csv")
    assert (course / "out.csv").read_text() == "as it was"
    assert sorted({*course.iterdir()} - {course / "theirs.csv"}) == sorted({*before} - {course / "theirs.csv"})


def test_a_row_that_ends_early_gets_the_cells_up_to_its_grade(course):
    short = CANVAS.replace('"Ali, Ben",402,s2,ben,A,,EX,\r\n', '"Ali, Ben",402,s2\r\n')
    data, _ = export_as(course, "canvas", short, column=COLUMN)
    assert b'"Ali, Ben",402,s2,,,5.00\r\n' in data


def test_the_command_prints_the_account_or_writes_it_as_json(course):
    (course / "gradebook.csv").write_text(CANVAS, encoding="utf-8", newline="")

    def redink(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "redink_cli", "export", "little", "--as", "canvas", "--into", "gradebook.csv"]
        return subprocess.run([*command, *words], cwd=course, capture_output=True, text=True, check=False, timeout=60)

    done = redink("--column", COLUMN)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "written to gradebook.filled.csv"
    done = redink("--column", COLUMN, "--missing", "zero", "--json", "-")
    told = msgspec.json.decode(done.stdout)
    assert (told["column"], told["lateness"], told["to"]) == (COLUMN, "after", "gradebook.filled.csv")
    assert [one["student"] for one in told["filled"]] == ["ada", "ben", "cy", "eve"]
    assert told["blank"] == [{"student": "dee", "why": "not graded yet"}]
    assert told["names"]["ada"] == "Ada Lovelace (ada)"
    done = redink()
    assert done.returncode == 1
    assert done.stderr.startswith("redink: say which column of gradebook.csv to fill: --column")


def test_a_row_that_could_be_two_people_without_a_grade_stops_nobody(course):
    (course / "people.csv").write_text(
        (course / "people.csv").read_text("utf-8") + "kim1,Kim Lee,,,,\nkim2,Kim Lee,,,,\n", "utf-8"
    )
    theirs = CANVAS.replace('"Stranger, Sam",406,s6,sam', '"Lee, Kim",,,')
    data, done = export_as(course, "canvas", theirs, column=COLUMN)
    assert "Lee, Kim" not in changed(theirs, data)
    assert "Lee, Kim (row 9) could be kim1 or kim2" in lines(done)
    hand_in(course, "kim1", 50.0)
    with pytest.raises(CourseError, match=r"Lee, Kim \(row 9\) could be kim1 or kim2"):
        export_as(course, "canvas", theirs, column=COLUMN)


def test_a_numbered_column_that_canvas_calls_read_only_is_refused(course):
    theirs = CANVAS.replace("10.00", "(read only)")
    with pytest.raises(CourseError, match=r"no column .* that can be filled; it has: 'Other \(12346\)'$"):
        export_as(course, "canvas", theirs, column=COLUMN)


def test_a_worksheet_whose_first_column_has_no_numbers_is_refused(course):
    with pytest.raises(CourseError, match="its first column should hold Participant 123"):
        export_as(course, "moodle", MOODLE.replace("Participant 72", "Ben"))


def test_a_score_set_by_a_person_may_still_lose_by_the_platforms_own_deduction(tmp_path, monkeypatch):
    monkeypatch.setenv("REDINK_SECRET", "test")
    course = make_class(tmp_path, lateness="platform")
    with Gradebook(Course(course).gradebook_path(), Course(course).secret_name()) as book:
        book.decisions.override("little", "ben", "", 90.0, reason="oral", who="k")
    _, done = export_as(course, "canvas", CANVAS, column=COLUMN)
    assert "the platform may deduct for lateness from scores that a person set: Ben Ali (ben)" in lines(done)


def test_who_was_late_by_an_unknown_time_and_who_is_a_stranger_is_told(course):
    hand_in(course, "cy", 50.0, late=None, marked=True)
    hand_in(course, "sam", 50.0, ids={"canvas": "406"})
    data, done = export_as(course, "canvas", CANVAS, column=COLUMN)
    assert changed(CANVAS, data)["Stranger, Sam"] == "5.00"
    assert "1 were late by an unknown time, and nothing was taken for it: Cy Young (cy)" in lines(done)
    assert "1 handed in and are not in the roster: sam" in lines(done)


def test_a_link_that_is_written_to_stays_a_link(course):
    (course / "elsewhere.csv").write_text("old")
    (course / "link.csv").symlink_to(course / "elsewhere.csv")
    data, _ = export_as(course, "csv", to=course / "link.csv")
    assert (course / "link.csv").is_symlink()
    assert (course / "elsewhere.csv").read_bytes() == data


def test_who_takes_the_name_of_the_test_student_gets_the_grade_and_stops_nobodys(course):
    renamed = CANVAS.replace('"Ali, Ben"', '"Student, Test"')
    data, done = export_as(course, "canvas", renamed, column=COLUMN)
    rows = {one.texts()[1]: one.texts()[5] for one in parse_table(data).rows}
    assert (rows["402"], rows["499"]) == ("5.00", "")
    assert "499" not in lines(done) and "row 11" not in lines(done)


def test_the_row_of_the_test_student_stays_as_it_is_also_when_that_handed_in(course):
    hand_in(course, "studenttest_499", 30.0, ids={"canvas": "499"})
    data, done = export_as(course, "canvas", CANVAS, column=COLUMN)
    rows = {one.texts()[1]: one.texts()[5] for one in parse_table(data).rows}
    assert (rows["499"], rows["402"]) == ("", "5.00")
    assert "the row of Canvas' test student stays" in lines(done)


def test_the_column_of_another_assignment_is_refused(course):
    for slug, title in (("other", "The Other"), ("one", "One")):
        for place in ("assignments", "solutions"):
            (course / place / slug).mkdir(parents=True)
        text = (course / "assignments/little/assignment.toml").read_text()
        (course / "assignments" / slug / "assignment.toml").write_text(
            "\n".join([f'title = "{title}"', f'slug = "{slug}"', *text.splitlines()[2:]])
        )
    with pytest.raises(CourseError, match=r"'Other \(12346\)' is the column of other, not of little"):
        export_as(course, "canvas", CANVAS, column="Other (12346)")
    export_as(course, "canvas", CANVAS, column=COLUMN)
    export_as(course, "canvas", CANVAS.replace("Other (12346)", "Homework 2 (12346)"), column="12346")
