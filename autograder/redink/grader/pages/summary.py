"""The class page of one grading run, as Markdown: what `grade --summary` writes."""

from __future__ import annotations

from typing import Literal

from redink.grader.pages.facts import ClassFacts, StudentFacts, class_facts
from redink.grader.pages.own_cells import blank_by_result
from redink.grader.pages.rendering import class_markdown
from redink.grader.pipeline.report import Report
from redink.records import Result


def summary(report: Report) -> str:
    """Write the results of a run as a class page; lateness, overrides and the roster are the report's, not the run's."""
    return class_markdown(run_facts(report)) if report.results else "No submissions.\n"


def run_facts(report: Report) -> ClassFacts:
    """Work out what there is to say of a class after one run."""
    students = [_student(result, report.doubts.get(result.submission.id)) for result in report.results]
    return class_facts(report.results[0].assignment, students, report.groups)


def _student(result: Result, doubt: str | None) -> StudentFacts:
    kind: Literal["graded", "ungradable", "internal_error"] = result.state
    return StudentFacts(
        student=result.submission.id,
        name="",
        kind=kind,
        grade=None if kind == "internal_error" else result.score,
        result=result,
        doubts=(doubt,) if doubt else (),
        blank=blank_by_result(result),
    )
