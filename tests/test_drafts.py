"""A course of one's own: an assignment that is not written to its end, and one that does not total 100 points."""

from __future__ import annotations

import csv

WRONG = "def centre(X):\n    return X - X.mean()"


def test_hidden_checks_misconceptions_and_alternatives_may_be_missing_and_grade_says_so(tiny):
    for name in ("hidden_checks.py", "misconceptions.py", "alternatives.py"):
        (tiny.solution / name).unlink()
    assert tiny.redink("build", "tiny").returncode == 0
    tiny.hand_in("ada")
    done = tiny.redink("grade", "tiny", "class")
    assert done.returncode == 0, done.stderr
    assert "tiny has no hidden checks: students have everything that is checked" in done.stdout
    assert "tiny has no misconceptions" in done.stdout
    draft = tiny.redink("verify", "tiny", "--draft")
    assert draft.returncode == 0, draft.stdout + draft.stderr
    assert "no misconception fails the check subtracts_the_mean_of_each_column" in draft.stdout


def test_a_finished_assignment_says_nothing_of_the_kind(tiny):
    tiny.hand_in("ada")
    assert "has no" not in tiny.redink("grade", "tiny", "class").stdout


def test_the_master_and_the_public_checks_are_needed(tiny):
    (tiny.assignment / "checks.py").unlink()
    done = tiny.redink("build", "tiny")
    assert done.returncode == 1
    assert "checks.py is missing" in done.stderr


def test_an_assignment_of_8_points_is_graded_exported_and_told_in_8_points(tiny):
    tiny.edit(tiny.assignment / "assignment.toml", "points = 100", "points = 8")
    assert tiny.redink("build", "tiny").returncode == 0
    tiny.hand_in("ada")
    cell = next(place for place, source in tiny.sources().items() if "def centre" in source)
    tiny.hand_in("ben", {cell: WRONG})
    results = tiny.grade("class")
    assert (results["ada"]["score"], results["ada"]["max_score"]) == (8, 8)
    assert 0 <= results["ben"]["score"] < 8
    assert tiny.redink("export", "tiny", "--as", "csv", "--to", "grades.csv").returncode == 0
    with (tiny.root / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (rows[0]["id"], float(rows[0]["grade"])) == ("ada", 8)
    assert "8 of 8 points" in tiny.redink("history", "ada", "tiny").stdout
