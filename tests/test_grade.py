"""Grading a class: what each kind of submission gets, and what never depends on anything else."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from redink.grader.answer_key.keep import answer_key
from redink.grader.course import Course
from redink.grader.grade import grade_all
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.load import load
from redink.grader.store.gradebook import Gradebook
from redink.grader.workers.workers import workers_for

SCALE = 6  # the place of the cell that defines `scale`
TIMES = ("cpu_seconds", "wall_seconds", "box")


def question(result: dict[str, Any], id: str) -> dict[str, Any]:
    return next(one for one in result["questions"] if one["id"] == id)


def scores(result: dict[str, Any]) -> dict[str, float]:
    return {one["id"]: one["score"] for one in result["questions"]}


def checks_of(result: dict[str, Any], visibility: str) -> list[dict[str, Any]]:
    return [check for one in result["questions"] for check in one["checks"] if check["visibility"] == visibility]


def timeless(results: dict[str, Any]) -> str:
    """Write results without what may differ between runs: times and walls."""
    kept = json.loads(json.dumps(results))
    for result in kept.values():
        for name in TIMES:
            del result[name]
        for cell in result["cells"]:
            del cell["cpu_seconds"]
    return json.dumps(kept)


def rows(book: Path, what: str) -> set[Any]:
    with sqlite3.connect(book) as db:
        return set(db.execute(f"SELECT {what}"))


# -- what each kind of submission gets -------------------------------------------------------------------------------


def test_the_solved_notebook_gets_full_marks_and_no_hint(results):
    assert results["ada_right"]["score"] == results["ada_right"]["max_score"] == 100.0
    assert all(one["hint"] is None for one in results["ada_right"]["questions"])


def test_the_untouched_notebook_gets_nothing_and_no_hint(results):
    blank = results["ben_blank"]
    assert (blank["state"], blank["score"]) == ("graded", 0.0)
    assert all(one["hint"] is None for one in blank["questions"])
    assert "Not written yet." in question(blank, "centre")["checks"][0]["message"]


@pytest.mark.parametrize(
    ("name", "verdict", "status", "error"),
    [
        ("endless_cell", "not_run", "timeout", "CPU time"),
        ("endless_function", "timeout", "ok", ""),
        ("exits_in_a_cell", "not_run", "error", "exit code 0"),
        ("exits_in_a_function", "error", "ok", ""),
        ("segfaults_in_a_cell", "not_run", "error", "segmentation fault"),
        ("segfaults_in_a_function", "error", "ok", ""),
        ("syntax_error", "not_run", "error", "SyntaxError"),
        ("missing_function", "not_run", "ok", ""),
    ],
)
def test_an_accident_costs_only_its_own_question(results, name, verdict, status, error):
    result = results[name]
    assert result["state"] == "graded"
    assert scores(result) == {"centre": 40.0, "scale": 0.0, "ideas": 20.0}
    assert {check["verdict"] for check in question(result, "scale")["checks"]} == {verdict}
    cell = result["cells"][3]  # the notebooks that were handed in have code cells alone, and this one is `scale`
    assert cell["status"] == status
    assert error in cell["error"]


def test_a_missing_function_is_named_as_it_must_be_written(results):
    for check in question(results["missing_function"], "scale")["checks"]:
        assert "\nscale is not defined." in check["message"]


def test_a_missing_function_is_told_with_the_cell_that_did_not_run_through(results):
    message = question(results["syntax_error"], "scale")["checks"][0]["message"]
    assert "scale is not defined; these cells failed: cell 4 (SyntaxError)." in message


def test_cells_in_another_order_lose_nothing(results):
    assert results["other_order"]["score"] == 100.0


def test_an_exploration_is_recognised_by_its_source_and_not_run(results):
    assert results["ada_right"]["cells"][-1]["status"] == "skipped"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("not_json", "not_json/little.ipynb is not a notebook"),
        ("empty", "empty/little.ipynb is empty"),
        ("truncated", "truncated/little.ipynb is not a notebook"),
        ("binary", "binary/little.ipynb is not a notebook"),
        ("another_json", "has no list of cells"),
        ("a_list", "its top level is not an object"),
        ("a_folder", "a_folder.ipynb is a folder, not a file"),
        ("in_circles", "in_circles.ipynb is a link, and links are not followed"),
    ],
)
def test_a_broken_file_is_ungradable_and_says_why(results, name, reason):
    result = results[name]
    assert (result["state"], result["score"], result["questions"]) == ("ungradable", 0.0, [])
    assert reason in result["reason"]


def test_a_pipe_is_ungradable_and_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    loaded = load(collect("little", tmp_path).found[0])
    assert loaded.reason == "pipe.ipynb is a pipe, not a file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_ungradable(tmp_path):
    (tmp_path / "locked.ipynb").touch(mode=0o000)
    assert "Permission denied" in (load(collect("little", tmp_path).found[0]).reason or "")


# -- hints, carried errors, groups -----------------------------------------------------------------------------------


def test_a_misconception_draws_its_own_hint(results):
    assert question(results["believes_in_rows"], "centre")["hint"] == {
        "misconception": "takes_the_mean_over_rows",
        "relation": "",
        "text": "Which axis runs over the examples?",
    }
    assert question(results["believes_in_variance"], "scale")["hint"]["misconception"] == "divides_by_the_variance"


def test_an_error_is_carried_forward_and_charged_once(results):
    result = results["believes_in_rows"]
    assert scores(result) == {"centre": 0.0, "scale": 40.0, "ideas": 20.0}
    for check in question(result, "scale")["checks"]:
        assert check["verdict"] == "passed"
        assert check["notes"] == ["right, given the error in centre, which is charged there"]


def test_equal_unknown_mistakes_are_grouped(graded_course):
    told = (graded_course / "first.txt").read_text(encoding="utf-8")
    assert "2 submissions share an unknown mistake in scale: unknown_mistake_1, unknown_mistake_2" in told
    summary = (graded_course / "first.md").read_text(encoding="utf-8")
    assert "- **scale**: 2 submissions: unknown_mistake_1, unknown_mistake_2" in summary


def test_a_forbidden_way_to_the_right_answer_is_no_unknown_mistake(tiny):
    tiny.edit(tiny.assignment / "assignment.toml", 'asks = ["centre"]', 'asks = ["centre"]\nforbids = ["numpy.mean"]')
    assert tiny.redink("build", "tiny").returncode == 0
    cell = next(index for index, source in tiny.sources().items() if "def centre" in source)
    for name in ("ada", "ben"):
        tiny.hand_in(name, {cell: "import numpy as np\ndef centre(X):\n    return X - np.mean(X, axis=0)"})
    done = tiny.redink("grade", "tiny", "class", "--json", "results.json")
    assert "share an unknown mistake" not in done.stdout
    told = json.loads((tiny.root / "results.json").read_bytes())["results"]
    assert [result["score"] for result in told] == [0, 0]
    assert "uses numpy.mean" in told[0]["questions"][0]["checks"][0]["message"]


def test_the_summary_tells_every_submission_and_its_misconceptions(graded_course, results):
    summary = (graded_course / "first.md").read_text(encoding="utf-8")
    assert summary.startswith(f"# little: {len(results)} submissions\n")
    assert all(f"| {name} | {result['score']:g} |" in summary for name, result in results.items())
    assert "| scale | divides_by_the_variance | 1 | In which unit is the variance? |" in summary


# -- hidden means hidden ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tells_tales", "forges_a_missing_name"])
def test_text_that_a_student_raises_never_stands_under_a_hidden_check(results, name):
    hidden = checks_of(results[name], "hidden")
    assert any(check["verdict"] == "error" for check in hidden)
    assert "TALE" not in json.dumps(hidden)
    assert "TALE" not in json.dumps(results[name]["cells"])


def test_a_failing_public_check_tells_what_was_raised_and_how_to_replay_it(results):
    (public, _) = question(results["tells_tales"], "scale")["checks"]
    assert "ValueError: TALE" in public["message"]
    assert 'check.replay("has_unit_spread", 0)' in public["message"]


def test_a_failing_hidden_check_shows_its_sentence_and_no_number(results):
    for name in ("believes_in_rows", "off_by_a_hair", "unknown_mistake_1"):
        failing = [check for check in checks_of(results[name], "hidden") if check["verdict"] == "failed"]
        assert failing
        assert not any(letter.isdigit() for check in failing for letter in check["message"])
        assert all(check["notes"] == [] for check in failing)


# -- the documented file ---------------------------------------------------------------------------------------------


def test_results_json_has_exactly_the_documented_keys(graded_course):
    document = json.loads((graded_course / "first.json").read_bytes())
    assert set(document) == {"schema", "results"}
    assert document["schema"] == "redink/results/1"
    for result in document["results"]:
        assert set(result) == {
            "assignment", "version", "secret", "submission", "state", "reason", "score", "max_score", "questions", "cells",
            "box", "cpu_seconds", "wall_seconds", "run_again",
        }  # fmt: skip
        assert set(result["submission"]) == {"id", "file", "sha256"}
        assert set(result["box"]) == {"walls", "missing"}
        for cell in result["cells"]:
            assert set(cell) == {"index", "status", "error", "output", "cpu_seconds"}
        for one in result["questions"]:
            assert set(one) == {"id", "title", "tier", "score", "max_score", "hint", "checks", "in_place"}
            assert one["hint"] is None or set(one["hint"]) == {"misconception", "relation", "text"}
            for check in one["checks"]:
                assert set(check) == {"id", "visibility", "verdict", "score", "max_score", "message", "notes"}


def test_results_json_says_what_it_is_about(results):
    for id, result in results.items():
        assert result["assignment"] == "little"
        assert result["submission"]["file"] in (f"{id}/little.ipynb", f"{id}.ipynb")
        assert result["state"] in ("graded", "ungradable")
        assert (result["reason"] is None) == (result["state"] == "graded")
        assert result["max_score"] == 100.0
        for one in result["questions"]:
            assert one["score"] == pytest.approx(sum(check["score"] for check in one["checks"]))
            assert one["max_score"] == pytest.approx(sum(check["max_score"] for check in one["checks"]))
        assert result["score"] == pytest.approx(sum(scores(result).values()))


def test_results_are_in_the_order_of_their_ids(graded_course):
    ids = [one["submission"]["id"] for one in json.loads((graded_course / "first.json").read_bytes())["results"]]
    assert ids == sorted(ids)


# -- where submissions lie -------------------------------------------------------------------------------------------


def test_a_single_file_is_named_by_its_stem(tmp_path):
    path = tmp_path / "ada.ipynb"
    path.touch()
    assert [(one.id, one.file, one.problem) for one in collect("little", path).found] == [("ada", "ada.ipynb", None)]


def test_a_folder_may_hold_files_and_folders_and_other_things(tmp_path):
    for name in ("ada.ipynb", "ben/little.ipynb", "ben/scratch.ipynb", "cyd/other.ipynb", "notes.txt", "empty/x.txt",
                 ".ipynb_checkpoints/ada.ipynb"):  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [(one.id, one.file) for one in collect("little", tmp_path).found]
    named = [("ada", "ada.ipynb"), ("ben", "ben/little.ipynb"), ("cyd", "cyd/other.ipynb"), ("empty", "empty")]
    assert found == named  # the empty folder is somebody's too


def test_a_muddled_folder_is_told_and_stops_nobody_else(tmp_path):
    for name in ("ada/one.ipynb", "ada/two.ipynb", "bob/notes.txt", "cyd/little.ipynb", "cyd/old.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f'{{"cells": [], "of": "{name}"}}')
    reasons = {one.name.id: one.reason for one in map(load, collect("little", tmp_path).found)}
    assert reasons == {
        "ada": "the folder ada holds 2 notebooks and none is called little.ipynb (ada/one.ipynb, ada/two.ipynb); keep one",
        "bob": "the folder bob holds no notebook",
        "cyd": None,
    }


def test_a_stray_folder_beside_notebooks_is_no_student(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "ada.ipynb").touch()
    assert [one.id for one in collect("little", tmp_path).found] == ["ada"]


@pytest.mark.parametrize(("path", "told"), [("nothing", "holds no submission"), ("nowhere", "there is no nowhere")])
def test_a_path_without_submissions_is_one_sentence(graded, path, told):
    (graded.root / "nothing").mkdir()
    done = graded.redink("grade", "little", path, boxes=False)
    assert done.returncode == 1
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_single_file_is_graded(graded):
    shutil.copy(graded.root / "class/ada_right/little.ipynb", graded.root / "ada_again.ipynb")
    assert graded.grade("ada_again.ipynb")["ada_again"]["score"] == 100.0


# -- the same again --------------------------------------------------------------------------------------------------


def test_a_second_run_reuses_everything_and_gives_the_same_bytes(graded):
    done = graded.redink("grade", "little", "class", "--json", "second.json", boxes=False)
    assert done.returncode == 0, done.stderr
    assert "0 new, 26 reused (unchanged since they were last graded)" in done.stdout
    assert (graded.root / "second.json").read_bytes() == (graded.root / "first.json").read_bytes()


def test_only_a_changed_submission_is_graded_again(graded, results):
    graded.hand_in("syntax_error", {SCALE: "def scale(X):\n    return centre(X) / X.std(axis=0)"})
    before = rows(graded.book, "id FROM runs")
    done = graded.redink("grade", "little", "class", "--json", "second.json")
    assert "1 new, 25 reused" in done.stdout
    assert len(rows(graded.book, "id FROM runs") - before) == 1
    second = {one["submission"]["id"]: one for one in json.loads((graded.root / "second.json").read_bytes())["results"]}
    assert second.pop("syntax_error")["score"] == 100.0
    assert second == {name: result for name, result in results.items() if name != "syntax_error"}


def test_a_changed_when_observes_that_check_alone(graded):
    shutil.rmtree(graded.root / "class")
    graded.hand_in("ada_right")
    before = rows(graded.book, "run, check_id FROM observations")
    graded.edit(graded.solution / "hidden_checks.py", "return student.scale(X), student.scale(X * factor)",
                "return student.scale(X * factor), student.scale(X)")  # fmt: skip
    assert graded.grade("class")["ada_right"]["score"] == 100.0
    new = rows(graded.book, "run, check_id FROM observations") - before
    assert [check for _, check in new] == ["ignores_the_unit_of_measure"]


def test_order_and_number_of_jobs_change_nothing(graded_course, little, results):
    chosen = ["ada_right", "believes_in_rows", "unknown_mistake_1", "exits_in_a_cell", "tells_tales", "empty"]
    for name in chosen:
        shutil.copytree(graded_course / "class" / name, little.root / "class" / name)
    course = Course(little.root)
    found = collect("little", little.root / "class").found
    seen = []
    for jobs, order in ((1, found[::-1]), (2, found)):
        with Gradebook(None, course.secret_name()) as book, workers_for(course, "little", jobs=jobs) as workers:
            key = answer_key(course, "little", workers.observe)
            outcomes = list(grade_all(key, order, book, workers))
        results_now = msgspec.json.encode([one.result for one in outcomes])
        seen.append({one["submission"]["id"]: one for one in sorted(
            json.loads(results_now), key=lambda one: one["submission"]["id"])})  # fmt: skip
    expected = {name: results[name] for name in sorted(chosen)}
    assert timeless(seen[0]) == timeless(seen[1]) == timeless(expected)


# -- our own failures ------------------------------------------------------------------------------------------------


def test_a_box_that_fails_gives_no_grade_and_exit_code_1_and_is_tried_again(graded):
    graded.hand_in("newcomer", {SCALE: "def scale(X):\n    return 3 * X"})
    done = graded.redink("grade", "little", "class", "--json", "second.json", boxes=False)
    assert done.returncode == 1, done.stderr
    assert (graded.root / "second.json").exists(), done.stderr
    second = {one["submission"]["id"]: one for one in json.loads((graded.root / "second.json").read_bytes())["results"]}
    assert second["newcomer"]["state"] == "internal_error"
    assert "Redink failed, not the student" in second["newcomer"]["reason"]
    assert second["ada_right"]["score"] == 100.0
    assert "no grade" in done.stdout
    assert graded.grade("class")["newcomer"]["score"] == 60.0


# -- the secret ------------------------------------------------------------------------------------------------------


def test_a_gradebook_refuses_another_secret(graded):
    done = graded.redink("grade", "little", "class", env={"REDINK_SECRET": "another"}, boxes=False)
    assert done.returncode == 1
    assert "belongs to another course secret" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_secret_may_come_from_the_environment(graded):
    secret = (graded.root / ".redink/secret").read_text(encoding="utf-8")
    (graded.root / ".redink/secret").unlink()
    done = graded.redink("grade", "little", "class", env={"REDINK_SECRET": secret}, boxes=False)
    assert done.returncode == 0, done.stderr
    assert not (graded.root / ".redink/secret").exists()


def test_another_secret_asks_other_inputs_and_gives_right_answers_the_same_grade(graded):
    shutil.rmtree(graded.root / "class")
    graded.hand_in("ada_right")
    (other,) = graded.grade("class", "--gradebook", "other.sqlite", env={"REDINK_SECRET": "another"}).values()
    (first,) = graded.grade("class", boxes=False).values()
    assert other["secret"] != first["secret"]
    assert other["score"] == 100.0
    what = "digest FROM observations WHERE check_id = 'ignores_a_common_shift'"
    assert not rows(graded.root / "other.sqlite", what) & rows(graded.book, what)
