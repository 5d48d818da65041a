"""Groups: several people, one submission; whoever of them handed in, it is everybody's, and nobody vanishes."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from redink.grader.course import Course
from redink.grader.desk.standings import find_standings, open_gradebook
from redink.grader.rules.groups import disputes, in_order
from redink.grader.rules.standing import Attempt, Standing
from tests.conftest import CENTRE, SCALE, Desk

ROSTER = (
    "id,name,email,group,github\n"
    "ada,Ada Lovelace,ada@x.edu,red,gh-ada\n"
    "ben,Ben Ali,ben@x.edu,red,gh-ben\n"
    "cy,Cy Young,cy@x.edu,blue,gh-cy\n"
    "dee,Dee Dee,dee@x.edu,blue,gh-dee\n"
    "eve,Eve O'Neil,eve@x.edu,,gh-eve\n"
)
WRONG = {SCALE: "def scale(X):\n    return 3 * X"}
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def desk(little: Desk) -> Desk:
    (little.root / "roster.csv").write_text(ROSTER)
    (little.root / "course.toml").write_text('roster = "roster.csv"\n[assignments.little]\ngroups = true\n')
    return little


def collect(desk: Desk, *words: object) -> dict[str, Any]:
    done = desk.redink("collect", "little", *words, "--json", "collected.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((desk.root / "collected.json").read_bytes())
    assert isinstance(found, dict)
    return found


def standings(desk: Desk) -> dict[str, Standing]:
    course = Course(desk.root)
    with open_gradebook(course, None, "test") as book:
        return find_standings(course, book, "little").by_student()


def rows(desk: Desk) -> dict[str, dict[str, str]]:
    done = desk.redink("export", "little", "--as", "csv", "--to", "grades.csv")
    assert done.returncode == 0, done.stderr
    text = (desk.root / "grades.csv").read_text(encoding="utf-8-sig")
    return {row["id"]: row for row in csv.DictReader(io.StringIO(text))}


def attempt(by: str, submission: int, hours: float | None = None, group: tuple[str, ...] = ("ada", "ben")) -> Attempt:
    when = None if hours is None else NOON + timedelta(hours=hours)
    return Attempt(
        number=1, file=by, sha256=f"{by}{submission}", source="path", handed_in=when, by=by, submission=submission,
        group=group,
    )  # fmt: skip


def test_whoever_of_a_group_hands_in_all_have_the_grade_in_every_place_that_tells_it(desk):
    desk.hand_in("ben", WRONG)
    desk.hand_in("eve")
    found = collect(desk, "class")
    assert [(one["student"], one["group"]) for one in found["receipts"]] == [("ben", ["ada"]), ("eve", [])]
    assert found["missing"] == ["cy", "dee"]
    assert desk.redink("grade", "little").returncode == 0
    exported = rows(desk)
    assert {id: row["grade"] for id, row in exported.items()} == {
        "ada": "60", "ben": "60", "cy": "", "dee": "", "eve": "100",
    }  # fmt: skip
    assert [exported[id]["group"] for id in ("ada", "ben", "eve")] == ["ben", "ada", ""]
    told = desk.redink("history", "ada", "little").stdout
    assert "What counts is attempt 1 by ben: ben/little.ipynb" in told
    assert "It is the submission of a group: ben, ada." in told
    assert "ben: attempt 1 graded: 60 points by the checks" in told
    assert desk.redink("report", "little", "--to", "report").returncode == 0
    page = (desk.root / "report/students/ada.md").read_text()
    assert "Handed in together with Ben Ali" in page
    assert "60" in page


def test_of_different_files_the_groups_last_counts_and_one_sentence_says_so(desk):
    desk.hand_in("ada", WRONG)
    desk.hand_in("ben")
    (desk.root / "times.csv").write_text("student,submitted_at\nada,2026-11-20 12:00\nben,2026-11-20 11:00\n")
    found = collect(desk, "class", "--times", "times.csv")
    sentence = "ada and ben are in one group and handed in different files: ada's was handed in last and counts"
    assert found["disputes"] == [f"{sentence} for ada and ben"]
    graded = desk.redink("grade", "little")
    assert graded.stdout.count("handed in different files") == 1
    assert {id: one.grade for id, one in standings(desk).items() if one.attempt} == {"ada": 60.0, "ben": 60.0}
    assert sentence in desk.redink("export", "little", "--as", "csv", "--to", "grades.csv").stdout
    assert sentence in desk.redink("history", "ben", "little").stdout
    assert desk.redink("report", "little", "--to", "report").returncode == 0
    assert sentence.replace("'", "&#39;") in (desk.root / "report/index.html").read_text()


def test_without_times_the_file_that_was_collected_last_counts_and_that_is_said(desk):
    desk.hand_in("ada")
    desk.hand_in("ben", WRONG)
    found = collect(desk, "class")
    assert "no times are known, so ben's, which was collected last, counts for ada and ben" in found["disputes"][0]


def test_the_same_file_from_two_of_a_group_is_no_dispute(desk):
    desk.hand_in("ada")
    desk.hand_in("ben")
    assert collect(desk, "class")["disputes"] == []


def test_the_best_of_a_groups_files_counts_where_the_best_attempt_does(desk):
    (desk.root / "course.toml").write_text('roster = "roster.csv"\n[defaults]\ngroups = true\ncounts = "best"\n')
    desk.hand_in("ada")
    desk.hand_in("ben", WRONG)
    assert "the best of them counts" in collect(desk, "class")["disputes"][0]
    assert desk.redink("grade", "little").returncode == 0
    assert {id: one.grade for id, one in standings(desk).items() if one.attempt} == {"ada": 100.0, "ben": 100.0}


def test_a_partners_new_attempt_changes_everybodys_grade_and_names_them_all(desk):
    desk.hand_in("ada", {**WRONG, CENTRE: "def centre(X):\n    return 5 * X"})
    assert desk.redink("grade", "little", "class").returncode == 0
    (desk.root / "class/ada").rename(desk.root / "old")
    desk.hand_in("ben", WRONG)
    done = desk.redink("grade", "little", "class")
    assert "changed: ada: 20 → 60" in done.stdout
    assert "changed: ben: 20 → 60" in done.stdout
    for old, new, asks in ((40, 50, "centre"), (40, 30, "scale")):
        desk.edit(desk.assignment / "assignment.toml", f'{old}\nasks = ["{asks}"]', f'{new}\nasks = ["{asks}"]')
    assert "ben, ada     60   70" in desk.redink("rejudge", "little").stdout


def test_a_folder_or_repository_may_have_the_groups_name(desk):
    desk.hand_in("blue")
    found = collect(desk, "class")
    assert found["unmatched"] == []
    assert [(one["student"], one["group"]) for one in found["receipts"]] == [("cy", ["dee"])]


def test_a_group_in_the_roster_means_nothing_unless_the_course_says_so(desk):
    (desk.root / "course.toml").write_text('roster = "roster.csv"\n')
    desk.hand_in("ada")
    found = collect(desk, "class")
    assert found["receipts"][0]["group"] == []
    assert set(found["missing"]) == {"ben", "cy", "dee", "eve"}


def test_a_roster_that_changes_later_changes_no_grade(desk):
    desk.hand_in("ada")
    collect(desk, "class")
    assert desk.redink("grade", "little").returncode == 0
    (desk.root / "roster.csv").write_text(ROSTER.replace("ben@x.edu,red", "ben@x.edu,blue"))
    assert {id: one.grade for id, one in standings(desk).items() if one.attempt} == {"ada": 100.0, "ben": 100.0}


@pytest.mark.parametrize("group", ["", "blue"])
def test_collecting_again_with_a_corrected_roster_takes_a_wrong_person_out_and_says_so(desk, group):
    desk.hand_in("ada")
    collect(desk, "class")
    assert desk.redink("grade", "little").returncode == 0
    (desk.root / "roster.csv").write_text(ROSTER.replace("ben@x.edu,red", f"ben@x.edu,{group}"))
    assert "1 taken out of a group, whose grade they no longer have: ben (of Ada Lovelace (ada))" in " ".join(
        desk.redink("collect", "little", "class").stdout.split()
    )
    assert collect(desk, "class")["receipts"][0]["taken_out"] == []
    assert "1 reused" in desk.redink("grade", "little").stdout
    assert {id: one.grade for id, one in standings(desk).items() if one.attempt} == {"ada": 100.0}
    assert [rows(desk)[id]["state"] for id in ("ada", "ben")] == ["graded", "missing"]
    assert desk.redink("report", "little", "--to", "report").returncode == 0
    assert "ben was taken out of its group when it was collected again" in (desk.root / "report/index.md").read_text()


def test_who_was_taken_out_by_mistake_is_put_back_by_collecting_once_more(desk):
    desk.hand_in("ada")
    collect(desk, "class")
    (desk.root / "roster.csv").write_text(ROSTER.replace("ben@x.edu,red", "ben@x.edu,"))
    collect(desk, "class")
    (desk.root / "roster.csv").write_text(ROSTER)
    assert collect(desk, "class")["receipts"][0]["group"] == ["ben"]
    assert desk.redink("grade", "little").returncode == 0
    assert {id: one.grade for id, one in standings(desk).items() if one.attempt} == {"ada": 100.0, "ben": 100.0}


def test_nobody_is_taken_out_where_nothing_says_who_is_in_the_group(desk):
    desk.hand_in("ada")
    collect(desk, "class")
    assert desk.redink("grade", "little", "class").returncode == 0
    (desk.root / "course.toml").write_text('roster = "roster.csv"\n')
    assert collect(desk, "class")["receipts"][0]["taken_out"] == []
    assert {id: one.grade for id, one in standings(desk).items() if one.attempt} == {"ada": 100.0, "ben": 100.0}


def test_a_decision_is_one_persons_and_the_others_are_named(desk):
    desk.hand_in("ada", WRONG)
    assert desk.redink("grade", "little", "class").returncode == 0
    done = desk.redink("override", "little", "ada", "90", "--why", "oral exam")
    assert "this is about ada alone; in the same group: ben" in done.stdout
    found = standings(desk)
    assert (found["ada"].grade, found["ben"].grade) == (90.0, 60.0)
    assert "oral exam" not in desk.redink("history", "ben", "little").stdout


METADATA = """---
submission_1:
  :submitters:
  - :name: Cy Young
    :email: cy@x.edu
  - :name: Ada Lovelace
    :email: ada@x.edu
  :created_at: 2026-11-20 10:00:00.000000000 Z
