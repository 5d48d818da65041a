"""Judging a class again from stored observations. Every command here runs without boxes: no student's code can run."""

from __future__ import annotations

import json
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
    assert "off_by_a_hair: 60 → 100 (centre 0 → 40)" in said


def test_changed_points_show_who_gains_and_who_loses(graded):
    toml = graded.assignment / "assignment.toml"
    graded.edit(toml, 'title = "Centre the data"\npoints = 40', 'title = "Centre the data"\npoints = 50')
    graded.edit(toml, 'title = "Scale the data"\npoints = 40', 'title = "Scale the data"\npoints = 30')
    _, difference = rejudge(graded)
    found = changes(difference)
    assert found["believes_in_rows"] == (60.0, 50.0)
    assert found["believes_in_variance"] == (60.0, 70.0)
    assert found["ada_right"] == (100.0, 100.0)  # her questions weigh otherwise, her grade is the same
    assert "ben_blank" not in found


def test_a_changed_hint_changes_no_score(graded):
    graded.edit(
        graded.solution / "misconceptions.py", "In which unit is the variance?", "What is the unit of a square?"
    )
    said, difference = rejudge(graded)
    assert [(one["submission"], one["hints"]) for one in difference["changes"]] == [("believes_in_variance", ["scale"])]
    assert changes(difference) == {"believes_in_variance": (60.0, 60.0)}
    assert "another hint in scale" in said


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
