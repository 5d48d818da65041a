"""Whatever a teacher's file looks like, filling it changes the intended cells and nothing else, and only once."""

from __future__ import annotations

import codecs
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redink.grader.course import Course
from redink.grader.desk.standings import ClassStandings
from redink.grader.export.canvas import CanvasGradebook
from redink.grader.export.formats import Order
from redink.grader.export.matching import SheetRow, match_rows
from redink.grader.export.scaling import NumberStyle, scaled, style_of
from redink.grader.rules.course_rules import CourseRules
from redink.grader.rules.lateness import Lateness
from redink.grader.rules.roster import Person
from redink.grader.rules.standing import Standing
from redink.grader.rules.tables import parse_table

TEXTS = st.text(alphabet="aé王=-+'\", ;\n\u202e", max_size=8)
CELLS = st.sampled_from(["", "-", "EX", "N/A", "3", "7.50", "7,50", "1,000", "x"])
NUMBERS = st.floats(0, 120).map(lambda points: round(points, 2))


def written(text: str, separator: str, quoted: bool) -> str:
    needs = quoted or any(mark in text for mark in (separator, '"', "\n", "\r"))
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if needs else text


def standing(student: str, grade: float | None) -> Standing:
    return Standing(
        student=student, kind="missing" if grade is None else "graded", attempts=int(grade is not None), attempt=None,
        questions=(), checked=0.0, earned=grade or 0.0, late=Lateness(), taken=0.0, override=None, grade=grade,
        max_score=100.0,
    )  # fmt: skip


