"""Names that look like another's: told, never merged, and never taken for the other's."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.grader.course import Course
from redink.grader.export.accounting import account_lines
from redink.grader.export.matching import SheetRow, match_rows
from redink.grader.pages.facts import StudentFacts, class_facts
from redink.grader.pages.packing import page_name
from redink.grader.pages.rendering import class_html, class_markdown
from redink.grader.pipeline.collect import collect
from redink.grader.rules.roster import Person, Roster, read_roster
from redink.grader.store.gradebook import Gradebook
from redink.texts import look_alikes, same_letters
from tests.conftest import Desk
from tests.graded_class import export_as, hand_in, make_class

EMPTY = b'{"cells": []}'
ALIKE = {  # pairs of different names, and how the second is written where it is told
    "one letter of another alphabet": ("ada", "\u0430da", "\\u0430da"),
    "all letters of another alphabet": ("copa", "\u0441\u043e\u0440\u0430", "\\u0441\\u043e\\u0440\\u0430"),
    "greek": ("Ben", "\u0392en", "\\u0392en"),
    "armenian": ("lou", "l\u0585\u057d", "l\\u0585\\u057d"),
    "two blanks": ("ada b", "ada  b", "ada\\x20 b"),
    "a blank before": ("ada", " ada", "\\x20ada"),
    "a blank after": ("ada", "ada ", "ada\\x20"),
    "an accent of its own": ("M\u00fcller", "Mu\u0308ller", "Mu\\u0308ller"),
    "wide letters": ("ada", "\uff41da", "\\uff41da"),
    "bold letters": ("ada", "\U0001d41ada", "\\U0001d41ada"),
    "another dash": ("ada-b", "ada\u2010b", "ada\\u2010b"),
    "capital i": ("lan", "Ian", "Ian"),
    "a digit": ("lO", "l0", "l0"),
    "a dotless i": ("mira", "m\u0131ra", "m\\u0131ra"),
}
DIFFERENT = [
    ("ada", "Ada"),
    ("ada", "adà"),
    ("ada", "ida"),
    ("s10", "s11"),
    ("Иван", "Ivan"),
    ("小明", "小王"),
    ("a", "b"),
]


@pytest.mark.parametrize(
    ("one", "other", "spelt"), [pair for pair in ALIKE.values() if pair[2]], ids=lambda text: ascii(text)
)
def test_names_that_look_alike_are_told_with_what_differs(one, other, spelt):
    (line,) = look_alikes([one, other, "zoe"])
    assert line.isprintable()
    assert spelt in line
    assert "zoe" not in line
    assert look_alikes([one, one]) == ()


@pytest.mark.parametrize("pair", DIFFERENT, ids=ascii)
def test_names_that_can_be_told_apart_are_left_alone(pair):
    assert look_alikes(pair) == ()


def test_very_many_names_that_look_alike_are_a_few_short_lines():
    crowd = [f"ada{' ' * blanks}{number}" for number in range(50) for blanks in range(1, 40)]
    told = look_alikes(crowd)
    assert len(told) == 13
    assert told[-1] == "38 more groups of names look alike"
    assert all(len(line) <= 300 for line in told)


def test_they_are_two_students_with_two_files_and_every_page_says_that_they_look_alike():
    for one, other, _ in ALIKE.values():
        assert page_name(one) != page_name(other)
        students = [StudentFacts(student=name, name="", kind="missing", grade=None) for name in (one, other)]
        facts = class_facts("Little", students, ())
        assert "look alike" in class_html(facts)
        assert "look alike" in class_markdown(facts)


def test_an_export_says_who_looks_like_whom_and_writes_both(tmp_path, monkeypatch):
    monkeypatch.setenv("REDINK_SECRET", "test")
    course = make_class(tmp_path)
    hand_in(course, "\u0430da", 10.0)
    data, done = export_as(course, "csv")
    assert "\u0430da," in data.decode() and "\nada," in data.decode()
    assert "names that look alike and are different: \\u0430da and ada" in list(account_lines(done))


def test_a_class_keeps_both_and_says_so(little: Desk):
    folder = little.root / "class"
    for number, name in enumerate(["ada", "\u0430da", "ada b", "ada  b"]):
        (folder / name).mkdir(parents=True)
        (folder / name / "little.ipynb").write_bytes(EMPTY + b" " * number)
    done = little.redink("collect", "little", folder)
    assert done.returncode == 0, done.stderr
    assert "different: \\u0430da and ada" in done.stdout
    assert "different: ada b and ada\\x20 b" in done.stdout
    course = Course(little.root)
    with Gradebook(course.gradebook_path(), course.secret_name()) as book:
        attempts = book.collected.attempts("little")
    assert {name: len(each) for name, each in attempts.items()} == {"ada": 1, "\u0430da": 1, "ada b": 1, "ada  b": 1}
    assert len({each[0].sha256 for each in attempts.values()}) == 4


# -- matching with the roster ------------------------------------------------------------------------------------------

ROSTER = "id,name,email,canvas,github\nada,Ada Lovelace,ada@x.edu,401,countess\nkim,Kim Weiss,kim@x.edu,402,\n"


@pytest.fixture
def people(tmp_path: Path) -> Roster:
    path = tmp_path / "people.csv"
    path.write_text(ROSTER, encoding="utf-8")
    return read_roster(path)


@pytest.mark.parametrize(
    "name",
    [
        *("\u0430da", "\uff41da", "\U0001d41ada", "\u212aim", "\u1d2cda"),
        *("\u0430da Lovelace", "\uff21da Lovelace", "Ada Love\u217cace", "Ada Lovela\u0441e"),
    ],
    ids=ascii,
)
def test_letters_of_other_alphabets_never_pass_for_somebody(people, name):
    assert people.find(name) is None
    assert people.find("x", name) is None


@pytest.mark.parametrize(
    "name", ["ADA", "Ada Lovelace", "LOVELACE, ADA", "lovelaceada", "Adá Lovelace", "Kim Weiß", "KIM WEISS"]
)
def test_honest_ways_of_writing_still_do(people, name):
    assert people.find(name) is not None


@pytest.mark.parametrize("ids", [{"canvas": "999"}, {"email": "eve@x.edu"}, {"github": "eve"}])
def test_a_name_is_not_believed_where_an_id_contradicts_it(people, ids):
    assert people.find("lovelaceada_999", "Ada Lovelace", ids) is None
    assert people.find("ada", "", ids) is None
    assert people.find("x", "Kim Weiss", {"github": "kw"}) is people["kim"]  # of whom no such id is known


def test_a_platform_s_own_id_is_believed_though_others_are_out_of_date(people):
    assert people.find("x", "A. Byron", {"canvas": "401", "email": "ada@elsewhere.org"}) is people["ada"]


def test_who_has_only_the_name_takes_nothing_from_the_one_who_has_the_id(people, tmp_path):
    folder = tmp_path / "class"
    for name in ("ada", "Ada Lovelace", "kim"):
        (folder / name).mkdir(parents=True)
        (folder / name / "little.ipynb").write_bytes(EMPTY)
    found = collect("little", folder, roster=people)
    assert {one.id: one.problem for one in found.found} == {"ada": None, "Ada Lovelace": None, "kim": None}
    assert found.unmatched == ("Ada Lovelace",)


def test_a_row_of_a_platform_is_nobody_s_by_a_name_that_only_looks_like_one():
    people = {"ada": Person(id="ada", name="Ada Lovelace")}
    rows = [SheetRow(at=1, name="\u0410da Lovelace", ids={}), SheetRow(at=2, name="Lovelace, Ada", ids={})]
    matches = match_rows(rows, people)
    assert (matches.rows, matches.nobodys, matches.trouble) == ({"ada": rows[1]}, (rows[0],), ())


def test_letters_are_compared_small_and_each_in_its_own_alphabet():
    assert same_letters("MÜLLER Иван") == same_letters("müller иВАН") == "müller иван"
    assert same_letters("\u212a\u017f") == "\u212a\u017f"
