"""Every topic of an assignment that exists is held by a check, and the table in the docs says which."""

from __future__ import annotations

import runpy

import pytest


@pytest.fixture(scope="module")
def coverage(root):
    return runpy.run_path(str(root / "docs" / "coverage.py"))


def test_the_table_is_as_the_marks_say(coverage, root):
    written = (root / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert written == coverage["table"](), "run `python docs/coverage.py`"


def test_every_topic_of_an_assignment_is_held_by_a_check(coverage):
    slugs, found = coverage["places"]()
    lacking = [topic for topic in coverage["topics"]() if topic.assignment in slugs and topic.row not in found]
    assert lacking == []


def test_every_mark_names_a_topic(coverage):
    _, found = coverage["places"]()
    assert found.keys() - {topic.row for topic in coverage["topics"]()} == set()


def test_the_topics_are_numbered_without_a_gap(coverage):
    assert [topic.row for topic in coverage["topics"]()] == [f"R{number:03}" for number in range(1, 342)]
