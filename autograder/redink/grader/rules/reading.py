"""Reading the rules of a course: course.toml, and the roster that it names."""

from __future__ import annotations

from redink.grader.course import Course
from redink.grader.rules.course_rules import CourseRules, read_rules
from redink.grader.rules.roster import Roster, read_roster


def read_course(course: Course, slug: str | None = None) -> tuple[CourseRules, Roster | None]:
    """Read course.toml, and the roster that it names; for an assignment, with groups only where they hand in together."""
    rules = read_rules(course.root, course.slugs())
    roster = read_roster(course.root / rules.roster) if rules.roster else None
    return rules, roster.grouped(rules.of(slug).groups) if roster and slug else roster
