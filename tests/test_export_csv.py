"""Our own CSV of a class: how grades came about, by question and by topic, and nothing in it that a spreadsheet runs."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.errors import CourseError
from redink.grader.course import Course
from redink.grader.export.accounting import account_lines
from redink.grader.export.own_csv import COLUMNS
from redink.grader.rules.tables import harmless
from redink.grader.store.gradebook import Gradebook
from tests.graded_class import export_as, hand_in, make_class

CHECKS = '''
from redink.checks import check


@check("a", covers="T1 T2")
def a_0(rng):
    """It holds."""
    return dict()


@check("a", covers="T2")
def a_1(rng):
    """It holds too."""
    return dict()
'''
HIDDEN = '''
from redink.checks import check


@check("b", covers="T3")
def b_0(rng):
    """It holds as well."""
    return dict()
'''


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.setenv("REDINK_SECRET", "test")
    return make_class(tmp_path)


def rows(data: bytes) -> dict[str, dict[str, str]]:
    return {one["id"]: one for one in csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))}


def test_a_row_says_how_the_grade_came_about(course):
    found = rows(export_as(course, "csv")[0])
    assert list(found) == ["ada", "ben", "cy", "dee", "eve"]
    assert tuple(found["ada"]) == (*COLUMNS, "q:a", "q:b", "q:more")
    assert found["ben"] == {
        "id": "ben", "name": "Ben Ali", "email": "ben@x.edu", "attempt": "1", "handed_in": "2026-03-03T01:00:00+01:00",
        "days_late": "2", "checked": "70", "earned": "70", "taken": "20", "override": "", "grade": "50",
        "state": "graded", "reason": "", "group": "", "q:a": "60", "q:b": "10", "q:more": "0",
    }  # fmt: skip
    assert [found["cy"][name] for name in ("attempt", "handed_in", "days_late", "checked", "grade", "state")] == [
        "", "", "", "", "", "missing",
    ]  # fmt: skip
    assert [found["dee"][name] for name in ("attempt", "grade", "state", "q:a")] == ["1", "", "not_graded", ""]
    assert [found["eve"][name] for name in ("grade", "state", "reason")] == ["0", "ungradable", "not a notebook"]


def test_it_opens_in_a_spreadsheet_with_every_name(course):
    data, done = export_as(course, "csv")
    assert data.startswith(b"\xef\xbb\xbf")
    assert rows(data)["dee"]["name"] == "小明 王"
    told = list(account_lines(done))
    assert told[0] == "3 grades"
    assert "1 blank, handed in nothing: Cy Young (cy)" in told


def test_zero_for_those_who_handed_in_nothing_on_request(course):
    found = rows(export_as(course, "csv", missing_is_zero=True)[0])
    assert (found["cy"]["grade"], found["dee"]["grade"]) == ("0", "")


def test_an_override_of_the_whole_stands_beside_what_was_earned(course):
    with Gradebook(Course(course).gradebook_path(), Course(course).secret_name()) as book:
        book.decisions.override("little", "ada", "", 88.0, reason="oral", who="k")
    found = rows(export_as(course, "csv")[0])["ada"]
    assert (found["earned"], found["override"], found["grade"]) == ("70", "88", "88")


def test_a_column_for_each_topic_has_the_share_of_the_points_of_its_checks(course):
    (course / "assignments/little/checks.py").write_text(CHECKS)
    (course / "solutions/little/hidden_checks.py").write_text(HIDDEN)
    (course / "docs").mkdir()
    (course / "docs/topics.csv").write_text('row,topic,assignment\nT1,"Sets, convex",little\nT2,Cones,little\n')
    hand_in(course, "cy", 45.0)
    found = rows(export_as(course, "csv", by="topic")[0])
    assert list(found["cy"])[len(COLUMNS) :] == ["t:T1 Sets, convex", "t:T2 Cones", "t:T3"]
    assert list(found["cy"].values())[len(COLUMNS) :] == ["1", "0.75", "0"]
    assert list(found["ada"].values())[len(COLUMNS) :] == ["1", "1", "0.5"]
    assert list(found["eve"].values())[len(COLUMNS) :] == ["", "", ""]
    with Gradebook(Course(course).gradebook_path(), Course(course).secret_name()) as book:
        book.decisions.void("little", "a_1", True, reason="unfair", who="k")
    assert rows(export_as(course, "csv", by="topic")[0])["cy"]["t:T2 Cones"] == "1"


def test_without_marks_of_topics_there_are_no_columns_of_topics(course):
    (course / "assignments/little/checks.py").write_text(
        CHECKS.replace('covers="T1 T2"', "").replace('covers="T2"', "")
    )
    with pytest.raises(CourseError, match="no check of little says which topics it covers"):
        export_as(course, "csv", by="topic")


@pytest.mark.parametrize("option", [{"column": "x"}, {"above_maximum": True}, {"into": "theirs.csv"}])
def test_options_of_platforms_mean_nothing_here_and_are_refused(course, option):
    with pytest.raises(CourseError, match="are for files of a platform"):
        export_as(course, "csv", **option)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", " =", "＝"])
def test_a_name_that_is_a_formula_is_not_run_by_a_spreadsheet(course, start):
    hand_in(course, "zed", 50.0, name=f"{start}HYPERLINK(0)", email=f"a;{start}1+1")
    found = rows(export_as(course, "csv")[0])["zed"]
    assert found["name"].startswith("'")
    assert found["email"].startswith("a;'")


@given(st.text(alphabet="=+-@ab ,;\t\n'\"", max_size=12))
def test_however_a_harmless_text_is_split_no_part_begins_like_a_formula(text):
    for separator in ",;\t\n":
        for part in harmless(text).split(separator):
            assert not part.lstrip(" ").startswith(("=", "+", "-", "@"))
    assert harmless(text).replace("'", "") == text.replace("'", "")


def test_a_class_without_a_roster_is_written_as_it_handed_in(course):
    (course / "course.toml").write_text("")
    assert list(rows(export_as(course, "csv")[0])) == ["ada", "ben", "dee", "eve"]