@st.composite
def gradebooks(draw) -> tuple[bytes, list[float | None], int]:
    """Make a file as Canvas writes it, or as a spreadsheet saves it again, and the grades of those in it."""
    separator = draw(st.sampled_from(",;\t"))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    bom, encoding = draw(
        st.sampled_from([(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")])
    )
    maximum = draw(st.sampled_from(["10", "10.00", "7", "100"]))
    grades = draw(st.lists(st.none() | NUMBERS, min_size=1, max_size=6))
    table = [["Student", "ID", "Section", "Little (1)", "Other (2)"], ["    Points Possible", "", "", maximum, "5"]]
    for at in range(len(grades)):
        table.append([draw(TEXTS), str(400 + at), draw(TEXTS), draw(CELLS), draw(CELLS)])
    lines = [
        separator.join(written(text, separator, draw(st.booleans())) for text in row)
        + (end if draw(st.booleans()) or at < len(table) - 1 else "")
        for at, row in enumerate(table)
    ]
    return bom + "".join(lines).encode(encoding), grades, len(table)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=gradebooks(), zero=st.booleans(), above=st.booleans())
def test_only_intended_cells_change_and_filling_again_changes_nothing(tmp_path: Path, made, zero, above):
    data, grades, count = made
    known = ClassStandings(
        assignment="little",
        rules=CourseRules(),
        standings=tuple(standing(f"s{at}", grade) for at, grade in enumerate(grades)),
        people={f"s{at}": Person(id=f"s{at}", ids={"canvas": str(400 + at)}) for at in range(len(grades))},
    )
    path = tmp_path / "theirs.csv"

    def filled(content: bytes) -> bytes:
        path.write_bytes(content)
        order = Order(
            course=Course(tmp_path), known=known, title="Little", into=path, column="1", missing_is_zero=zero,
            above_maximum=above,
        )  # fmt: skip
        return CanvasGradebook().export(order).data

    once = filled(data)
    old, new = parse_table(data), parse_table(once)
    assert len(old.rows) == len(new.rows) == count
    for at, (before, after) in enumerate(zip(old.rows, new.rows, strict=True)):
        assert before.end == after.end
        for column, (one, other) in enumerate(zip(before.cells, after.cells, strict=True)):
            intended = at >= 2 and column == 3 and (grades[at - 2] is not None or zero)
            assert one == other or intended
    assert filled(once) == once


@given(st.floats(0, 200), st.sampled_from(["1", "7", "10", "12.5", "100"]))
def test_a_score_is_scaled_to_the_nearest_hundredth(points, maximum):
    found = scaled(points, 100.0, Decimal(maximum))
    assert abs(found - Decimal(repr(points)) * Decimal(maximum) / 100) <= Decimal("0.005")


def test_halves_are_rounded_up_as_people_do():
    assert str(scaled(66.65, 100.0, Decimal(10))) == "6.67"
    assert str(scaled(66.45, 100.0, Decimal(10))) == "6.65"


@given(NUMBERS, st.sampled_from([".", ","]), st.booleans())
def test_a_number_that_is_written_is_read_back(points, mark, fixed):
    style = NumberStyle(mark=mark, fixed=fixed)
    value = scaled(points, 100.0, Decimal(100))
    assert style.read(style.write(value)) == value


@pytest.mark.parametrize(
    ("cells", "separator", "mark", "fixed"),
    [
        (["7.50", "10.00"], ",", ".", True),
        (["7,5", "10"], ",", ",", False),
        (["7,50", "-"], ";", ",", True),
        (["7.5", ""], ";", ".", False),
        (["10", "-"], ";", ",", False),
        (["10", "-"], ",", ".", False),
        (["1,000"], ",", ".", False),
        (["1.000"], ";", ",", False),
        ([], "\t", ".", False),
    ],
)
def test_the_decimal_mark_is_that_of_the_numbers_and_else_of_the_separator(cells, separator, mark, fixed):
    assert style_of(cells, separator) == NumberStyle(mark=mark, fixed=fixed)


@pytest.mark.parametrize(
    ("text", "mark", "value"),
    [
        ("1,000", ".", "1000"),
        ("1.000,5", ",", "1000.5"),
        ("1 000", ".", "1000"),
        (" 7.5 ", ".", "7.5"),
        ("7,5", ".", "7.5"),
        ("7.5", ",", "7.5"),
        ("1,2,3", ".", None),
        ("EX", ".", None),
        ("", ".", None),
        ("1e5", ".", None),
        ("٣", ".", None),
        ("-1", ".", "-1"),
    ],
)
def test_numbers_are_read_by_their_mark_or_not_at_all(text, mark, value):
    assert NumberStyle(mark=mark).read(text) == (None if value is None else Decimal(value))


def row(at: int, name: str = "", **ids: str) -> SheetRow:
    return SheetRow(at=at, name=name, ids=ids)


def match(rows: list[SheetRow], *people: Person) -> tuple[dict[str, int], list[int], list[str]]:
    found = match_rows(rows, {one.id: one for one in people})
    return (
        {student: one.at for student, one in found.rows.items()},
        [one.at for one in found.nobodys],
        [told for told, _ in found.trouble],
    )


KIM, LEE = Person(id="kim1", name="Kim Lee", email="k1@x"), Person(id="kim2", name="Kim Lee", email="k2@x")


def test_a_platforms_own_number_is_nobodys_student_number():
    rows = [SheetRow(at=0, name="B, Bob", ids={"canvas": "4712"})]
    assert match(rows, Person(id="4712", name="Ada Lovelace")) == ({}, [0], [])
    assert match(rows, Person(id="4712", ids={"canvas": "4711"})) == ({}, [0], [])
    assert match(rows, Person(id="4712", ids={"canvas": "4712"})) == ({"4712": 0}, [], [])
    assert match(rows, Person(id="4712")) == ({"4712": 0}, [], [])  # of whom nothing else is known


def test_two_people_of_one_name_are_told_apart_by_an_id_and_else_not_at_all():
    assert match([row(1, "Lee, Kim", email="K2@x"), row(2, "Kim Lee", email="k1@x")], KIM, LEE) == (
        {"kim2": 1, "kim1": 2},
        [],
        [],
    )
    assert match([row(1, "Kim Lee")], KIM, LEE) == ({}, [], ["Kim Lee (row 2) could be kim1 or kim2"])


def test_a_login_may_be_the_address_and_the_gradebooks_id_any_id():
    assert match([row(1, "?", login="k1@x"), row(2, "?", sis="KIM2")], KIM, LEE)[0] == {"kim1": 1, "kim2": 2}


@pytest.mark.parametrize("identifier", ["Participant 71", "Teilnehmer/in71", "参加者 71", "71", "Participant 071"])
def test_a_participant_is_known_by_the_number_in_any_language(identifier):
    assert match([row(1, moodle=identifier)], Person(id="ada", ids={"moodle": "Participant 71"}))[0] == {"ada": 1}


def test_a_row_is_never_found_by_a_name_that_somebody_with_another_id_has():
    ada = Person(id="ada", name="Ada Lovelace", ids={"canvas": "401"})
    assert match([row(1, "Lovelace, Ada", canvas="555")], ada) == ({}, [1], [])
    assert match([row(1, "Lovelace, Ada")], ada) == ({"ada": 1}, [], [])


def test_whoever_was_found_by_an_id_is_not_looked_for_by_name():
    ada = Person(id="ada", name="Ada Lovelace", ids={"moodle": "71"})
    assert match([row(1, "Ada Lovelace", moodle="71"), row(2, "Ada Lovelace")], ada) == ({"ada": 1}, [2], [])
