"""The roster: read from what people and platforms write, and nobody is ever guessed."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.errors import CourseError
from redink.grader.rules.roster import Person, Roster, read_roster
from redink.grader.rules.tables import cell_saying, parse_table

OWN = "id,name,email,group,github\nada,Ada Lovelace,ada@x.edu,red,countess\nkurt,Kurt Gödel,kg@x.edu,red,\n"
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Perceptron (12345),Final Score\n"
    "    Points Possible,,,,,100,(read only)\n"
    '"Lovelace, Ada",401,s1,ada,A,,\n"Müller, Jörg",402,s2,jm,A,,\n"Student, Test",499,,abc,A,,\n'
)
MOODLE = '﻿Identifier,"Full name","Email address",Status,Grade\n"Participant 77","Ada Lovelace",ada@x.edu,Submitted,-\n'


def roster(tmp_path, text: str, encoding: str = "utf-8"):
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return read_roster(path)


def test_a_roster_of_ones_own(tmp_path):
    found = roster(tmp_path, OWN)
    assert [one.id for one in found.people] == ["ada", "kurt"]
    assert found["ada"].ids == {"github": "countess"}
    assert [one.id for one in found.group(found["kurt"])] == ["kurt", "ada"]


def test_the_gradebook_of_canvas_is_a_roster_without_its_rows_that_are_nobody(tmp_path):
    found = roster(tmp_path, CANVAS)
    assert [one.id for one in found.people] == ["401", "402"]
    assert found["402"].ids == {"canvas": "402", "sis": "s2", "login": "jm"}


def test_a_student_who_takes_the_name_of_canvas_s_test_student_stays_in_the_roster(tmp_path):
    found = roster(tmp_path, CANVAS + '"Student, Test",403,s3,eve,A,,\n')
    assert [one.id for one in found.people] == ["401", "402", "403"]


def test_a_worksheet_of_moodle_is_a_roster(tmp_path):
    found = roster(tmp_path, MOODLE)
    assert [(one.id, one.name, one.ids) for one in found.people] == [
        ("ada@x.edu", "Ada Lovelace", {"moodle": "Participant 77"})
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_any_usual_encoding_and_separator(tmp_path, encoding, separator):
    found = roster(tmp_path, OWN.replace(",", separator), encoding)
    assert [one.name for one in found.people] == ["Ada Lovelace", "Kurt Gödel"]


@pytest.mark.parametrize(
    ("key", "name", "ids"),
    [
        ("lovelaceada", "", {"canvas": "401"}),
        ("lovelaceada", "", {}),
        ("x", "Ada Lovelace", {}),
        ("x", "Lovelace, Ada", {}),
        ("ADA", "", {}),
        ("x", "", {"sis": "S1"}),
    ],
)
def test_a_person_is_found_by_an_id_or_by_the_whole_name(tmp_path, key, name, ids):
    found = roster(tmp_path, CANVAS).find(key, name, ids)
    assert found is not None
    assert found.id == "401"


@pytest.mark.parametrize(
    ("key", "name", "ids"),
    [
        ("Bob B_4712", "Bob B", {"moodle": "4712"}),
        ("bbob_4712", "", {"canvas": "4712"}),
        ("Bob B", "Bob B", {"gradescope": "4712"}),
        ("4712", "", {"github": "4712"}),  # whoever chose this name
    ],
)
def test_a_platforms_own_number_is_nobodys_id_elsewhere(tmp_path, key, name, ids):
    found = roster(tmp_path, "id,name\n4712,Ada Lovelace\n4713,Bob Boole\n")
    assert found.find(key, name, ids) is None
    assert not found.is_sure(found["4712"], key, ids)
    assert found.find("4712") is found["4712"]
    assert found.find("x", "", {"sis": "4712"}) is found["4712"]


@pytest.mark.parametrize("kind", ["github", "canvas", "moodle"])
def test_a_roster_may_know_people_by_a_platform_alone(tmp_path, kind):
    found = roster(tmp_path, f"{kind},name\n4712,Ada Lovelace\n")
    assert found.find("4712", "", {kind: "4712"}) is found["4712"]
    assert found["4712"].name == "Ada Lovelace"


def test_accents_do_not_matter_if_nobody_else_could_be_meant(tmp_path):
    found = roster(tmp_path, CANVAS).find("mullerjorg")
    assert found is not None
    assert found.id == "402"


def test_of_two_with_one_name_nobody_is_guessed(tmp_path):
    twins = roster(tmp_path, "id,name\na,Kim Lee\nb,Kim Lee\nc,Kim Leeson\n")
    assert twins.find("x", "Kim Lee") is None
    assert twins.find("b", "Kim Lee") is twins["b"]
    assert twins.find("x", "Lee") is None
    assert twins.find("", "") is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("id,name\na,Ada\na,Ben\n", "has a twice"),
        ("points,remarks\n3,good\n", "has no column that tells people apart"),
        ("", "is empty"),
    ],
)
def test_what_is_wrong_with_a_roster_is_one_sentence(tmp_path, text, complaint):
    with pytest.raises(CourseError, match=complaint):
        roster(tmp_path, text)


@given(st.text(alphabet=st.sampled_from('ab,;"\n\r\té\U0001f600 -'), max_size=80), st.booleans())
def test_a_table_that_was_not_touched_is_written_byte_for_byte_as_it_was(text, bom):
    data = (codecs.BOM_UTF8 if bom else b"") + text.encode()
    assert parse_table(data).bytes() == data


@given(st.binary(max_size=60))
def test_any_bytes_survive(data):
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        assert parse_table(data).bytes() == data


@given(st.text(alphabet=st.sampled_from('ab,;"\n\té'), max_size=20), st.sampled_from([",", ";", "\t"]))
def test_a_cell_says_what_it_was_told_to_say(text, separator):
    table = parse_table(f'id{separator}"grade"\r\nada{separator}"x"\r\n'.encode())
    cell = cell_saying(text, table.rows[1].cells[1], separator)
    again = parse_table(f'id{separator}"grade"\r\nada{separator}{cell.written}\r\n'.encode())
    assert again.rows[1].texts()[1] == text


def test_two_of_one_name_are_told_apart_by_moodles_number_as_it_writes_it_in_files_and_in_sheets(tmp_path):
    found = roster(tmp_path, "id,name,moodle\na,Ann Doe,Participant 71\nb,Ann Doe,Teilnehmer/in072\n")
    assert [person.id for number in ("71", "72") if (person := found.find("x", "Ann Doe", {"moodle": number}))] == [
        "a",
        "b",
    ]
    assert found.find("x", "Ann Doe", {"moodle": "73"}) is None


def test_names_that_differ_in_marks_are_two_names_and_accents_are_not_needed():
    roster = Roster((Person(id="ram", name="\u0930\u093e\u092e"), Person(id="ib", name="\u0130brahim O\u011flu")))
    assert roster.find("\u0930\u093e\u092e") == roster["ram"]
    assert roster.find("\u0930\u092e\u093e") is None
    for name in ("i\u0307brahimo\u011flu", "ibrahimoglu", "\u0130brahim O\u011flu"):
        assert roster.find(name) == roster["ib"]
