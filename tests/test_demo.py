"""The made-up class: whole, or small with one of each kind for every core question."""

from __future__ import annotations

from redink.assignment.spec import read_spec
from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.demo import choose, make_class
from redink.grader.course import Course

QUICK = {"ada_right", "ben_blank", "eve_syntax_error", "fay_not_a_notebook"}


def names(little, tmp_path, *, whole):
    assignment = read_assignment(Course.find(little.root), "little")
    count = make_class(assignment, tmp_path / "made", "whole" if whole else "small")
    found = {path.parent.name for path in (tmp_path / "made").glob("*/little.ipynb")}
    assert len(found) == count
    return found, assignment


def test_the_whole_class_has_everybody(little, tmp_path):
    found, assignment = names(little, tmp_path, whole=True)
    wrong = {f"wrong_{one.id}" for one in assignment.misconceptions}
    other = {f"other_{one.id}" for one in assignment.alternatives}
    accidents = {"cyd_endless_cell", "dee_endless_function", "gus_truncated", "hal_leaves_early"}
    assert found == QUICK | accidents | wrong | other


def test_a_small_class_has_the_first_of_each_for_every_core_question(little, tmp_path):
    twice = "\nmisconception('again', 'centre', hint='Twice?', old='X.mean(axis=0)', new='2 * X.mean(axis=0)')\n"
    path = little.solution / "misconceptions.py"
    path.write_text(path.read_text(encoding="utf-8") + twice, encoding="utf-8")
    found, assignment = names(little, tmp_path, whole=False)
    core = {question.id for question in assignment.spec.questions if question.tier == "core"}
    wrong = {name for name in found if name.startswith("wrong_")}
    assert "wrong_takes_the_mean_over_rows" in wrong
    assert "wrong_again" not in wrong
    assert len(wrong) == len(core)
    assert found >= QUICK
    assert "cyd_endless_cell" not in found


def test_without_being_asked_for_everything_it_takes_the_first_and_the_lightest_with_torch(root):
    course = Course(root)
    first, light = choose(course, everything=False)
    assert first == ("perceptron", "whole")
    specs = {slug: read_spec(course.assignments / slug) for slug in course.slugs()}
    assert specs[light[0]].torch
    assert specs[light[0]].limits.check_cpu == min(spec.limits.check_cpu for spec in specs.values() if spec.torch)
    assert [slug for slug, _ in choose(course, everything=True)] == sorted(specs, key=lambda slug: specs[slug].order)