"""


@pytest.mark.parametrize("roster", [True, False])
def test_a_group_of_gradescope_is_its_people_and_nobody_besides(desk, roster):
    (desk.root / "course.toml").write_text('roster = "roster.csv"\n' if roster else "")
    desk.hand_in("submission_1", folder="export")
    (desk.root / "export/submission_metadata.yml").write_text(METADATA)
    found = collect(desk, "export")
    ids = ["ada", "cy"] if roster else ["ada@x.edu", "cy@x.edu"]
    assert [(one["student"], one["group"]) for one in found["receipts"]] == [(ids[0], ids[1:])]
    assert desk.redink("grade", "little").returncode == 0
    assert {id: one.grade for id, one in standings(desk).items() if one.attempt} == dict.fromkeys(ids, 100.0)


def test_who_left_a_group_of_gradescope_is_taken_out_when_its_export_is_collected_again(desk):
    (desk.root / "course.toml").write_text('roster = "roster.csv"\n')
    desk.hand_in("submission_1", folder="export")
    (desk.root / "export/submission_metadata.yml").write_text(METADATA)
    collect(desk, "export")
    alone = METADATA.replace("  - :name: Cy Young\n    :email: cy@x.edu\n", "")
    (desk.root / "export/submission_metadata.yml").write_text(alone)
    assert collect(desk, "export")["receipts"][0]["taken_out"] == ["cy"]


def test_with_groups_the_roster_completes_what_the_platform_forgot(desk):
    desk.hand_in("submission_1", folder="export")
    (desk.root / "export/submission_metadata.yml").write_text(METADATA)
    found = collect(desk, "export")
    assert [(one["student"], sorted(one["group"])) for one in found["receipts"]] == [("ada", ["ben", "cy", "dee"])]
    assert found["missing"] == ["eve"]


def test_two_of_a_group_with_the_same_code_are_not_alike(desk):
    body = "\n".join(f"    total_{n} = X[{n % 2}, 0] * {n} + sum(range({n}))" for n in range(30))
    code = {SCALE: f"def scale(X):\n{body}\n    return total_3"}
    for name in ("ada", "ben", "eve"):
        desk.hand_in(name, code)
    for name in ("cy", "dee"):
        desk.hand_in(name)
    assert desk.redink("grade", "little", "class").returncode == 0
    assert desk.redink("similar", "little", "--names", "--to", "alike", "--json", "alike.json").returncode == 0
    pairs = json.loads((desk.root / "alike.json").read_bytes())["pairs"]
    assert {(one["first"], one["second"]) for one in pairs} == {("ada", "eve"), ("ben", "eve")}


def test_attempts_are_ordered_by_time_only_where_every_time_is_known():
    late, early = attempt("ada", 1, 5), attempt("ben", 2, 1)
    assert in_order([late, early]) == [early, late]
    unknown = attempt("ben", 2)
    assert in_order([late, unknown]) == [late, unknown]


def test_a_dispute_is_told_once_for_all_of_a_group():
    both = [attempt("ada", 1, 0), attempt("ben", 2, 1)]
    assert len(disputes({"ada": both, "ben": both}, "last")) == 1
    assert disputes({"ada": both[:1]}, "last") == ()


def test_every_person_of_a_group_is_found_in_canvas_file(desk: Desk, tmp_path: Path):
    desk.hand_in("ben")
    assert desk.redink("grade", "little", "class").returncode == 0
    sheet = "Student,ID,SIS User ID,SIS Login ID,Section,Little (1)\n    Points Possible,,,,,100\n" + "".join(
        f'"{name}",{number},,{id},A,\n'
        for number, (id, name) in enumerate([("ada", "Lovelace, Ada"), ("ben", "Ali, Ben")])
    )
    (desk.root / "canvas.csv").write_text(sheet)
    done = desk.redink("export", "little", "--as", "canvas", "--into", "canvas.csv", "--column", "1")
    assert done.returncode == 0, done.stderr
    assert (desk.root / "canvas.filled.csv").read_text().count(",A,100\n") == 2
