"""Judging a class again from stored observations. Every command here runs without boxes: no student's code can run."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from redink.grader.course import Course
from redink.grader.store.gradebook import Gradebook

CHECKS, HIDDEN = "checks.py", "hidden_checks.py"


def loosen(desk: Any) -> None:
    """Accept in `centre` what is off by a hair."""
    desk.edit(desk.assignment / CHECKS, "tol=1e-8", "tol=1e-3")
    desk.edit(desk.solution / HIDDEN, "tol=1e-8", "tol=1e-3")


def rejudge(desk: Any, *options: str) -> tuple[str, dict[str, Any]]:
    """Judge again; give what was said, and what was written."""
    done = desk.redink("rejudge", "little", "--json", "difference.json", *options, boxes=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((desk.root / "difference.json").read_bytes())


def changes(difference: dict[str, Any]) -> dict[str, tuple[float, float]]:
    return {one["submission"]: (one["old"], one["new"]) for one in difference["changes"]}


def results_of(desk: Any, name: str = "again.json") -> bytes:
    done = desk.redink("grade", "little", "class", "--json", name, boxes=False)
    assert done.returncode == 0, done.stderr
    return Path(desk.root / name).read_bytes()


def test_nothing_changes_where_nothing_was_changed(graded):
    said, difference = rejudge(graded)
    assert difference["changes"] == []
    assert difference["judged"] == 18
    assert "18 re-judged, 0 would change; not applied" in said


def test_a_changed_tolerance_shows_who_gains_how_much(graded):
    loosen(graded)
    said, difference = rejudge(graded)
    assert changes(difference) == {"off_by_a_hair": (60.0, 100.0)}
    assert ["off_by_a_hair", "60", "100", "+40", "centre", "0", "→", "40"] in [
        line.split() for line in said.splitlines()
    ]
    assert "18 re-judged, 1 would change: 1 gain, 0 lose, 0 keep the total; not applied" in " ".join(said.split())


def test_changed_points_show_who_gains_and_who_loses(graded):
    reweigh(graded)
    _, difference = rejudge(graded)
    found = changes(difference)
    assert found["believes_in_rows"] == (60.0, 50.0)
    assert found["believes_in_variance"] == (60.0, 70.0)
    assert found["ada_right"] == (100.0, 100.0)  # her questions weigh otherwise, her grade is the same
    assert "ben_blank" not in found


def reweigh(desk: Any) -> None:
    """Move ten points from `scale` to `centre`."""
    toml = desk.assignment / "assignment.toml"
    desk.edit(toml, 'title = "Centre the data"\npoints = 40', 'title = "Centre the data"\npoints = 50')
    desk.edit(toml, 'title = "Scale the data"\npoints = 40', 'title = "Scale the data"\npoints = 30')


def scores_of(desk: Any) -> dict[str, float]:
    """Return what counts today, by student."""
    with sqlite3.connect(f"file:{desk.book}?mode=ro", uri=True) as db:
        return dict(db.execute("SELECT student, score FROM grades"))


def test_what_changes_is_sorted_and_aligned_and_fits_eighty_columns(graded):
    reweigh(graded)
    said, _ = rejudge(graded)
    lines = said.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if "→" in line]
    moves = [float(line.split()[3]) for line in rows]
    assert moves == sorted(moves) and moves[0] < 0 < moves[-1]
    ends = {len(line[: line.index(line.split()[3]) + len(line.split()[3])]) for line in rows}
    assert len(ends) == 1  # the changes stand one below the other
    assert "2 keep the total: 2 with other points in centre, scale" in said
    assert "ada_right" not in said
    lose, gain = sum(move < 0 for move in moves), sum(move > 0 for move in moves)
    assert f": {gain} gain, {lose} lose, 2 keep the total; not applied" in " ".join(said.split())


def test_never_lower_keeps_who_would_lose_and_grade_leaves_it_so(graded):
    reweigh(graded)
    before = scores_of(graded)
    said, difference = rejudge(graded, "--never-lower", "--apply")
    kept = {one["submission"] for one in difference["kept"]}
    assert kept == {"believes_in_rows", "off_by_a_hair"}
    assert "2 kept, who would lose" in " ".join(said.split())
    after = scores_of(graded)
    assert all(after[name] >= before[name] for name in before)
    assert after["believes_in_rows"] == 60.0 and after["believes_in_variance"] == 70.0
    done = graded.redink("grade", "little", "class", boxes=False)
    assert "0 new, 26 reused" in done.stdout
    assert scores_of(graded) == after


def test_undo_shows_first_and_then_brings_back_what_was(graded):
    before = scores_of(graded)
    rows = count_results(graded)
    loosen(graded)
    rejudge(graded, "--apply")
    changed = scores_of(graded)
    assert changed != before
    said, difference = rejudge(graded, "--undo")
    assert changes(difference) == {"off_by_a_hair": (100.0, 60.0)}
    assert "not applied" in " ".join(said.split()) and scores_of(graded) == changed
    said, difference = rejudge(graded, "--undo", "--apply")
    assert difference["undone"] and difference["applied"]
    assert "judge by today's checks again" in " ".join(said.split())
    assert scores_of(graded) == before
    assert count_results(graded) > rows  # nothing was removed: what is back is new rows
    again = graded.redink("rejudge", "little", "--undo", boxes=False)
    assert again.returncode == 1
    assert "no re-judging of little was applied" in again.stderr


def test_an_undone_class_whose_checks_are_back_too_is_as_it_was_for_grade(graded):
    loosen(graded)
    rejudge(graded, "--apply")
    rejudge(graded, "--undo", "--apply")
    graded.edit(graded.assignment / CHECKS, "tol=1e-3", "tol=1e-8")
    graded.edit(graded.solution / HIDDEN, "tol=1e-3", "tol=1e-8")
    assert "0 new, 26 reused" in graded.redink("grade", "little", "class", boxes=False).stdout


def test_who_was_graded_again_after_a_rejudging_keeps_that_when_it_is_undone(graded):
    loosen(graded)
    rejudge(graded, "--apply")
    graded.hand_in("off_by_a_hair", {})
    assert graded.redink("grade", "little", "class").returncode == 0
    said, difference = rejudge(graded, "--undo", "--apply")
    assert difference["changes"] == []
    assert "1 graded again or handed in anew since" in said
    assert scores_of(graded)["off_by_a_hair"] == 100.0


def test_without_an_applied_rejudging_there_is_nothing_to_undo(graded):
    rejudge(graded)
    done = graded.redink("rejudge", "little", "--undo", "--apply", boxes=False)
    assert done.returncode == 1
    assert "no re-judging of little was applied" in done.stderr
    both = graded.redink("rejudge", "little", "--undo", "--never-lower", boxes=False)
    assert both.returncode == 2 and "leave out --never-lower" in both.stderr


def test_an_override_survives_and_is_listed_apart(graded):
    told = graded.redink("override", "little", "off_by_a_hair", "77", "--why", "seen by a person", boxes=False)
    assert told.returncode == 0, told.stderr
    loosen(graded)
    said, difference = rejudge(graded, "--apply")
    assert difference["overridden"] == {"off_by_a_hair": [""]}
    table = said[said.index("A person set scores of these") :]
    assert "off_by_a_hair" in table and "set: the whole" in " ".join(table.split())
    assert "off_by_a_hair" not in said[: said.index("A person set scores of these")]
    assert "off_by_a_hair, little: 77 of 100 points" in graded.redink("history", "off_by_a_hair", "little").stdout
    rejudge(graded, "--undo", "--apply")
    assert "off_by_a_hair, little: 77 of 100 points" in graded.redink("history", "off_by_a_hair", "little").stdout


def count_results(desk: Any) -> int:
    with sqlite3.connect(f"file:{desk.book}?mode=ro", uri=True) as db:
        return int(db.execute("SELECT count(*) FROM results").fetchone()[0])


def test_a_changed_hint_changes_no_score(graded):
    graded.edit(
        graded.solution / "misconceptions.py", "In which unit is the variance?", "What is the unit of a square?"
    )
    said, difference = rejudge(graded)
    assert [(one["submission"], one["hints"]) for one in difference["changes"]] == [("believes_in_variance", ["scale"])]
    assert changes(difference) == {"believes_in_variance": (60.0, 60.0)}
    assert "1 keeps the total: 1 with another hint in scale" in said
    assert "believes_in_variance" not in said


def test_nothing_is_written_unless_it_is_applied(graded, results):
    loosen(graded)
    rejudge(graded)
    rejudge(graded)
    _, difference = rejudge(graded)
    assert difference["applied"] is False
    assert changes(difference) == {"off_by_a_hair": (60.0, 100.0)}


def test_what_is_applied_is_what_grade_then_reuses(graded):
    loosen(graded)
    said, difference = rejudge(graded, "--apply")
    assert difference["applied"] is True
    assert "applied" in said
    assert rejudge(graded)[1]["changes"] == []
    done = graded.redink("grade", "little", "class", boxes=False)
    assert "0 new, 26 reused" in done.stdout


def test_rejudging_gives_what_grading_again_gives(graded):
    loosen(graded)
    rejudge(graded, "--apply")
    applied = results_of(graded)
    (graded.book.parent / "applied").mkdir()
    for path in graded.book.parent.glob("gradebook.sqlite*"):
        path.unlink()
    afresh = graded.redink("grade", "little", "class", "--json", "afresh.json", "--jobs", 2)
    assert afresh.returncode == 0, afresh.stderr
    assert timeless(applied) == timeless((graded.root / "afresh.json").read_bytes())


def timeless(results: bytes) -> list[dict[str, Any]]:
    kept = json.loads(results)["results"]
    for result in kept:
        for name in ("cpu_seconds", "wall_seconds", "box"):
            del result[name]
        for cell in result["cells"]:
            del cell["cpu_seconds"]
    return kept


def test_a_changed_when_must_be_graded_again_and_keeps_its_grade(graded):
    graded.edit(graded.solution / HIDDEN, "student.scale(X), student", "student.scale(X + 0), student")
    done = graded.redink("rejudge", "little", "--apply", "--json", "difference.json")  # the reference must run
    assert done.returncode == 0, done.stderr
    difference = json.loads((graded.root / "difference.json").read_bytes())
    assert "scale must be graded again: a check was never reached, or its inputs or calls have changed" in " ".join(
        done.stdout.split()
    )
    assert difference["unseen"]["off_by_a_hair"] == ["scale"]
    assert difference["changes"] == []


def test_a_gradebook_that_does_not_exist_is_told_and_not_made(graded):
    done = graded.redink("rejudge", "little", "--gradebook", "new.sqlite", boxes=False)
    assert done.returncode == 1
    assert done.stderr == (
        "redink: there is no gradebook new.sqlite: grade little first, or name another with --gradebook\n"
    )
    assert not (graded.root / "new.sqlite").exists()


def test_a_gradebook_without_this_assignment_is_told(graded, monkeypatch):
    monkeypatch.delenv("REDINK_SECRET", raising=False)
    with Gradebook(graded.root / "new.sqlite", Course(graded.root).secret_name()):
        pass  # it is made, and nobody is in it
    done = graded.redink("rejudge", "little", "--gradebook", "new.sqlite", boxes=False)
    assert done.returncode == 1
    assert done.stderr == "redink: nothing handed in to little was graded into new.sqlite: grade it first\n"


@pytest.mark.parametrize("option", [[], ["--apply"]])
def test_another_secret_is_refused(graded, option):
    done = graded.redink("rejudge", "little", *option, env={"REDINK_SECRET": "another"}, boxes=False)
    assert done.returncode == 1
    assert "belongs to another course secret" in done.stderr
