"""A made-up class in every layout: collected, graded, and everybody accounted for."""

from __future__ import annotations

import contextlib
import csv
import html
import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import made_up_class
from tests.conftest import SCALE, Desk, environment, write_notebook
from tests.handing_in import EMPTY, packed_by_zip, zip_bytes
from tests.whole_way import SCORES, made_up, standings, walk

SIZE = 40


def collect(desk: Desk, *words: object) -> dict[str, Any]:
    done = desk.redink("collect", "little", *words, "--json", "collected.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((desk.root / "collected.json").read_bytes())
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("layout", made_up_class.LAYOUTS)
def test_everybody_is_accounted_for_in_every_layout(little: Desk, tmp_path: Path, layout: str):
    made = made_up(little, SIZE)
    walked = walk(little, made, layout, tmp_path / "handed_in")
    assert walked.students == SIZE
    expected, found = made.expected(), standings(little)
    for student in made.students:
        what, one = expected[student.login], found[student.login]
        if what in SCORES:
            assert (one.kind, one.checked) == ("graded", SCORES[what]), (student, one.reason)
        else:
            assert one.kind == what, student
    late = [one for one in made.students if one.kind == "late"]
    if layout in ("gradescope", "nbgrader"):  # these tell the time
        assert {found[one.login].grade for one in late} == {80.0}
        assert not any(found[one.login].late.late for one in made.students if one.kind not in ("late", "missing"))
    elif layout == "canvas":  # this says that it was late, and not by how much
        assert all(found[one.login].late.unknown and found[one.login].grade == 100.0 for one in late)
    again = collect(little, walked.source)
    assert not any(one["new"] for one in again["receipts"])


def test_the_same_class_in_another_layout_is_the_same_attempts(little: Desk, tmp_path: Path):
    made = made_up(little, 12)
    collect(little, made_up_class.canvas(made, tmp_path))
    again = collect(little, made_up_class.moodle_folders(made, tmp_path))
    assert not any(one["new"] for one in again["receipts"])


def test_a_dry_run_keeps_nothing_and_says_the_same(little: Desk, tmp_path: Path):
    made = made_up(little, 12)
    source = made_up_class.canvas(made, tmp_path)
    dry = collect(little, source, "--dry-run")
    assert not little.book.exists()
    assert dry["dry"]
    assert dry["receipts"] == collect(little, source)["receipts"]


def test_whom_the_roster_does_not_know_is_taken_and_named(little: Desk, tmp_path: Path):
    made = made_up(little, 12)
    roster = (little.root / "roster.csv").read_text().splitlines()
    (little.root / "short.csv").write_text("\n".join([roster[0], *roster[2:]]) + "\n")
    found = collect(little, made_up_class.folder(made, tmp_path), "--roster", "short.csv")
    assert found["unmatched"] == [made.students[0].login]
    assert made.students[0].login in {one["student"] for one in found["receipts"]}


def test_times_come_from_a_file_and_hold(little: Desk, tmp_path: Path):
    made = made_up(little, 12)
    source = made_up_class.folder(made, tmp_path)
    collect(little, source)
    who = made.students[0].login
    (little.root / "times.csv").write_text(f"student,submitted_at\n{who},2026-11-21 10:00\nnobody,2026-11-21 10:00\n")
    found = collect(little, source, "--times", "times.csv")
    assert found["untimed"] == ["nobody"]
    one = standings(little)[who]
    assert (one.late.days, one.attempts) == (1, 1)
    collect(little, source)
    assert standings(little)[who].late.days == 1
    (little.root / "times.csv").write_text(
        'Identifier,Full name,"Last modified (submission)"\n'
        f'Participant {made.students[0].moodle},x,"Friday, 20 November 2026, 11:00 PM"\n'
    )
    collect(little, source, "--times", "times.csv")
    assert standings(little)[who].late.days == 0


def test_a_later_attempt_counts_and_the_earlier_one_stays(little: Desk, tmp_path: Path):
    little.hand_in("ada", {SCALE: "def scale(X):\n    return 3 * X"})
    collect(little, "class")
    assert little.redink("grade", "little").returncode == 0
    little.hand_in("ada")
    collect(little, "class")
    assert standings(little)["ada"].kind == "not_graded"
    done = little.redink("grade", "little")
    assert "changed: ada: 60 → 100" in done.stdout
    (little.root / "course.toml").write_text('[defaults]\ncounts = "best"\n')
    little.hand_in("ada", {SCALE: "def scale(X):\n    return 4 * X"})
    collect(little, "class")
    assert little.redink("grade", "little").returncode == 0
    one = standings(little)["ada"]
    assert (one.attempts, one.attempt and one.attempt.number, one.grade) == (3, 2, 100.0)
    assert "3 reused" in little.redink("grade", "little").stdout


def test_a_receipt_holds_nothing_that_a_spreadsheet_runs(little: Desk):
    (little.root / "class/=1+1").mkdir(parents=True)
    (little.root / "class/=1+1/little.ipynb").write_bytes(EMPTY)
    (little.root / "class/ada").mkdir()
    (little.root / "class/ada/@SUM(1).ipynb").write_bytes(EMPTY)
    collect(little, "class", "--receipts", "receipts.csv")
    with (little.root / "receipts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [one["student"] for one in rows] == ["'=1+1", "ada"]
    assert not [text for one in rows for text in one.values() if text.startswith(("=", "+", "-", "@"))]


@pytest.mark.parametrize(
    "time",
    [
        "0001-01-01 00:00:00 UTC",
        "0001-01-01 00:00:00 Asia/Tokyo",
        "9999-12-31 23:59:59 UTC",
        "9999-12-31 23:59:59 -10:00",
    ],
)
def test_a_time_that_no_clock_has_shown_stops_nobody(little: Desk, time: str):
    made_up(little, 1)
    for name in ("ada", "eve"):
        (little.root / "submitted" / name / "little").mkdir(parents=True)
        (little.root / "submitted" / name / "little/little.ipynb").write_bytes(EMPTY)
    (little.root / "submitted/eve/little/timestamp.txt").write_text(time)
    found = collect(little, "submitted")
    flags = {one["student"]: one["flags"] for one in found["receipts"]}
    assert flags == {"ada": [], "eve": [f"its time cannot be read: {time}"]}
    now = standings(little)
    assert (now["ada"].kind, now["eve"].kind) == ("not_graded", "not_graded")


def test_receipts_can_be_sent_back(little: Desk, tmp_path: Path):
    made = made_up(little, 12)
    collect(little, made_up_class.gradescope(made, tmp_path), "--receipts", "receipts.csv")
    with (little.root / "receipts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(made.handed_in())
    assert all(len(row["sha256"]) == 64 for row in rows if not row["problem"])
    assert all(row["handed_in"].startswith("2026-11-2") for row in rows)


def test_nothing_collected_is_one_sentence(little: Desk):
    done = little.redink("grade", "little")
    assert done.returncode == 1
    assert "nothing was collected for little: `redink collect little SOURCE`" in done.stderr


def test_an_interrupted_collection_goes_on(little: Desk, tmp_path: Path):
    made = made_up(little, 12)
    source = made_up_class.folder(made, tmp_path)
    for at, one in enumerate(made.handed_in()):
        if at > 4:
            (source / one.login).rename(tmp_path / one.login)
    first = collect(little, source)
    for at, one in enumerate(made.handed_in()):
        if at > 4:
            (tmp_path / one.login).rename(source / one.login)
    second = collect(little, source)
    assert sum(one["new"] for one in first["receipts"]) == 5
    assert sum(one["new"] for one in second["receipts"]) == len(made.handed_in()) - 5
    with sqlite3.connect(little.book) as db:
        assert db.execute("SELECT max(attempt) FROM submissions").fetchone() == (1,)


def test_of_repositories_the_last_commits_before_a_time_are_taken_and_believed(little: Desk, tmp_path: Path):
    made = made_up(little, 12)
    source = made_up_class.repositories(made, tmp_path)
    found = collect(little, source, "--before", "2026-11-20 23:59")
    times = {one["student"]: one["handed_in"] for one in found["receipts"]}
    late = {one.login for one in made.students if one.kind == "late"}
    assert all(
        times[one.login] == one.handed_in.strftime("%Y-%m-%dT%H:%M:%SZ")
        for one in made.handed_in()
        if one.login not in late
    )
    assert {
        one["student"]: bool(one["problem"]) for one in found["receipts"] if one["student"] in late
    } == dict.fromkeys(late, True)


def test_killed_at_any_moment_a_collection_goes_on_and_nothing_is_lost_or_taken_twice(little: Desk, tmp_path: Path):
    made = made_up(little, SIZE)
    source = made_up_class.moodle_folders(made, tmp_path)
    for delay in (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4):
        command = little.command("collect", "little", source)
        with subprocess.Popen(command, cwd=little.root, env=environment(), stdout=-3, stderr=-3) as process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(delay)
            process.kill()
    collected = collect(little, source)
    assert {one["student"] for one in collected["receipts"]} == {one.login for one in made.handed_in()}
    found = standings(little)
    assert all(found[one.login].attempts == 1 for one in made.handed_in())
    with sqlite3.connect(little.book) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT count(*) FROM files").fetchone() == (
            sum(one.kind != "pdf" for one in made.handed_in()),
        )


def attempts_of_ada(little: Desk) -> list[bytes]:
    """Three notebooks that ada wrote, one after the other."""
    written = []
    for factor in (3, 4, 5):
        little.hand_in("ada", {SCALE: f"def scale(X):\n    return {factor} * X"})
        written.append((little.root / "class/ada/little.ipynb").read_bytes())
    return written


def test_the_same_download_twice_is_the_same_attempts_also_of_who_has_several(little: Desk, tmp_path: Path):
    made_up(little, 1)
    first, second, third = attempts_of_ada(little)
    names = ("adaada_7_1_little.ipynb", "adaada_7_2_little-1.ipynb", "adaada_LATE_7_3_little-2.ipynb")
    source = packed_by_zip(tmp_path / "a.zip", dict(zip(names, (first, second, third), strict=True)))
    (little.root / "times.csv").write_text("student,submitted_at\nadaada_7,2026-11-21 10:00\n")
    collect(little, source, "--times", "times.csv")
    assert "1 reused" not in little.redink("grade", "little").stdout
    before = standings(little)["adaada_7"]
    assert (before.kind, before.attempts) == ("graded", 3)
    again = collect(little, source)
    assert [(one["attempt"], one["new"], one["late"]) for one in again["receipts"]] == [
        (1, False, False),
        (2, False, False),
        (3, False, False),
    ]
    turned = packed_by_zip(tmp_path / "b.zip", dict(zip(names, (third, first, second), strict=True)))
    assert [one["attempt"] for one in collect(little, turned)["receipts"]] == [3, 1, 2]
    assert little.redink("grade", "little").returncode == 0
    assert standings(little)["adaada_7"] == before


def test_an_older_download_by_mistake_changes_nothing(little: Desk, tmp_path: Path):
    made_up(little, 1)
    first, second, _ = attempts_of_ada(little)
    old, new = (
        packed_by_zip(tmp_path / name, {"adaada_7_1_little.ipynb": one})
        for name, one in (("1.zip", first), ("2.zip", second))
    )
    for source in (old, new, old):
        found = collect(little, source)
    assert [(one["attempt"], one["new"]) for one in found["receipts"]] == [(1, False)]
    one = standings(little)["adaada_7"]
    assert (one.attempts, one.attempt and one.attempt.number) == (2, 2)


def test_what_was_handed_in_again_after_something_else_is_graded(little: Desk, tmp_path: Path):
    made_up(little, 1)
    first, second, _ = attempts_of_ada(little)
    names = ("adaada_7_1_little.ipynb", "adaada_7_2_little-1.ipynb", "adaada_7_3_little-2.ipynb")
    collect(little, packed_by_zip(tmp_path / "1.zip", {names[0]: first}))
    assert little.redink("grade", "little").returncode == 0
    for _ in range(2):
        collect(little, packed_by_zip(tmp_path / "3.zip", dict(zip(names, (first, second, first), strict=True))))
        assert little.redink("grade", "little").returncode == 0
        one = standings(little)["adaada_7"]
        assert (one.attempts, one.attempt and one.attempt.number, one.kind) == (3, 3, "graded")


def test_a_path_that_is_graded_counts_also_after_something_else_was_collected(little: Desk, tmp_path: Path):
    made_up(little, 1)
    first, second, _ = attempts_of_ada(little)
    old, new = (
        packed_by_zip(tmp_path / name, {"adaada_7_1_little.ipynb": one})
        for name, one in (("1.zip", first), ("2.zip", second))
    )
    assert little.redink("grade", "little", old).returncode == 0
    collect(little, new)
    assert little.redink("grade", "little", old).returncode == 0
    one = standings(little)["adaada_7"]
    assert (one.attempts, one.attempt and one.attempt.number, one.kind) == (3, 3, "graded")


def test_the_notebook_that_was_worked_on_is_taken_not_the_one_as_it_was_handed_out(little: Desk, tmp_path: Path):
    made_up(little, 1)
    given = (little.assignment / "little.ipynb").read_bytes()
    solved = little.hand_in("ada").read_bytes()
    side_by_side = {"little.ipynb": given, "my solution.ipynb": solved}
    files = {
        "adaada_1_1_little.ipynb": given,
        "adaada_1_2_my solution.ipynb": solved,
        "benben_2_3_all.zip": zip_bytes(side_by_side),
        "cycy_3_4_little.ipynb": given,
        "cycy_3_5_all.zip": zip_bytes(side_by_side),
        "didi_4_6_little.ipynb": given,
        "didi_4_7_all.zip": zip_bytes({"little.ipynb": given}),
    }
    found = collect(little, packed_by_zip(tmp_path / "a.zip", files))
    taken = {one["student"]: (one["file"], one["flags"]) for one in found["receipts"]}
    assert taken["adaada_1"][0] == "adaada_1_2_my solution.ipynb"
    assert taken["adaada_1"][1] == [
        "adaada_1_2_my solution.ipynb is taken, not adaada_1_1_little.ipynb, which nobody has worked on"
    ]
    for who in ("benben_2", "cycy_3"):
        assert taken[who][0].endswith("/my solution.ipynb")
        assert "which nobody has worked on" in taken[who][1][-1]
    assert taken["didi_4"][0] == "didi_4_6_little.ipynb"


def add_ridge(little: Desk) -> dict[int, str]:
    """Another assignment of the course, and what its notebook holds."""
    (little.root / "assignments/ridge").mkdir()
    (little.root / "solutions/ridge").mkdir()
    (little.root / "assignments/ridge/assignment.toml").write_text(
        'title = "Ridge"\nslug = "ridge"\n'
        '[[questions]]\nid = "augment"\ntitle = "A"\npoints = 60\nasks = ["augment"]\n'
        '[[questions]]\nid = "shrink"\ntitle = "B"\npoints = 40\nasks = ["fit", "predict"]\n'
    )
    return dict(
        enumerate(
            ("def augment(X):\n    return X", "def fit(X):\n    return X", "def predict(X):\n    return X\n\n# shrink")
        )
    )


def test_the_notebook_of_another_assignment_is_told_in_every_place(little: Desk):
    made_up(little, 1)
    sources = add_ridge(little)
    write_notebook(little.root / "class/walt/little.ipynb", sources.values())
    little.hand_in("ada")
    write_notebook(little.root / "class/beth/little.ipynb", little.sources(solved=False).values())
    told = "this looks like ridge's notebook"
    found = collect(little, "class", "--dry-run")
    assert {one["student"]: one["looks_like"] for one in found["receipts"]} == {"ada": "", "beth": "", "walt": "ridge"}
    assert not found["mixed_up"]
    done = little.redink("grade", "little", "class")
    assert f"{told}; " in done.stdout
    assert little.redink("report", "little", "--to", "report").returncode == 0
    page = html.unescape((little.root / "report/index.html").read_text())
    assert f"<bdi>{told}</bdi>" in page
    assert page.count("<bdi>nothing is written yet: is it the right file?</bdi>") == 2
    wrong = little.redink("collect", "ridge", "class/ada", "--dry-run").stdout
    assert "1 of 1 look like little's notebook: is this ridge, or `redink collect little`?" in wrong
