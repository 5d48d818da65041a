"""What is hidden of each question, made for one other tool under a secret of its own.

The tool's tests run in the student's kernel, where they can be read. So its inputs are other ones than those that Redink
grades with: whoever reads them learns nothing of the course's own.
"""

from __future__ import annotations

import hashlib
import hmac

import msgspec

from redink.assignment.hidden import HiddenTests
from redink.grader.answer_key.make import make_answer_key
from redink.grader.assignment.assignment import Assignment
from redink.grader.course import Course
from redink.grader.workers.workers import Workers


def own_secret(course: Course, tool: str) -> bytes:
    """Derive the secret of one tool from the course's; it does not lead back to that."""
    return hmac.digest(course.secret(), f"redink: {tool}".encode(), hashlib.sha256)


def hidden_tests(course: Course, assignment: Assignment, tool: str, workers: Workers) -> dict[str, HiddenTests]:
    """Make the secret trials of every question, and what the reference answers to them; by question."""
    alone = msgspec.structs.replace(assignment, misconceptions=())
    key = make_answer_key(alone, own_secret(course, tool), workers.observe)
    found = {}
    for question in assignment.spec.questions:
        pairs = [
            (trial, seen)
            for part in key.parts
            if part.question == question.id
            for trial, seen in zip(part.trials, part.expected, strict=True)
            if not trial.published
        ]
        found[question.id] = HiddenTests(
            question=question.id,
            checks=assignment.hidden_source,
            trials=tuple(trial for trial, _ in pairs),
            expected={trial.id: seen for trial, seen in pairs},
        )
    return found
