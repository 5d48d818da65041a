"""Every topic of an assignment that exists is held by a check, and the table in the docs says which, and how firmly."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from redink.grader.assignment.assignment import read_assignment
from redink.grader.course import Course


@pytest.fixture(scope="module")
def coverage(root):
    return runpy.run_path(str(root / "docs" / "coverage.py"))


def test_the_table_is_as_the_marks_say(coverage, root):
    written = (root / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert written == coverage["table"](), "run `python docs/coverage.py`"


def test_every_topic_of_an_assignment_is_held_by_a_check(coverage):
    slugs, found = coverage["places"]()
    lacking = {topic.row for topic in coverage["topics"]() if topic.assignment in slugs and topic.row not in found}
    assert lacking == set()


def test_every_mark_names_a_topic(coverage):
    _, found = coverage["places"]()
    assert found.keys() - {topic.row for topic in coverage["topics"]()} == set()


def test_the_topics_are_numbered_without_a_gap(coverage):
    assert [topic.row for topic in coverage["topics"]()] == [f"R{number:03}" for number in range(1, 342)]


def place(coverage, tier):
    return coverage["Place"]("tiny", "centre", "any", tier)


def test_a_topic_is_held_as_firmly_as_by_its_firmest_check(coverage):
    tier_of = coverage["tier_of"]
    assert tier_of([place(coverage, "extra"), place(coverage, "core choice")]) == "core choice"
    assert tier_of([place(coverage, "core choice"), place(coverage, "core code")]) == "core code"
    assert tier_of([]) == "not yet"


def test_only_a_check_with_points_in_the_core_can_cost_a_core_point(coverage):
    checks = {check.id: check for check in read_assignment(Course.find(Path(__file__)), "cnn").checks}
    tier = coverage["_tier"]
    assert tier(checks["runs_on_whatever_device_it_is_given"], core=True) == "not yet"
    assert tier(checks["fit_takes_steps_of_adam"], core=False) == "extra"
    assert tier(checks["fit_takes_steps_of_adam"], core=True) == "core code"
    assert tier(checks["company"], core=True) == "core choice"
